import Domain
import Foundation
import SafetyNetwork

/// The calls of each mistake, by topic. A list is empty if the mistake is impossible now.
extension Simulator {
    func attempts(_ mistake: Step.Mistake, _ setting: Setting) -> [Attempt] {
        if let calls = aboutAlerts(mistake, setting) { return calls }
        if let calls = aboutPings(mistake, setting) { return calls }
        if let calls = aboutContacts(mistake, setting) { return calls }
        if let calls = aboutInvitations(mistake, setting) { return calls }
        if let calls = aboutSchedules(mistake, setting) { return calls }
        if let calls = aboutJourneys(mistake, setting) { return calls }
        if let calls = aboutSources(mistake, setting) { return calls }
        if let calls = aboutAccounts(mistake, setting) { return calls }
        if let calls = aboutEndpoints(mistake, setting) { return calls }
        return aboutDrills(mistake, setting) ?? []
    }

    /// An id that nothing has.
    func newID<Tag>() -> ID<Tag> { ID(world.makeID()) }

    /// Returns an id that nothing has, and the id of another's thing if there is one.
    func strangeIDs<Tag>(_ other: ID<Tag>?) -> [ID<Tag>] {
        var ids: [ID<Tag>] = [newID()]
        if let other { ids.append(other) }
        return ids
    }

    // MARK: Relations

    /// The edge of another person's role for me.
    private func edge(_ role: ContactRole, _ setting: Setting) -> Edge {
        role == .responder
            ? Edge(responder: setting.other, owner: setting.person)
            : Edge(responder: setting.person, owner: setting.other)
    }

    private func consent(_ role: ContactRole, _ setting: Setting) -> Truth.Consent {
        truth.consent(edge(role, setting))
    }

    func areRelated(_ setting: Setting) -> Bool {
        ContactRole.allCases.contains { consent($0, setting) != .absent }
    }

    private func areConnected(_ setting: Setting) -> Bool {
        ContactRole.allCases.contains { consent($0, setting) == .inForce }
    }

    /// Whether a person has blocked this account of another, and not only a former one.
    private func hasBlocked(_ blocker: Int, _ blocked: Int, _ account: Truth.Account) -> Bool {
        let block = truth.blocks[Truth.Block(blocker: blocker, blocked: blocked)]
        return block?.user == account.caller.userID
    }

    func hasAlarm(_ person: Int) -> Bool {
        truth.alarms.contains { $0.owner == person }
    }

    func hasResponders(_ person: Int) -> Bool {
        truth.roles.keys.contains { $0.owner == person }
    }

    // MARK: Alerts

    private func aboutAlerts(_ mistake: Step.Mistake, _ setting: Setting) -> [Attempt]? {
        switch mistake {
        case .unknownAlert: return actsOn(newID()) + [endOf(newID(), .notFound)]
        case .strangersAlert:
            guard setting.them != nil, truth.listeners[edge(.dependent, setting)] == nil,
                let id = alarm(of: setting.other)?.id
            else { return [] }
            return actsOn(id) + [endOf(id, .notFound)]
        case .dependentsAlert:
            guard setting.them != nil, truth.listeners[edge(.dependent, setting)] != nil,
                let alarm = alarm(of: setting.other), alarm.chosen == nil
            else { return [] }
            return [endOf(alarm.id, .permissionDenied)]
        case .ownAlert:
            guard let id = alarm(of: setting.person)?.id else { return [] }
            return [
                Attempt(.permissionDenied) {
                    _ = try await $0.responding.acknowledgeAlert(id, by: $1)
                },
                Attempt(.permissionDenied) {
                    _ = try await $0.responding.declineAlert(id, by: $1)
                },
                Attempt(.permissionDenied) {
                    _ = try await $0.responding.report(.foundSafe, on: id, by: $1)
                },
            ]
        case .endOfMissed:
            guard let id = truth.alarm(of: setting.person, .missedCheckIn)?.id else { return [] }
            return [endOf(id, .invalid("id", .missedCheckInAlert))]
        case .endOfJourney:
            guard let id = truth.alarm(of: setting.person, .journey)?.id else { return [] }
            return [endOf(id, .invalid("id", .journeyAlert))]
        case .unacceptedReport:
            guard consent(.dependent, setting) == .requested(by: setting.other),
                let alarm = alarm(of: setting.other), alarm.chosen == nil
            else { return [] }
            let id = alarm.id
            return [
                Attempt(.permissionDenied) {
                    _ = try await $0.responding.report(.withThem, on: id, by: $1)
                },
                Attempt(.permissionDenied) {
                    _ = try await $0.responding.resumeRepeats(of: id, by: $1)
                },
            ]
        default: return nil
        }
    }

