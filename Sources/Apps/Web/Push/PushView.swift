import Clients
import Domain
import Features
import LivePages

/// Notifications in this browser while no page is open. The script must ask for the permission
/// within the tap itself (`Assets/push.js`), so each button carries its request as an attribute.
extension PushFeature {
    /// The card that offers notifications, on Home and in the notification centre. Without an
    /// offer, the empty container stays on the page, so that screen readers read out a later offer.
    static func card(_ card: Card?, _ state: State) -> HTML<Action> {
        announcement(.polite, .class("notice")) {
            if let card { question(card, state) }
        }
        .key("push-card")
    }

    private static func question(_ card: Card, _ state: State) -> HTML<Action> {
        section(.class("card"), .labelled(by: "push-title")) {
            h2(.id("push-title")) { card.title(in: .browser) }
            p { card.text(in: .browser) }
            div(.class("row")) {
                if let title = card.turnOnTitle { turnOn(state, title: title) }
                later(card)
            }
        }
    }

    /// Only the question is put off. The script stores that in the browser.
    private static func later(_ card: Card) -> HTML<Action> {
        let later: HTML<Action> = actionButton(card.laterTitle, .notNowButtonTapped)
        return card == .denied ? later : later.attributes(.data("push", "later"))
    }

    /// This browser's section of the settings.
    /// - Parameter endpoint: this browser's endpoint at the server; nil until it has loaded.
    static func settings(_ state: State, endpoint: PushEndpoint?) -> HTML<Action> {
        section(.class("card"), .labelled(by: "this-browser-title")) {
            h2(.id("this-browser-title")) { "Notifications in this browser" }
            errorNotice(state.error, dismiss: .dismissError)
            div(.class("stack"), .role("status")) {
                if let words = state.statusWords {
                    statusPill(words, state.isOn ? .normal : .warning)
                    p { state.explanationWords(in: .browser) }
                    if state.isOn, let endpoint { endpointFacts(endpoint) }
                    if let text = state.testSentWords { p { text } }
                } else {
                    p(.class("quiet")) { state.explanationWords(in: .browser) }
                }
            }
            .key("state")
            buttons(state)
        }
        .key("this-browser")
    }

    private static func buttons(_ state: State) -> HTML<Action> {
        div(.class("row")) {
            switch state.status?.permission {
            case .undecided, .granted:
                if state.isOn {
                    actionButton(
                        state.testWords, .bell, .testButtonTapped
                    )
                    .disabled(state.test == .sending)
                    wish("off", actionButton("Turn off", .turnOffButtonTapped), state)
                } else {
                    turnOn(state)
                }
            case .unsupported, .needsInstallation, .denied, nil: .empty
            }
        }
        .key("buttons")
    }

    private static func turnOn(
        _ state: State, title: String = "Turn on notifications"
    ) -> HTML<Action> {
        wish(
            "on",
            actionButton(
                state.isBusy ? "Turning on …" : title, .bell, class: "primary",
                .turnOnButtonTapped), state)
    }

    private static func wish(
        _ wish: String, _ button: HTML<Action>, _ state: State
    ) -> HTML<Action> {
        state.isBusy ? button.disabled(true) : button.attributes(.data("push", wish))
    }
}
