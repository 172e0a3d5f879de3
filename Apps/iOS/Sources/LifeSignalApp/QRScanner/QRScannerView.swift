import ComposableArchitecture
import Features
import PhotosUI
import SwiftUI
import UIKit

struct QRScannerView: View {
    @Bindable var store: StoreOf<QRScannerFeature>
    /// True to offer an invitation as an alternative, for a scanned person who would become a
    /// responder.
    var offersInvitation = false
    @State private var picture: PhotosPickerItem?

    var body: some View {
        SheetFrame(
            title: "Scan a LifeSignal code", closeLabel: "Cancel",
            close: { store.send(.dismissButtonTapped) }
        ) {
            ErrorNotice(store.isTypedIDRefused ? store.error?.outsideOfFields : store.error) {
                store.send(.dismissError)
            }
            camera
            PhotosPicker("Or choose a picture of a code", selection: $picture, matching: .images)
                .frame(minHeight: 44)
                .disabled(store.isDecoding)
            if store.isDecoding { LoadingLine(words: store.readingWords) }
            typed
            if offersInvitation {
                WideButton(InvitationsFeature.inviteWords) { store.send(.inviteButtonTapped) }
            }
        }
        .onAppear { store.send(.onAppear) }
        .task(id: picture) {
            guard let bytes = try? await picture?.loadTransferable(type: Data.self) else { return }
            store.send(.pictureSelected(bytes))
        }
    }

    @ViewBuilder private var camera: some View {
        if store.permission == .denied {
            Banner(.warning, .alert) { Text(store.state.cameraWords(in: .app)) }
        } else {
            Text(store.state.cameraWords(in: .app))
        }
        if store.permission == .granted {
            CameraPreview(isTorchOn: store.isTorchOn) { store.send(.codeScanned($0)) }
                .frame(height: 280)
                .clipShape(.rect(cornerRadius: 14))
                .accessibilityLabel("Camera")
        }
        if store.canUseTorch {
            Toggle("Light", isOn: $store[value: \.isTorchOn, toggle: \.torchButtonTapped])
        }
    }

    @ViewBuilder private var typed: some View {
        Field(
            "Or type the id", text: $store.manualID.sending(\.manualIDChanged),
            hint: "32 characters, with or without hyphens.",
            error: store.isTypedIDRefused ? store.error?.fieldWords : nil
        )
        .textInputAutocapitalization(.never)
        .autocorrectionDisabled()
        SubmitButton("Use this id", isEnabled: store.canSubmitManualID) {
            store.send(.manualIDSubmitted)
        }
    }
}
