import Domain
import Features
import LivePages

extension HomeCardsFeature {
    /// - Parameter mayDrill: true if the user may start a drill now.
    static func view(_ state: State, mayDrill: Bool) -> HTML<Action> {
        group {
            errorNotice(state.error, dismiss: .dismissError)
            announcement(.polite, .class("notice")) {
                for contact in state.pings { pingCard(contact, state) }
                protectionCard(state)
                audienceCard(state, mayDrill: mayDrill)
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
    let role =
        request.role == .dependent
        ? ": you watch over \(name)" : " \(name) as your responder"
    return section(.class("card warning"), .label("Request from \(name)")) {
        p {
            strong { request.title }
        }
        p { request.effect }
        div(.class("row")) {
            actionButton(
                "Accept", .check, class: "primary grow",
                .acceptButtonTapped(request.contact.id, request.role)
            )
            .attributes(.label("Accept\(role)"))
            .disabled(state.isAnswering(request.contact.id))
            actionButton(
                "Decline", .close, class: "grow",
                .declineButtonTapped(request.contact.id, request.role)
            )
            .attributes(.label("Decline\(role)"))
            .disabled(state.isAnswering(request.contact.id))
        }
    }
    .key("request-\(request.id)")
}

/// The card about missing protection. Empty until the state is known, and after a responder has
/// accepted.
private func protectionCard(_ state: HomeCardsFeature.State) -> HTML<HomeCardsFeature.Action> {
    guard let card = state.protectionCard else { return .empty }
    return section(.class("card", card.tone.className), .labelled(by: "protection-title")) {
        h2(.id("protection-title")) { card.title }
        p { card.text }
        if card.tone == .critical {
            actionButton("Add someone", .scan, class: "primary wide", .addResponderButtonTapped)
        } else {
            actionButton("Add someone else", .scan, class: "wide", .addResponderButtonTapped)
        }
    }
    .key("protection")
}

/// The card about responders who may not be reached. Empty until the state is known, and after a
/// confirmed delivery to a responder.
private func audienceCard(
    _ state: HomeCardsFeature.State, mayDrill: Bool
) -> HTML<HomeCardsFeature.Action> {
    guard let card = state.audienceCard(mayDrill: mayDrill) else { return .empty }
    return section(.class("card", card.tone.className), .labelled(by: "audience-title")) {
        h2(.id("audience-title")) { card.title }
        p { card.text }
    }
    .key("audience")
}
