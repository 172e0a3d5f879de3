import Domain

/// How much something matters: told by colour, by shape and by words.
public enum Tone: String, Sendable, CaseIterable {
    case normal, warning, critical

    public init(_ status: CheckInStatus) {
        switch status {
        case .normal: self = .normal
        case .warning: self = .warning
        case .critical: self = .critical
        }
    }

    public init(_ status: UserStatus) { self = status == .active ? .normal : .critical }
}

extension UserStatus {
    /// The words for a responder.
    public var words: String {
        switch self {
        case .active: "Fine"
        case .nonResponsive: "Not responding"
        case .alertActive: "Alert"
        }
    }
}
