import Domain
import Features
import LivePages

extension RespondersFeature {
    static func view(_ state: State) -> HTML<Action> {
        let responders = state.sortedResponders
        return main(.id("content")) {
            header(.class("bar")) {
                h1 { "Responders" }
                actionButton("Add", .scan, .showQRScanner).attributes(.label("Add a responder"))
            }
            errorNotice(state.error, dismiss: .dismissError)
            contactNotices(state.alerts, dismiss: .dismissAlerts)
            if state.pendingPingsCount > 0 { pingsToAnswer(state) }
            if !responders.isEmpty {
                section(.labelled(by: "responders-title")) {
                    h2(.id("responders-title"), .class("unseen")) { "Your responders" }
                    ul(.class("stack")) {
                        for contact in responders {
                            responderCard(contact, state.ping).key("\(contact.id)")
                        }
                    }
                    .key("cards")
                }
                callOrder(state)
                if !state.responderOrder.isEmpty {
                    DrillFeature.view(state.drill).map { .drill($0) }
                }
            } else if state.isLoading {
                loadingLine("Loading your responders …")
            } else {
                emptyState(
                    .responders, "No one will be alerted",
                    """
                    A responder is told when you miss a check-in or raise an alert. Scan a \
                    person’s code to add them.
                    """
                ) {
                    actionButton("Add a responder", .scan, class: "primary", .showQRScanner)
                }
            }
            InvitationsFeature.view(state.invitations).map { .invitations($0) }
            ContactDetailsSheetViewFeature.view(state.contactDetails).map { .contactDetails($0) }
            QRScannerFeature.view(state.qrScanner, offersInvitation: true).map { .qrScanner($0) }
            AddContactFeature.view(state.addContact).map { .addContact($0) }
        }
        .key("responders").onAppear(.onAppear).onDisappear(.onDisappear)
    }
}

/// The call order of the responders. Empty if there are fewer than two.
private func callOrder(_ state: RespondersFeature.State) -> HTML<RespondersFeature.Action> {
    let order = state.responderOrder
    guard order.count > 1 else { return .empty }
    return section(.class("card"), .labelled(by: "order-title")) {
        h2(.id("order-title")) { "Who is called first" }
        p(.class("hint")) {
            """
            If no one takes on your alert, we call your responders in this order, two at a time. \
            Some servers make no calls.
            """
        }
        announcement(.polite, .class("unseen")) { state.orderNews }.key("order-news")
        ol(.class("list")) {
            for (index, contact) in order.enumerated() {
                let name = ProfileRules.displayName(contact.name)
                li(.class("row")) {
                    strong { "\(index + 1). \(name)" }
                    actionButton("Move up", class: "plain", .moveResponder(contact.id, .up))
                        .attributes(.label("Move \(name) up"))
                        .disabled(!state.canMove(contact.id, .up))
                    actionButton("Move down", class: "plain", .moveResponder(contact.id, .down))
                        .attributes(.label("Move \(name) down"))
                        .disabled(!state.canMove(contact.id, .down))
                }
                .key("order-\(contact.id)")
            }
        }
        .key("order-list")
    }
    .key("order")
}

private func pingsToAnswer(_ state: RespondersFeature.State) -> HTML<RespondersFeature.Action> {
    let count = state.pendingPingsCount
    return section(.class("card warning"), .labelled(by: "pings-title")) {
        h2(.id("pings-title")) { state.pingsTitle ?? "" }
        if count > 1 {
            actionButton(
                "I’m fine: answer all", .check, class: "primary wide", .ping(.respondToAllPings)
            )
            .disabled(state.ping.isInFlight(.respondToAll))
        } else {
            p(.class("quiet")) { "Answer on their card below. A check-in answers too." }
        }
    }
    .key("pings")
}

private func responderCard(_ contact: ContactData, _ ping: PingFeature.State) -> HTML<
    RespondersFeature.Action
> {
    li(.class("card", contact.hasPendingPing ? "warning" : "")) {
        contactHead(contact, select: .selectContact(contact)) {
            if contact.hasPendingPing {
                statusPill("Waits for your answer", .warning)
            } else if let request = contact.request(.responder) {
                requestPill(request)
                p(.class("quiet")) { contact.responderWords }
            } else {
                p(.class("quiet")) { contact.responderWords }
                reachabilityLine(contact)
            }
        }
        if contact.hasPendingPing {
            p {
                "Are you fine?"
                if let asked = ping.pendingPing(from: contact.id) {
                    " Asked "
                    moment(asked.createdAt, .relative)
                }
            }
            actionButton("I’m fine", .check, class: "primary", .ping(.respondToPing(contact.id)))
                .attributes(.label("I’m fine: answer \(ProfileRules.displayName(contact.name))"))
                .disabled(ping.isInFlight(.respond(contact.id)) || ping.isInFlight(.respondToAll))
        }
        if contact.isResponder, let number = contact.phoneNumber {
            callLink(number, ProfileRules.displayName(contact.name))
        }
    }
}

private func reachabilityLine(_ contact: ContactData) -> HTML<RespondersFeature.Action> {
    guard let words = contact.reachability?.words else { return .empty }
    return p(.class("quiet")) { words }
}
