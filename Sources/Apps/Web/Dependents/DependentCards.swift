import Domain
import Features
import LivePages

/// Somebody who needs help: the whole card says so, and the first thing on it is what to do.
func troubledCard(
    _ contact: ContactData, _ ping: PingFeature.State, helper: String? = nil
) -> HTML<DependentsFeature.Action> {
    let name = ProfileRules.displayName(contact.name)
    return li(.class("card critical")) {
        contactHead(contact, select: .selectContact(contact)) {
            statusPill(contact.watch?.status.words ?? "", .critical)
        }
        p {
            if contact.watch?.status == .alertActive {
                "\(contact.troubleWords). "
            } else if let deadline = contact.watch?.nextCheckInTime {
                "\(name) has not checked in: "
                moment(deadline, .countdown)
                ". "
            }
            lastSeen(contact)
        }
        if let helper {
            p(.class("banner fine")) {
                icon(.check)
                strong { helper }
            }
        }
        div(.class("row")) {
            actionButton("See the alert", .alert, class: "primary", .alertTapped(contact))
                .attributes(.label("See \(name)’s alert"))
            if let number = contact.phoneNumber { callLink(number, name) }
        }
        pingLine(contact, ping)
    }
}

func dependentCard(_ contact: ContactData, _ ping: PingFeature.State) -> HTML<
    DependentsFeature.Action
> {
    if let request = contact.request(.dependent) { return requestCard(contact, request) }
    return li(.class("card")) {
        contactHead(contact, select: .selectContact(contact)) {
            statusPill(contact.watch?.status.words ?? "Fine", .normal)
        }
        dl(.class("facts")) {
            fact("Time left") {
                if let deadline = contact.watch?.nextCheckInTime {
                    moment(deadline, .countdown)
                } else {
                    "Has not begun yet"
                }
            }
            fact("Last check-in") {
                if let last = contact.watch?.lastCheckInTime {
                    moment(last, .relative)
                } else {
                    "None yet"
                }
            }
        }
        pingLine(contact, ping)
    }
}

private func requestCard(
    _ contact: ContactData, _ request: RoleRequest
) -> HTML<DependentsFeature.Action> {
    li(.class("card")) {
        contactHead(contact, select: .selectContact(contact)) {
            requestPill(request)
            p(.class("quiet")) { contact.dependentRequestWords ?? "" }
        }
    }
}

private func lastSeen(_ contact: ContactData) -> HTML<DependentsFeature.Action> {
    group {
        if let last = contact.watch?.lastCheckInTime {
            "Last check-in "
            moment(last, .relative)
            "."
        } else {
            "There has been no check-in yet."
        }
    }
}

/// Tells whether an answer is pending, with its button.
private func pingLine(_ contact: ContactData, _ ping: PingFeature.State) -> HTML<
    DependentsFeature.Action
> {
    let name = ProfileRules.displayName(contact.name)
    return div(.class("row ping-line")) {
        if ping.isWaitingToBeSent(contact.id) {
            p(.class("grow")) { "Your ping is waiting to be sent." }
        } else if let pinged = contact.pingedAt {
            p(.class("grow")) {
                "Pinged "
                moment(pinged, .relative)
                ". No answer yet."
            }
            actionButton("Clear ping", .close, .ping(.clearPing(contact.id))).attributes(
                .label("Clear ping to \(name)")
            )
            .disabled(ping.isInFlight(.clear(contact.id)))
        } else {
            actionButton("Ping", .bell, .ping(.pingDependent(contact.id))).attributes(
                .label("Ping \(name)")
            )
            .disabled(ping.isInFlight(.ping(contact.id)))
            p(.class("quiet grow hint")) { "Asks whether \(name) is fine." }
        }
    }
}

/// Calls by the device's own telephone.
func callLink<Action>(_ number: PhoneNumber, _ name: String, class names: String = "") -> HTML<
    Action
> {
    a(
        .class("button", names), .href(.telephone(number.text)),
        .label("Call \(name), \(number.text)")
    ) {
        icon(.phone)
        "Call"
    }
}
