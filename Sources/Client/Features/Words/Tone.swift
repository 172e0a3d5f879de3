import Domain

/// How urgent something is, shown by colour, shape and text.
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
    public var words: String {
        switch self {
        case .active: "Fine"
        case .nonResponsive: "Not responding"
        case .alertActive: "Alert"
        }
    }
}