    private func endOf(_ id: AlertID, _ refusal: Attempt.Refusal) -> Attempt {
        Attempt(refusal) { _ = try await $0.alerts.endAlert(id, by: $1) }
    }

    /// All that a responder can do. To others, the alert looks as if it did not exist.
    private func actsOn(_ id: AlertID) -> [Attempt] {
        [
            Attempt(.notFound) { _ = try await $0.responding.acknowledgeAlert(id, by: $1) },
            Attempt(.notFound) {
                _ = try await $0.responding.withdrawAcknowledgement(of: id, by: $1)
            },
            Attempt(.notFound) { _ = try await $0.responding.declineAlert(id, by: $1) },
            Attempt(.notFound) { _ = try await $0.responding.report(.foundSafe, on: id, by: $1) },
            Attempt(.notFound) { _ = try await $0.responding.resumeRepeats(of: id, by: $1) },
            Attempt(.notFound) { _ = try await $0.alerts.alert(id, visibleTo: $1) },
        ]
    }

    // MARK: Pings

    private func aboutPings(_ mistake: Step.Mistake, _ setting: Setting) -> [Attempt]? {
        switch mistake {
        case .strangersPing:
            guard let them = setting.them?.caller.userID, !areRelated(setting) else { return [] }
            return [pingOf(them, .notFound), pingOf(newID(), .notFound)]
        case .watchersPing:
            guard let them = setting.them?.caller.userID,
                consent(.responder, setting) == .inForce, consent(.dependent, setting) != .inForce
            else { return [] }
            return [pingOf(them, .permissionDenied)]
        case .unknownPing:
            let id: PingID = newID()
            return [
                Attempt(.notFound) { _ = try await $0.pings.respond(to: id, by: $1) },
                Attempt(.notFound) { _ = try await $0.pings.clearPing(id, by: $1) },
            ]
        case .wrongSide:
            return [
                Attempt(.notFound) { network, caller in
                    let pings = try await network.pings.pings(of: caller, page: Page())
                    guard let ping = pings.first(where: { $0.responderID == caller.userID })
                    else { throw Attempt.Inapplicable() }
                    _ = try await network.pings.respond(to: ping.id, by: caller)
                },
                Attempt(.notFound) { network, caller in
                    let pings = try await network.pings.pings(of: caller, page: Page())
                    guard let ping = pings.first(where: { $0.dependentID == caller.userID })
                    else { throw Attempt.Inapplicable() }
                    _ = try await network.pings.clearPing(ping.id, by: caller)
                },
            ]
        default: return nil
        }
    }

    private func pingOf(_ person: UserID, _ refusal: Attempt.Refusal) -> Attempt {
        let id: PingID = newID()
        return Attempt(refusal) { _ = try await $0.pings.ping(id, dependent: person, by: $1) }
    }

    // MARK: Contacts

