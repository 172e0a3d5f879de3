import LivePages

/// Says that something has not reached the server; nothing when it has. Told politely when it
/// comes.
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

/// Says that something has been done; nothing otherwise. Told politely when it comes.
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

/// Says that something is being loaded, without a movement that has to be stopped.
func loadingLine<Action>(_ words: String = "Loading …") -> HTML<Action> {
    p(.class("quiet loading"), .role("status")) { words }
}
