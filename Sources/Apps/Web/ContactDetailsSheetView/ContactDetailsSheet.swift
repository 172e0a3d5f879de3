import Domain
import Features
import LivePages

extension ContactDetailsSheetViewFeature {
    static func view(_ state: State) -> HTML<Action> {
        guard state.isSheetPresented, let contact = state.contact else { return .empty }
        return group {
            sheet(state.displayName, id: "contact", close: .closeButtonTapped) {
                errorNotice(state.error, dismiss: .dismissError)
                waitingBanner(state.waitingWords)
                requests(contact, state)
                contactCard(contact, state)
                if let note = state.emergencyNote {
                    section(.class("card"), .labelled(by: "contact-note-title")) {
                        h3(.id("contact-note-title")) { "Emergency note" }
                        p(.class("note")) { note }
                    }
                }
                pings(state)
                roles(state)
                ownRequests(state)
                actionButton("Remove contact", .close, class: "danger wide", .removeButtonTapped)
                    .disabled(state.isBusy)
                actionButton(
                    "Block \(state.displayName)", .close, class: "danger wide", .blockButtonTapped
                ).disabled(state.isBusy)
            }
            .key("contact-\(contact.id)").onAppear(.onAppear)
            confirmation(state.confirmation, id: "contact-question").map { .confirmation($0) }
        }
    }
}

private func requests(
    _ contact: ContactData, _ state: ContactDetailsSheetViewFeature.State
) -> HTML<ContactDetailsSheetViewFeature.Action> {
    guard !state.requestsToAnswer.isEmpty else { return .empty }
    return section(.class("card warning"), .labelled(by: "contact-requests-title")) {
        h3(.id("contact-requests-title")) { "\(state.displayName) asks you" }
        for role in state.requestsToAnswer {
            div(.class("stack")) {
                p { state.requestWords(role) }
                div(.class("row")) {
                    actionButton("Accept", .check, class: "primary", .acceptButtonTapped(role))
                        .disabled(state.isBusy)
                    actionButton("Decline", .close, .declineButtonTapped(role))
                        .disabled(state.isBusy)
                }
            }
            .key(role.rawValue)
        }
    }
}

private func ownRequests(
    _ state: ContactDetailsSheetViewFeature.State
) -> HTML<ContactDetailsSheetViewFeature.Action> {
    guard !state.ownRequests.isEmpty else { return .empty }
    return section(.class("card"), .labelled(by: "own-requests-title")) {
        h3(.id("own-requests-title")) { "Not accepted yet" }
        for role in state.ownRequests {
            div(.class("row")) {
                p(.class("grow")) { state.ownRequestWords(role) }
                actionButton("Take back", .withdrawButtonTapped(role))
                    .attributes(.label(state.withdrawLabel(role)))
                    .disabled(state.isBusy)
            }
            .key(role.rawValue)
        }
    }
    .key("own-requests")
}

private func contactCard(_ contact: ContactData, _ state: ContactDetailsSheetViewFeature.State)
    -> HTML<ContactDetailsSheetViewFeature.Action>
{
    section(.class("card"), .labelled(by: "contact-reach-title")) {
        h3(.id("contact-reach-title"), .class("unseen")) { "How to reach \(state.displayName)" }
        div(.class("contact-head")) {
            personPicture(state.displayName, url: contact.profilePictureURL, isLarge: true)
            div(.class("grow stack")) {
                if let watch = contact.watch { statusPill(of: watch) }
                if let number = contact.phoneNumber {
                    span { number.text }
                } else if contact.isByMail {
                    span(.class("quiet")) { "By e-mail" }
                }
            }
        }
        if let number = contact.phoneNumber, state.callURL != nil {
            callLink(number, state.displayName, class: "primary wide")
        }
        if contact.needsHelp {
            actionButton("See the alert", .alert, class: "primary wide", .alertButtonTapped)
                .attributes(.label("See \(state.displayName)’s alert"))
        }
        dl(.class("facts")) {
            if let watch = contact.watch {
                if let end = watch.pausedUntil {
                    fact("Paused until") { moment(end, .when, of: watch) }
                }
                journeyFact(watch)
                fact("Should check in by") {
                    if let deadline = watch.nextCheckInTime {
                        moment(deadline, .when, of: watch)
                    } else {
                        watch.plan == CheckInPlan.none ? ScheduleWords.noDeadlines : "None yet"
                    }
                }
                fact("Last check-in") {
                    if let last = watch.lastCheckInTime {
                        moment(last, .when, of: watch)
                    } else {
                        "None yet"
                    }
                }
                fact("Schedule") { watch.planWords }
            }
            fact("Contact since") { when(contact.dateAdded) }
        }
    }
}

private func pings(_ state: ContactDetailsSheetViewFeature.State) -> HTML<
    ContactDetailsSheetViewFeature.Action
> {
    guard state.showsPings else { return .empty }
    return section(.class("card"), .labelled(by: "contact-ping-title")) {
        h3(.id("contact-ping-title")) { "Pings" }
        if state.canRespondToPing {
            p { state.pingQuestion }
            actionButton("I’m fine", .check, class: "primary", .respondToPingButtonTapped)
        }
        if state.isPingWaitingToBeSent {
            p { "Your ping is waiting to be sent." }
            actionButton("Clear ping", .close, .clearPingButtonTapped)
        } else if let pinged = state.contact?.pingedAt {
            p {
                "\(state.pingedWords) "
                moment(pinged, .relative)
                ". No answer yet."
            }
            state.contact.map { silentPing($0) } ?? .empty
            actionButton("Clear ping", .close, .clearPingButtonTapped)
        }
        if state.canPing {
            actionButton("Ping \(state.displayName)", .bell, .pingButtonTapped)
            p(.class("hint")) { "Asks whether they are fine. They answer with one tap." }
            state.contact.map { silentPing($0) } ?? .empty
        }
    }
}

/// Switches for the roles. A switch keeps its position until the user has confirmed the change.
private func roles(_ state: ContactDetailsSheetViewFeature.State) -> HTML<
    ContactDetailsSheetViewFeature.Action
> {
    section(.class("card"), .labelled(by: "contact-roles-title")) {
        h3(.id("contact-roles-title")) { "Roles" }
        role(.responder, state, isOn: state.isResponder, .responderToggleTapped)
        role(.dependent, state, isOn: state.isDependent, .dependentToggleTapped)
    }
}

private func role(
    _ role: ContactRole, _ state: ContactDetailsSheetViewFeature.State, isOn: Bool,
    _ action: ContactDetailsSheetViewFeature.Action
) -> HTML<ContactDetailsSheetViewFeature.Action> {
    let title = ContactDetailsSheetViewFeature.State.roleTitle(role)
    let hint = "contact-\(role.rawValue)-hint"
    return div(.class("row role")) {
        div(.class("grow")) {
            strong { title }
            p(.id(hint), .class("hint")) { state.roleHint(role) }
        }
        button(
            .type("button"), .class("switch"), .role("switch"),
            .aria("checked", isOn ? "true" : "false"), .label(title), .described(by: hint)
        ) { isOn ? "On" : "Off" }
        .onTap(action).disabled(state.isBusy || !state.canChange(role))
    }
}