    private func aboutContacts(_ mistake: Step.Mistake, _ setting: Setting) -> [Attempt]? {
        switch mistake {
        case .ownCode: return [scan(codeOf: setting.me.caller, .invalid("code", .ownCode))]
        case .unknownCode: return [scan(newID(), .notFound)]
        case .renewedCode:
            guard let code = truth.worthless.min() else { return [] }
            return [scan(code, .notFound)]
        case .contactTwice:
            guard let them = setting.them, areRelated(setting) else { return [] }
            return [scan(codeOf: them.caller, .alreadyExists)]
        case .blockedCode:
            guard let them = setting.them, !areRelated(setting),
                hasBlocked(setting.person, setting.other, them),
                truth.blocks[Truth.Block(blocker: setting.other, blocked: setting.person)] == nil
            else { return [] }
            return [scan(codeOf: them.caller, .permissionDenied)]
        case .blockersCode:
            guard let them = setting.them, !areRelated(setting),
                hasBlocked(setting.other, setting.person, setting.me)
            else { return [] }
            let id = them.caller.userID
            return [scan(codeOf: them.caller, .notFound), pingOf(id, .notFound)]
        case .unknownContact: return changes(of: newID())
        case .strangersContact:
            guard let them = setting.them, !areRelated(setting) else { return [] }
            return changes(of: them.caller.userID)
        case .wrongOrder: return wrongOrders(setting)
        case .unknownBlock: return unknownBlocks(setting)
        case .nothingToAccept, .ownRequest, .acceptedRequest, .quietRemoval, .noRole:
            guard let them = setting.them, areRelated(setting) else { return [] }
            return aboutRoles(mistake, of: them.caller.userID, setting)
        default: return nil
        }
    }

    private func scan(_ code: QRCodeID, _ refusal: Attempt.Refusal) -> Attempt {
        Attempt(refusal) { network, caller in
            let roles = try ContactRoles(isResponder: false, isDependent: true)
            _ = try await network.contacts.addContact(code: code, roles: roles, to: caller)
        }
    }

    private func scan(codeOf owner: Caller, _ refusal: Attempt.Refusal) -> Attempt {
        Attempt(refusal) { network, caller in
            let shown = try await network.qrCodes.qrCode(of: owner)
            guard let code = QRCodeID(shown.id) else { throw Attempt.Inapplicable() }
            let roles = try ContactRoles(isResponder: false, isDependent: true)
            _ = try await network.contacts.addContact(code: code, roles: roles, to: caller)
        }
    }

    private func changes(of id: UserID) -> [Attempt] {
        [
            Attempt(.notFound) { network, caller in
                let roles = try ContactRoles(isResponder: true, isDependent: true)
                _ = try await network.contacts.changeRoles(of: id, to: roles, by: caller)
            },
            Attempt(.notFound) {
                _ = try await $0.contacts.acceptRequest(.responder, from: id, by: $1)
            },
            Attempt(.notFound) {
                try await $0.contacts.endRequest(.dependent, with: id, by: $1)
            },
            Attempt(.notFound) { try await $0.contacts.removeContact(id, by: $1) },
        ]
    }

    /// - Parameter id: a contact.
    private func aboutRoles(
        _ mistake: Step.Mistake, of id: UserID, _ setting: Setting
    ) -> [Attempt] {
        switch mistake {
        case .nothingToAccept:
            let roles = ContactRole.allCases.filter { consent($0, setting) == .absent }
            return roles.map { role in
                Attempt(.notFound) {
                    _ = try await $0.contacts.acceptRequest(role, from: id, by: $1)
                }
            }
        case .ownRequest:
            let roles = ContactRole.allCases.filter {
                consent($0, setting) == .requested(by: setting.person)
            }
            return roles.map { role in
                Attempt(.permissionDenied) {
                    _ = try await $0.contacts.acceptRequest(role, from: id, by: $1)
                }
            }
        case .acceptedRequest:
            let roles = ContactRole.allCases.filter { consent($0, setting) == .inForce }
            return roles.map { role in
                Attempt(.alreadyExists) {
                    try await $0.contacts.endRequest(role, with: id, by: $1)
                }
            }
        case .quietRemoval:
            guard hasAlarm(setting.person) || consent(.dependent, setting) == .inForce else {
                return []
            }
            return [
                Attempt(.permissionDenied) {
                    try await $0.contacts.removeContact(id, quietly: true, by: $1)
                }
            ]
        case .noRole:
            return [
                Attempt(.invalid("isResponder")) { network, caller in
                    let roles = try ContactRoles(isResponder: false, isDependent: false)
                    _ = try await network.contacts.changeRoles(of: id, to: roles, by: caller)
                }
            ]
        default: return []
        }
    }

