import Features
import Foundation
import LivePages

extension Tone {
    var className: String { self == .normal ? "" : rawValue }

    var icon: Icon {
        switch self {
        case .normal: .check
        case .warning: .bell
        case .critical: .alert
        }
    }
}

func statusPill<Action>(_ words: String, _ tone: Tone) -> HTML<Action> {
    pill(words, tone, attributes: [], isDated: false)
}

/// A status that stays true while the page is offline. It gives the time of the last update. The
/// page's clock replaces it by the `later` statuses when they begin.
/// - Parameters:
///   - isDated: whether to add the time of the last update while offline.
///   - later: the statuses that follow if no update arrives, in order of time.
func statusPills<Action>(
    _ words: String, _ tone: Tone, isDated: Bool, later: [(begins: Date, words: String, tone: Tone)]
) -> HTML<Action> {
    statusPills(pill(words, tone, attributes: [], isDated: isDated), later: later)
}

/// Shows `first` until the first of the `later` statuses begins.
func statusPills<Action>(
    _ first: HTML<Action>, later: [(begins: Date, words: String, tone: Tone)]
) -> HTML<Action> {
    span(.turns) {
        first
        for status in later {
            pill(
                status.words, status.tone, attributes: [.hidden, .begins(status.begins)],
                isDated: false)
        }
    }
}

/// A hidden status beside others. The script shows it in place of a good status while the browser
/// keeps a check-in that the server doesn't have.
func unsentPill<Action>(_ words: String) -> HTML<Action> {
    pill(words, .warning, attributes: [.hidden, .unsentCheckIn], isDated: false)
}

private func pill<Action>(
    _ words: String, _ tone: Tone, attributes: [Attribute], isDated: Bool
) -> HTML<Action> {
    element(.span, [.class("state", tone.className)] + attributes) {
        icon(tone.icon)
        if isDated {
            span {
                words
                span(.age("as of")) { "" }
            }
        } else {
            words
        }
    }
}
