import Domain
import Foundation
import SeededGenerator
import Testing

@testable import Persistence
@testable import SafetyNetwork

/// Simulates random histories of a few people. The deadline monitor is sometimes down.
@Suite struct RandomHistoryTests {
    @Test(arguments: 0..<12)
    func thePromisesHold(seed: Int) async throws {
        var life = try await RandomLife(seed: seed)
        for _ in 0..<120 {
            try await life.step()
            try await life.checkAlerts()
        }
        try await life.checkLogs()
        #expect(life.commands > 60)
        #expect(
            try await life.server.engine.read { try $0.count("SELECT COUNT(*) FROM alerts", []) }
                > 0)
        #expect(life.server.watched.all.failures == [])
    }
}

private struct RandomLife {
    let server: TestServer
    private(set) var commands = 0
    private var people: [Person] = []
    private var random: SeededGenerator
    private var known: Set<AlertID> = []

    init(seed: Int) async throws {
        random = SeededGenerator(seed: seed)
        server = try TestServer(TestEnvironment(seed: seed))
        for name in ["Ada", "Ben", "Cleo", "Dora"] { people.append(try await server.armed(name)) }
    }

    mutating func step() async throws {
        let (one, other) = (
            people.randomElement(using: &random) ?? people[0],
            people.randomElement(using: &random) ?? people[0]
        )
        let number = Int.random(in: 0..<14, using: &random)
        let roles = try ContactRoles(isResponder: Bool.random(using: &random), isDependent: true)
        let interval = Int.random(in: 3600...172_800, using: &random)
        let delay = Duration.minutes(.random(in: 0...600, using: &random))
        let refused = await refusal {
            switch number {
            case 0...2:
                try await server.checkIn(
                    one, at: number == 0 ? server.clock.now.adding(.zero - delay) : nil)
            case 3: try await server.raiseAlert(one)
            case 4:
                if let alert = try await server.openAlert(one) {
                    _ = try await server.endAlert(alert, one)
                }
            case 5:
                if let alert = try await server.openAlert(one) {
                    _ = try await server.acknowledge(alert, one)
                }
            case 6, 7:
                let code = try #require(
                    QRCodeID(try await server.network.qrCodes.qrCode(of: other.caller).id))
                _ = try await server.network.contacts.addContact(
                    code: code, roles: roles, to: one.caller)
            case 8: try await server.network.contacts.removeContact(other.id, by: one.caller)
            case 9:
                _ = try await server.network.contacts.changeRoles(
                    of: other.id, to: roles.mirrored, by: one.caller)
            case 10: _ = try await server.ping(other, by: one)
            case 11: _ = try await server.network.pings.respondToAll(by: one.caller)
            case 12: _ = try await server.setInterval(.seconds(interval), of: one)
            default: _ = try await server.network.qrCodes.renewQRCode(of: one.caller)
            }
        }
        if refused == nil { commands += 1 }
        server.clock.pass(.minutes(.random(in: 0...180, using: &random)))
        if Int.random(in: 0..<4, using: &random) > 0 {
            try await server.deadlineMonitor.handleDueDeadlines()
            try await checkThatNothingIsSilent()
        }
    }

    /// Checks that everyone who missed a deadline has an open alert, and that nothing due is left.
    private func checkThatNothingIsSilent() async throws {
        let now = server.clock.now
        for person in people
        where try await server.profile(person).nextCheckInTime.map({ $0 <= now }) == true {
            let missed = try await server.engine.read {
                try $0.openAlert(.missedCheckIn, of: person.id)
            }
            #expect(missed != nil, "\(person.name) is missed and nobody was told")
        }
        let due = try await server.engine.read { try $0.nextDue() }
        #expect(due.map { $0 > now } ?? true)
    }

    mutating func checkAlerts() async throws {
        let rows = try await server.engine.read { connection in
            try connection.query("SELECT \(AlertRow.columns) FROM alerts", []) { try AlertRow($0) }
        }
        let open = Dictionary(grouping: rows.filter { $0.isOpen }) { "\($0.userID) \($0.kind)" }
        #expect(open.values.allSatisfy { $0.count == 1 }, "two open alerts of a kind")
        for alert in rows where alert.kind == .missedCheckIn {
            // Another missed deadline restarts the alert and becomes its deadline.
            let counted = alert.escalationFrom
            #expect(alert.deadlineAt.map { $0 <= counted } == true, "an alert before its deadline")
        }
        for alert in rows where alert.isOpen {
            let due = try await server.engine.read {
                try $0.count(
                    """
                    SELECT COUNT(*) FROM alerts WHERE user_id = $1 AND id = $2 AND next_due_at > 0
                    """,
                    [.id(alert.userID), .id(alert.id)])
            }
            #expect(due == 1, "an open alert without a next repeat")
        }
        // Each step runs one command, so today's responders were responders when the alert opened.
        for alert in rows where known.insert(alert.id).inserted {
            let (watching, told) = try await server.engine.read {
                (Set(try $0.responderIDs(of: alert.userID)), try $0.notifiedUsers(of: alert))
            }
            #expect(watching.isSubset(of: told), "a responder was not told")
        }
    }

    func checkLogs() async throws {
        for person in people {
            let page = try await server.network.events.events(
                of: person.id, after: 0, limit: 10_000)
            let events = page.events
            #expect(
                zip(events, events.dropFirst()).allSatisfy { $0.sequence + 1 == $1.sequence },
                "a gap in the log")
            #expect(
                events
                    == server.published.events.filter { $0.userID == person.id }.suffix(
                        events.count),
                "told is not what is stored")
        }
    }
}
