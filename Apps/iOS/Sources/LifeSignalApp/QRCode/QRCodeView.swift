import ComposableArchitecture
import Domain
import Features
import SwiftUI
import UIKit

/// The user's code: the picture, the id, and what can be done with them.
struct QRCodeView: View {
    @Bindable var store: StoreOf<QRCodeFeature>

    var body: some View {
        VStack(alignment: .leading, spacing: 16) {
            Text(QRCodeFeature.disclosure)
            ErrorNotice(store.error) { store.send(.dismissError) }
            if store.canShare { kinds }
            picture
            if let link = store.shareLink { sharing(link) }
            WideButton("Scan someone’s code", .scan) { store.send(.scanButtonTapped) }
            if store.canShare { renewal }
        }
        .onAppear { store.send(.onAppear) }
        .onChange(of: store.copiedID) { _, id in
            if let id { UIPasteboard.general.string = id }
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

    private func sharing(_ link: URL) -> some View {
        HStack(spacing: 12) {
            ShareLink("Share", item: link).frame(minHeight: 44)
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

    /// Folded away, so that it takes two presses: whoever has the old code can't add anybody with
    /// it any more.
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

/// The code as a file.
struct CodePicture: Transferable {
    let png: Data

    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .png) { (picture: CodePicture) in
            picture.png
        }
        .suggestedFileName(QRCodeFeature.pictureName)
    }
}
