import Domain
import Features
import LivePages

extension PushEndpointsFeature {
    /// The user's other browsers, phones and webhooks.
    /// - Parameters:
    ///   - sessions: the user's sessions, which name the browsers.
    ///   - own: this browser's endpoint, which has a section of its own.
    static func view(
        _ state: State, sessions: [Session], own: PushEndpointID?
    ) -> HTML<Action> {
        section(.class("card"), .labelled(by: "endpoints-title")) {
            h2(.id("endpoints-title")) { "Other devices that are told" }
            errorNotice(state.error, dismiss: .dismissError)
            if let endpoints = state.endpoints {
                list(endpoints.filter { $0.id != own }, sessions, state)
            } else if state.error == nil {
                loadingLine()
            } else {
                actionButton("Load again", .load)
            }
            if state.endpoints != nil {
                WebhookFeature.view(state.webhook).map { .webhook($0) }
            }
            confirmation(state.confirmation, id: "endpoint-question").map { .confirmation($0) }
        }
        .key("endpoints")
    }

    private static func list(
        _ endpoints: [PushEndpoint], _ sessions: [Session], _ state: State
    ) -> HTML<Action> {
        guard !endpoints.isEmpty else {
            return p(.class("quiet")) {
                "None. Turn on notifications in each browser that you use."
            }
        }
        return ul(.class("list")) {
            for endpoint in endpoints {
                let name = endpoint.name(among: sessions)
                li(.class("row")) {
                    div(.class("grow")) {
                        strong { name }
                        endpointFacts(endpoint)
                        if let note = state.testNote(endpoint.id) { p(.role("status")) { note } }
                    }
                    if endpoint.kind == .webhook { testButton(endpoint, name, state) }
                    actionButton(
                        state.removeWords(endpoint.id), class: "danger",
                        .removeButtonTapped(endpoint.id, name: name)
                    )
                    .attributes(.label("Remove \(name)"))
                    .disabled(state.removing != nil)
                }
                .key("\(endpoint.id)")
            }
        }
        .key("endpoint-list")
    }

    private static func testButton(
        _ endpoint: PushEndpoint, _ name: String, _ state: State
    ) -> HTML<Action> {
        actionButton(state.testWords(endpoint.id), .testButtonTapped(endpoint.id))
            .attributes(.label("Send a test to \(name)"))
            .disabled(state.test?.isSent == false)
    }
}

func endpointFacts<Action>(_ endpoint: PushEndpoint) -> HTML<Action> {
    group {
        p(.class("hint")) {
            if let success = endpoint.lastSuccessAt {
                "Last message "
                moment(success, .absolute)
            } else {
                "No message yet, registered "
                moment(endpoint.createdAt, .absolute)
            }
        }
        if let words = endpoint.failureWords {
            p(.class("hint")) {
                words
                if let since = endpoint.failingSince {
                    " Nothing has arrived since "
                    moment(since, .absolute)
                    "."
                }
            }
        }
    }
}
