import LivePages

/// Says that something has not reached the server yet. Empty if `words` is nil. A screen reader
/// reads the banner out politely.
func waitingBanner<Action>(_ words: String?) -> HTML<Action> {
    announcement(.polite, .class("notice")) {
        if let words {
            p(.class("banner waiting")) {
                icon(.bell)
                words
            }
        }
    }
}

/// Says that something has been done. Empty if `words` is nil. A screen reader reads the banner out
/// politely.
func successBanner<Action>(_ words: String?) -> HTML<Action> {
    announcement(.polite, .class("notice")) {
        if let words {
            p(.class("banner fine")) {
                icon(.check)
                words
            }
        }
    }
}

/// The text of an empty list, with the action that fills it.
func emptyState<Action>(
    _ symbol: Icon, _ title: String, _ message: String,
    @HTMLBuilder<Action> actions: () -> HTML<Action> = { .empty }
) -> HTML<Action> {
    let actions = actions()
    return div(.class("empty")) {
        icon(symbol)
        p { strong { title } }
        p(.class("quiet")) { message }
        actions
    }
}

/// Says that something is loading. Not animated, because users would need a way to stop an
/// animation.
func loadingLine<Action>(_ words: String = "Loading …") -> HTML<Action> {
    p(.class("quiet loading"), .role("status")) { words }
}