    private func wrongOrders(_ setting: Setting) -> [Attempt] {
        var orders: [[UserID]] = [[newID()]]
        let responder = truth.roles.keys.filter { $0.owner == setting.person }
            .map(\.responder).min()
        if let id = responder.flatMap({ truth.userID(of: $0) }) { orders.append([id, id]) }
        return orders.map { order in
            Attempt(.invalid("ids")) {
                try await $0.responderOrder.orderResponders(order, of: $1)
            }
        }
    }

    private func unknownBlocks(_ setting: Setting) -> [Attempt] {
        let people: [UserID] = [newID(), setting.me.caller.userID]
        var attempts = people.map { person in
            Attempt(.notFound) { _ = try await $0.blocks.block(person, by: $1) }
        }
        let block = Truth.Block(blocker: setting.person, blocked: setting.other)
        if let them = setting.them?.caller.userID, truth.blocks[block] == nil {
            attempts.append(
                Attempt(.notFound) { try await $0.blocks.unblock(them, by: $1) })
        }
        return attempts
    }

    // MARK: Invitations

    private func aboutInvitations(_ mistake: Step.Mistake, _ setting: Setting) -> [Attempt]? {
        switch mistake {
        case .ownInvitation:
            guard canInvite(setting), let number = try? phoneNumber(of: setting.person)
            else { return [] }
            return [invite("Mia", .number(number), .invalid("phoneNumber"))]
        case .contactsInvitation:
            guard canInvite(setting), setting.person != setting.other, areConnected(setting),
                truth.userID(of: setting.other) != nil,
                let number = try? phoneNumber(of: setting.other)
            else { return [] }
            return [invite("Mia", .number(number), .alreadyExists)]
        case .badInvitation: return badInvitations(setting)
        case .unknownInvitation:
            let id: InvitationID = newID()
            return [
                Attempt(.notFound) { try await $0.invitations.withdrawInvitation(id, by: $1) }
            ]
        case .acceptedInvitation:
            return [
                Attempt(.alreadyExists) { network, caller in
                    let all = try await network.invitations.invitations(of: caller)
                    guard let accepted = all.first(where: { $0.state == .accepted }) else {
                        throw Attempt.Inapplicable()
                    }
                    try await network.invitations.withdrawInvitation(accepted.id, by: caller)
                }
            ]
        default: return nil
        }
    }

    /// Names with digits can't be in a message, so their people can't invite.
    private func canInvite(_ setting: Setting) -> Bool {
        name(setting.person).allSatisfy(\.isLetter)
    }

    private func invite(
        _ name: String, _ recipient: InvitationRecipient, _ refusal: Attempt.Refusal
    ) -> Attempt {
        Attempt(refusal) { _ = try await $0.invitations.invite(name, recipient, by: $1) }
    }

    private func badInvitations(_ setting: Setting) -> [Attempt] {
        guard let number = try? Phone.number(900, of: setting.person) else { return [] }
        let names = [
            "", "  ", "Mia 24", "mia.example", "Win $$$", String(repeating: "M", count: 41),
        ]
        let numbers = ["12345", "+49 call me", "+0123456789", "++4915112345678", "+99912345678"]
        let withNames = names.map { invite($0, .number(number), .invalid("name")) }
        let withNumbers = numbers.map { text in
            Attempt(.invalid("phoneNumber")) { network, caller in
                let number = try PhoneNumber(typed: text)
                _ = try await network.invitations.invite("Mia", .number(number), by: caller)
            }
        }
        return withNames + withNumbers
    }
}
