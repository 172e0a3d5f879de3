import ComposableArchitecture
import Domain
import Features
import SwiftUI
import UIKit
import UniformTypeIdentifiers

struct QRCodeView: View {
    @Bindable var store: StoreOf<QRCodeFeature>

    var body: some View {
        VStack(alignment: .leading, spacing: 16) {
            Text(QRCodeFeature.disclosure)
            ErrorNotice(store.error) { store.send(.dismissError) }
            if store.canShare { kinds }
            picture
            if store.canShare { sharing }
            WideButton("Scan someone’s code", .scan) { store.send(.scanButtonTapped) }
            if store.canShare { renewal }
        }
        .onAppear { store.send(.onAppear) }
        .onChange(of: store.copiedID) { _, id in
            if let id { UIPasteboard.general.string = id }
        }
        .sheet(
            isPresented: $store[presented: \.isShareSheetPresented, close: \.shareSheetDismissed]
        ) {
            if let link = store.shareLink { ShareSheet(link: link) }
        }
        .scannerSheet(store.scope(state: \.qrScanner, action: \.qrScanner))
    }

    @ViewBuilder private var kinds: some View {
        Heading("Which code?")
        Picker("Which code?", selection: $store.codeKind.sending(\.codeKindSelected)) {
            ForEach(QRCodeKind.allCases, id: \.self) { kind in Text(kind.title).tag(kind) }
        }
        .pickerStyle(.segmented)
        Quiet(store.codeKind.hint)
    }

    @ViewBuilder private var picture: some View {
        if let image = store.qrCodeImage, let picture = UIImage(data: image.png) {
            Image(uiImage: picture)
                .interpolation(.none)
                .resizable()
                .scaledToFit()
                .frame(maxWidth: 288)
                .padding(16)
                .background(Color.white, in: .rect(cornerRadius: 14))
                .frame(maxWidth: .infinity)
                .accessibilityLabel(store.codeKind.alternative)
        } else {
            Quiet(store.noPictureWords)
        }
        if store.canShare {
            Text(store.qrCodeIDForDisplay)
                .font(.system(.footnote, design: .monospaced))
                .textSelection(.enabled)
                .accessibilityLabel(Text("Your id: ") + Text(store.qrCodeIDForDisplay))
        }
    }

    private var sharing: some View {
        HStack(spacing: 12) {
            WideButton("Share", .share, kind: .primary) { store.send(.shareButtonTapped) }
            WideButton(store.copyWords, .copy) {
                store.send(.copyIDButtonTapped)
            }
            if let image = store.qrCodeImage {
                ShareLink(
                    "Save picture", item: CodePicture(png: image.png),
                    preview: SharePreview(QRCodeFeature.pictureName)
                )
                .frame(minHeight: 44)
            }
        }
    }

    /// In a closed group, so that renewing takes two taps: afterwards, the old code is useless.
    private var renewal: some View {
        DisclosureGroup("Renew the code") {
            Text("You get a new code. The old one stops working everywhere. Your contacts stay.")
            WideButton(store.renewWords, kind: .danger) {
                store.send(.refreshQRCodeButtonTapped)
            }
            .disabled(store.isGenerating)
        }
    }
}

/// The system's share sheet for the link that adds the user.
struct ShareSheet: UIViewControllerRepresentable {
    let link: URL

    func makeUIViewController(context: Context) -> UIActivityViewController {
        UIActivityViewController(activityItems: [link], applicationActivities: nil)
    }

    func updateUIViewController(_ controller: UIActivityViewController, context: Context) {}
}

struct CodePicture: Transferable {
    let png: Data

    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .png) { (picture: CodePicture) in
            picture.png
        }
        .suggestedFileName(QRCodeFeature.pictureName)
    }
}
