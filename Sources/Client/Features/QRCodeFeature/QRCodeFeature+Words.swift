import Domain

extension QRCodeKind {
    public var title: String {
        switch self {
        case .lifeSignal: "For LifeSignal"
        case .anyCamera: "For any camera"
        }
    }

    public var hint: String {
        switch self {
        case .lifeSignal: "The other person scans it in LifeSignal."
        case .anyCamera:
            "A phone’s camera app opens a link, which leads through signing in to adding you."
        }
    }

    /// For those who don't see the picture.
    public var alternative: String {
        switch self {
        case .lifeSignal: "QR code with your LifeSignal id, which is written below"
        case .anyCamera: "QR code with the link that adds you"
        }
    }
}

extension QRCodeFeature.State {
    /// In place of the picture.
    public var noPictureWords: String {
        isGenerating ? "Loading your code …" : "There is no code to show."
    }
    public var copyWords: String { copiedID == nil ? "Copy id" : "Copied" }
    public var renewWords: String { isGenerating ? "Renewing …" : "Renew now" }
}

extension QRCodeFeature {
    /// Said wherever the code is shown or sent. By the rule of consent a scan gives all this at
    /// once.
    public static let disclosure = """
        Whoever has this code or link can become your responder at once: they see when you check \
        in and can read your emergency note.
        """
    /// The name of the file with the picture.
    public static let pictureName = "lifesignal-code.png"
}
