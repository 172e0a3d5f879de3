import Features
import LivePages

extension Tone {
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
