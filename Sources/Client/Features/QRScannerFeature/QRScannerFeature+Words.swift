import Domain

extension QRScannerFeature.State {
    /// The failure is about the id that was typed.
    public var isTypedIDRefused: Bool { error != nil && scannedCode == manualID }

    /// Of a picture; empty while none is read.
    public var readingWords: String { isDecoding ? "Reading the picture …" : "" }
}
