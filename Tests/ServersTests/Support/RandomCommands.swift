import Domain
import Foundation
import Persistence
import SafetyNetwork
import SeededGenerator

/// A random command of one person to one server.
struct RandomCommand: Sendable {
    enum Kind: CaseIterable, Sendable {
        case checkIn, lateCheckIn, raise, end, take, withdraw, ping, answerAll, answerOne
        case clearPing, reconnect, part, rename, readAll, delete
        case startJourney, extendJourney, arrive

        var weight: Int {
            switch self {
            case .checkIn: 6
            case .raise, .end, .take, .startJourney: 4
            case .delete: 0
            default: 2
            }
        }
    }

    var kind: Kind
    var person: Int
    var other: Int
    var server: Int
    var id: UUID

    init(_ generator: inout SeededGenerator, people: [Int], servers: Int) {
        let kinds = Kind.allCases.flatMap { Array(repeating: $0, count: $0.weight) }
        kind = kinds.randomElement(using: &generator) ?? .checkIn
        person = people.randomElement(using: &generator) ?? 0
        other = people.filter { [person] in $0 != person }.randomElement(using: &generator) ?? 0
        server = Int.random(in: 0..<servers, using: &generator)
        id = Self.id(&generator)
    }

    init(_ generator: inout SeededGenerator, deleting person: Int, on server: Int) {
        (kind, self.person, other, self.server) = (.delete, person, person, server)
        id = Self.id(&generator)
    }

    private static func id(_ generator: inout SeededGenerator) -> UUID {
        let bytes = [generator.next(), generator.next()]
        return bytes.withUnsafeBytes { UUID(uuid: $0.load(as: uuid_t.self)) }
    }

    /// Runs the command and logs its answer. A refusal isn't a failure.
    func run(in group: ServerGroup, _ people: [ServerGroup.Person], _ answers: AnswerLog) async {
        do {
            try await perform(
                group.servers[server].network, people[person], people[other], group, answers)
        } catch is CommandError {
        } catch {
            answers.note { $0.failures.append("\(kind): \(error)") }
        }
    }

    private func perform(
        _ network: SafetyNetwork, _ me: ServerGroup.Person, _ them: ServerGroup.Person,
        _ group: ServerGroup, _ answers: AnswerLog
    ) async throws {
        switch kind {
        case .checkIn, .lateCheckIn:
            let lateness: Duration = kind == .checkIn ? .zero : .minutes(20)
            let record = try await network.checkIns.checkIn(
                CheckInID(id), occurredAt: group.clock.now().adding(.zero - lateness),
                by: me.caller)
            answers.note { $0.checkIns.append((me.id, record)) }
        case .raise:
            let record = try await network.alerts.raiseAlert(AlertID(id), by: me.caller)
            answers.note { $0.raised.append((me.id, record)) }
        case .end, .take, .withdraw:
            let open = try await network.alerts.alerts(
                visibleTo: me.caller, onlyOpen: true, page: Page(limit: 20))
            guard
                let alert = open.first(where: {
                    ($0.userId == "\(me.id)") == (kind == .end)
                        && (kind != .end || $0.kind == .manual)
                }), let alertID = AlertID(alert.id)
            else { return }
            switch kind {
            case .end:
                let ended = try await network.alerts.endAlert(alertID, by: me.caller)
                answers.note { $0.ended.append((me.id, ended)) }
            case .take: _ = try await network.responding.acknowledgeAlert(alertID, by: me.caller)
            default:
                _ = try await network.responding.withdrawAcknowledgement(of: alertID, by: me.caller)
            }
        case .ping:
            let ping = try await network.pings.ping(PingID(id), dependent: them.id, by: me.caller)
            answers.note { $0.pings.append(ping) }
        case .answerAll:
            let answered = try await network.pings.respondToAll(by: me.caller)
            answers.note { $0.answeredPings += answered }
        case .answerOne, .clearPing:
            let pings = try await network.pings.pings(of: me.caller, page: Page(limit: 50))
            guard
                let ping = pings.first(where: {
                    $0.state == .pending
                        && (kind == .answerOne ? $0.dependentID : $0.responderID) == me.id
                })
            else { return }
            if kind == .answerOne {
                let answered = try await network.pings.respond(to: ping.id, by: me.caller)
                if answered.state == .answered {
                    answers.note { $0.answeredPings.append(answered) }
                }
            } else {
                _ = try await network.pings.clearPing(ping.id, by: me.caller)
            }
        case .reconnect:
            guard
                let code = QRCodeID(try await network.qrCodes.qrCode(of: them.caller).id)
            else { return }
            _ = try await network.contacts.addContact(
                code: code, roles: try ContactRoles(isResponder: false, isDependent: true),
                to: me.caller)
        case .part: try await network.contacts.removeContact(them.id, by: me.caller)
        case .rename:
            _ = try await network.profiles.updateProfile(
                name: "P\(id.uuid.0)", emergencyNote: nil, of: me.caller)
        case .readAll: try await network.notifications.markAllRead(of: me.caller)
        case .delete:
            try await group.delete(me, on: network)
            answers.note { _ = $0.deleted.insert(me.id) }
        case .startJourney, .extendJourney, .arrive:
            try await travel(network, me, group, answers)
        }
    }

    private func travel(
        _ network: SafetyNetwork, _ me: ServerGroup.Person, _ group: ServerGroup,
        _ answers: AnswerLog
    ) async throws {
        if kind == .startJourney {
            let draft = JourneyDraft(
                id: JourneyID(id), name: "Zugspitze",
                expectedReturn: group.clock.now().adding(.minutes(6 + Int(id.uuid.0 % 40))),
                graceMinutes: Int(id.uuid.1 % 11), tellsResponders: id.uuid.2.isMultiple(of: 2))
            let profile = try await network.journeys.start(draft, of: me.caller)
            guard let journey = profile.journey else { return }
            answers.note { book in
                book.journeys[journey.id, default: .init(user: me.id)].returns.append(
                    (chosenAt: journey.startTime, expected: journey.expectedReturn))
            }
            return
        }
        guard let journey = try await network.profiles.profile(of: me.caller).journey else {
            return
        }
        let press = group.clock.now()
        if kind == .arrive {
            _ = try await network.journeys.end(journey.id, pressedAt: press, of: me.caller)
            answers.note { book in
                book.journeys[journey.id, default: .init(user: me.id)].hasArrived = true
            }
        } else {
            let expected = press.adding(.minutes(30))
            _ = try await network.journeys.extend(
                journey.id, until: expected, pressedAt: press, of: me.caller)
            answers.note { book in
                book.journeys[journey.id, default: .init(user: me.id)].returns.append(
                    (chosenAt: press, expected: expected))
            }
        }
    }
}
