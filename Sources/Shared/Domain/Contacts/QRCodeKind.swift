/// The app that reads the code.
public enum QRCodeKind: String, CaseIterable, Sendable {
    /// LifeSignal, which reads the JSON of `QRCodeData`.
    case lifeSignal
    /// Any camera app, which opens the share link.
    case anyCamera
}

extension QRCodeInfo {
    public func text(for kind: QRCodeKind) -> String {
        switch kind {
        case .lifeSignal: payload
        case .anyCamera: shareLink.absoluteString
        }
    }
}
