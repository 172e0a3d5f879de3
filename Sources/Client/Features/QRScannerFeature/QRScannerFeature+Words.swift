import Domain

extension QRScannerFeature.State {
    /// The failure is about the id that was typed.
    public var isTypedIDRefused: Bool { error != nil && scannedCode == manualID }

    /// The words while a picture is read; empty otherwise.
    public var readingWords: String { isDecoding ? "Reading the picture …" : "" }

    /// The purpose of the camera, and what to do when it can't be used.
    public func cameraWords(in frontEnd: FrontEnd) -> String {
        switch (permission, frontEnd) {
        case (.notDetermined, .browser):
            """
            Your browser asks whether LifeSignal may use the camera. What it sees is only \
            looked through for a code.
            """
        case (.notDetermined, .app):
            """
            You are asked whether LifeSignal may use the camera. What it sees is only looked \
            through for a code.
            """
        case (.granted, _): "Hold the code in front of the camera."
        case (.denied, .browser):
            """
            The camera can’t be used. Allow it in your browser, choose a picture, or type \
            the id.
            """
        case (.denied, .app):
            """
            The camera can’t be used. Allow it in Settings, under LifeSignal, choose a picture, \
            or type the id.
            """
        }
    }
}
