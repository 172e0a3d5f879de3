import Domain
import Features
import LivePages

/// Requests that wait for an answer, and the state of the user's protection.
extension HomeCardsFeature {
    static func view(_ state: State) -> HTML<Action> {
        group {
            errorNotice(state.error, dismiss: .dismissError)
            announcement(.polite, .class("notice")) {
                for contact in state.pings { pingCard(contact, state) }
                protectionCard(state)
                audienceCard(state)
                for request in state.requests { requestCard(request, state) }
            }
            .key("home-cards")
        }
    }
}

private func pingCard(
    _ contact: ContactData, _ state: HomeCardsFeature.State
) -> HTML<HomeCardsFeature.Action> {
    let name = ProfileRules.displayName(contact.name)
    return section(.class("card warning"), .label("Ping from \(name)")) {
        p(.class("row")) {
            icon(.bell)
            strong(.class("grow")) { "\(name) asks: are you OK?" }
        }
        actionButton("I’m OK", .check, class: "primary wide", .answerPingButtonTapped(contact.id))
            .attributes(.label("I’m OK: answer \(name)"))
            .disabled(state.isAnswering(contact.id))
    }
    .key("ping-\(contact.id)")
}

private func requestCard(
    _ request: HomeCardsFeature.Request, _ state: HomeCardsFeature.State
) -> HTML<HomeCardsFeature.Action> {
    let name = ProfileRules.displayName(request.contact.name)
    let isHelp = request.role == .dependent
    let role = isHelp ? "dependent" : "responder"
    return section(.class("card warning"), .label("Request from \(name)")) {
        p {
            strong { isHelp ? "\(name) asked you to help." : "\(name) wants to be your responder." }
        }
        p {
            isHelp
                ? "You’ll be told if they miss a check-in."
                : "They’ll be told if you miss a check-in, and can read your emergency note."
        }
        div(.class("row")) {
            actionButton(
                "Accept", .check, class: "primary grow",
                .acceptButtonTapped(request.contact.id, request.role)
            )
            .attributes(.label("Accept \(name) as your \(role)"))
            .disabled(state.isAnswering(request.contact.id))
            actionButton(
                "Decline", .close, class: "grow",
                .declineButtonTapped(request.contact.id, request.role)
            )
            .attributes(.label("Decline \(name) as your \(role)"))
            .disabled(state.isAnswering(request.contact.id))
        }
    }
    .key("request-\(request.id)")
}

/// Nothing while somebody has accepted, or nothing is known yet.
private func protectionCard(_ state: HomeCardsFeature.State) -> HTML<HomeCardsFeature.Action> {
    switch state.protection {
    case .accepted, nil: .empty
    case .nobody:
        section(.class("card critical"), .labelled(by: "protection-title")) {
            h2(.id("protection-title")) { "Nobody is watching over you. Add someone." }
            p { "If you miss a check-in or raise an alert, no one will be alerted." }
            actionButton("Add someone", .scan, class: "primary wide", .addResponderButtonTapped)
        }
        .key("protection")
    case .asked:
        section(.class("card warning"), .labelled(by: "protection-title")) {
            h2(.id("protection-title")) { "No one has accepted yet" }
            p {
                """
                You asked \(listed(state.askedNames)). Until someone accepts, they are alerted \
                by push only: no text messages, no calls.
                """
            }
            actionButton("Add someone else", .scan, class: "wide", .addResponderButtonTapped)
        }
        .key("protection")
    }
}

/// Nothing while somebody is proven to be reached, or nothing is known yet.
private func audienceCard(_ state: HomeCardsFeature.State) -> HTML<HomeCardsFeature.Action> {
    switch state.audience {
    case .proven, nil: .empty
    case .unproven(let names):
        section(.class("card"), .labelled(by: "audience-title")) {
            h2(.id("audience-title")) { "Would anyone hear you?" }
            p {
                """
                No message to \(listed(names, last: "or")) was confirmed in the last 30 days. Ask \
                them to turn on notifications in LifeSignal’s settings.
                """
            }
        }
        .key("audience")
    case .unreachable(let names):
        section(.class("card warning"), .labelled(by: "audience-title")) {
            h2(.id("audience-title")) { "Your responders may not hear you" }
            p {
                """
                \(listed(names)) can’t be reached while LifeSignal is closed. Ask them to turn on \
                notifications in its settings.
                """
            }
        }
        .key("audience")
    }
}

/// "Ben", "Ben and Cleo", "Ben, Cleo and 3 others".
func listed(_ names: [String], last: String = "and") -> String {
    switch names.count {
    case 0: "no one"
    case 1: names[0]
    case 2: "\(names[0]) \(last) \(names[1])"
    case 3: "\(names[0]), \(names[1]) \(last) \(names[2])"
    default: "\(names[0]), \(names[1]) \(last) \(names.count - 2) others"
    }
}
