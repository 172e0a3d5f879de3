/// Where a code is to be scanned.
public enum QRCodeKind: String, CaseIterable, Sendable {
    /// In LifeSignal: the JSON of `QRCodeData`.
    case lifeSignal
    /// In any camera app, which opens the share link.
    case anyCamera
}

extension QRCodeInfo {
    /// The text for the picture.
    public func text(for kind: QRCodeKind) -> String {
        switch kind {
        case .lifeSignal: payload
        case .anyCamera: shareLink.absoluteString
        }
    }
}
