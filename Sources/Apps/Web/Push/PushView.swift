import Clients
import Domain
import Features
import LivePages

/// Messages to this browser while no page is open. The script asks in the tap itself
/// (`Assets/push.js`), so each button carries its wish.
extension PushFeature {
    /// The card that asks, on Home and in the notification centre. Its place stays on the page.
    static func card(_ card: Card?, _ state: State) -> HTML<Action> {
        announcement(.polite, .class("notice")) {
            switch card {
            case .question:
                question(
                    "Be told when LifeSignal is closed",
                    """
                    Turn on notifications, so that a call for help reaches you here with no page \
                    open.
                    """, turnOn(state), later("Not now"))
            case .denied:
                question(
                    "This browser blocks notifications", howToAllow, nil, later("OK"))
            case .failed:
                question(
                    "Notifications are not on yet", pushServiceIsSilent,
                    turnOn(state, title: "Try again"), later("Not now"))
            case nil: .empty
            }
        }
        .key("push-card")
    }

    private static func question(
        _ title: String, _ words: String, _ first: HTML<Action>?, _ second: HTML<Action>
    ) -> HTML<Action> {
        section(.class("card"), .labelled(by: "push-title")) {
            h2(.id("push-title")) { title }
            p { words }
            div(.class("row")) {
                if let first { first }
                second
            }
        }
    }

    /// This browser among the settings.
    /// - Parameter endpoint: the server's; nil while it is not known.
    static func settings(_ state: State, endpoint: PushEndpoint?) -> HTML<Action> {
        section(.class("card"), .labelled(by: "this-browser-title")) {
            h2(.id("this-browser-title")) { "Notifications in this browser" }
            errorNotice(state.error, dismiss: .dismissError)
            div(.class("stack"), .role("status")) {
                if let status = state.status {
                    if state.isOn {
                        isOn(state, endpoint)
                    } else {
                        isOff(status)
                    }
                } else {
                    p(.class("quiet")) { "Asking the browser …" }
                }
            }
            .key("state")
            buttons(state)
        }
        .key("this-browser")
    }

    private static func isOn(_ state: State, _ endpoint: PushEndpoint?) -> HTML<Action> {
        group {
            statusPill("On", .normal)
            p { "You are told here when LifeSignal is closed." }
            if let endpoint { endpointFacts(endpoint) }
            if state.test == .sent {
                p {
                    """
                    The test is sent. It appears within seconds. If it does not, see whether this \
                    device is set to “Do not disturb”.
                    """
                }
            }
        }
    }

    private static func isOff(_ status: PushStatus) -> HTML<Action> {
        switch status.permission {
        case .unsupported:
            group {
                statusPill("Not available", .warning)
                p {
                    """
                    This browser can’t tell you anything while LifeSignal is closed. Keep a page \
                    open, or use Firefox, Chrome, Edge or Safari with an https address.
                    """
                }
            }
        case .needsInstallation:
            group {
                statusPill("Not available", .warning)
                p {
                    """
                    On an iPhone or iPad, first press Share, then “Add to Home Screen”, and open \
                    LifeSignal from there.
                    """
                }
            }
        case .denied:
            group {
                statusPill("Blocked", .warning)
                p { howToAllow }
            }
        case .undecided, .granted:
            group {
                statusPill("Off", .warning)
                p {
                    status.hasFailed
                        ? pushServiceIsSilent : "You are told here only while a page is open."
                }
            }
        }
    }

    private static func buttons(_ state: State) -> HTML<Action> {
        div(.class("row")) {
            switch state.status?.permission {
            case .undecided, .granted:
                if state.isOn {
                    actionButton(
                        state.test == .sending ? "Sending …" : "Send a test", .bell,
                        .testButtonTapped
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

    private static func later(_ title: String) -> HTML<Action> {
        actionButton(title, .notNowButtonTapped).attributes(.data("push", "later"))
    }

    private static func wish(
        _ wish: String, _ button: HTML<Action>, _ state: State
    ) -> HTML<Action> {
        state.isBusy ? button.disabled(true) : button.attributes(.data("push", wish))
    }

    private static let howToAllow =
        """
        To allow them, press the symbol beside the address, choose Notifications or Permissions, \
        then Allow, and load this page again.
        """
    private static let pushServiceIsSilent =
        "The browser’s own message service can’t be reached at the moment. Try again later."
}
