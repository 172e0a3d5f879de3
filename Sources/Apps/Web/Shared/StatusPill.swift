import Domain
import LivePages

/// How much something matters: told by colour, by shape and by words.
enum Tone: String, Sendable, CaseIterable {
    case normal, warning, critical

    init(_ status: CheckInStatus) {
        switch status {
        case .normal: self = .normal
        case .warning: self = .warning
        case .critical: self = .critical
        }
    }

    init(_ status: UserStatus) { self = status == .active ? .normal : .critical }

    /// The class of the style sheet; none for what is as it should be.
    var className: String { self == .normal ? "" : rawValue }

    var icon: Icon {
        switch self {
        case .normal: .check
        case .warning: .bell
        case .critical: .alert
        }
    }
}

/// A few words about how something stands, with a shape of their own.
func statusPill<Action>(_ words: String, _ tone: Tone) -> HTML<Action> {
    span(.class("state", tone.className)) {
        icon(tone.icon)
        words
    }
}

extension UserStatus {
    /// The words for a responder.
    var words: String {
        switch self {
        case .active: "Fine"
        case .nonResponsive: "Not responding"
        case .alertActive: "Alert"
        }
    }
}
