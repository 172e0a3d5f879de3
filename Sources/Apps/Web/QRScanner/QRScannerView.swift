import Features
import LivePages

extension QRScannerFeature {
    /// The scanner as a sheet. Empty while it is closed.
    /// - Parameter offersInvitation: whether to offer an invitation, because the scanned person
    ///   would become a responder.
    static func view(_ state: State, offersInvitation: Bool = false) -> HTML<Action> {
        guard state.isSheetPresented else { return .empty }
        return sheet(
            "Scan a LifeSignal code", id: "scanner", closeLabel: "Cancel",
            close: .dismissButtonTapped
        ) {
            errorNotice(
                state.isTypedIDRefused ? state.error?.outsideOfFields : state.error,
                dismiss: .dismissError
            )
            .key("error")
            camera(state)
            label(.class("field")) {
                "Or choose a picture of a code"
                input(.type("file"), .name("picture"), .plain(.accept, acceptedPictures))
                    .disabled(state.isDecoding).onFile { .pictureSelected($0) }
            }
            .key("picture")
            announcement(.polite, .class("hint")) { state.readingWords }.key("reading")
            typed(state)
            if offersInvitation {
                actionButton(InvitationsFeature.inviteWords, class: "wide", .inviteButtonTapped)
                    .key("invite")
            }
        }
        .onAppear(.onAppear)
    }

    private static func camera(_ state: State) -> HTML<Action> {
        div(.class("stack")) {
            p(.class(state.permission == .denied ? "banner" : "")) {
                state.cameraWords(in: .browser)
            }
            viewfinder(state)
            if state.canUseTorch {
                button(.type("button"), .pressed(state.isTorchOn)) { "Light" }.onTap(
                    .torchButtonTapped)
            }
        }
        .key("camera")
    }

    /// Hidden if the permission is missing. The viewfinder stays on the page, so that the browser
    /// asks at the next scan.
    private static func viewfinder(_ state: State) -> HTML<Action> {
        var video: HTML<Action> = video(
            .class("viewfinder"), .camera, .playsinline, .muted, .label("Camera")
        )
        .onToggle { .permissionResponse($0 ? .granted : .denied) }
        .onFrame { .frameCaptured($0) }
        .onScan { .codeScanned($0) }
        if state.isTorchOn { video = video.attributes(.torch) }
        if state.permission == .denied { video = video.attributes(.hidden) }
        return video
    }

    private static func typed(_ state: State) -> HTML<Action> {
        form(.class("stack")) {
            field(
                "Or type the id", id: "typed-id", hint: "32 characters, with or without hyphens.",
                error: state.isTypedIDRefused ? state.error?.fieldWords : nil,
                control: input(
                    .type("text"), .name("id"), .class("code"), .plain(.autocomplete, "off"),
                    .plain(.autocapitalize, "none"), .plain(.spellcheck, "false"),
                    .value(state.manualID)
                )
                .onInput { .manualIDChanged($0) }
            )
            submitButton("Use this id", isEnabled: state.canSubmitManualID)
        }
        .onSubmit(.manualIDSubmitted)
        .key("typed")
    }
}
