import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// Measures the disk space of an account that acts as often as its limits allow (product.md,
/// "Storms"). Only on SQLite, where a test can count the pages.
@Suite(.timeLimit(.minutes(5)), .enabled(if: !TestDatabase.isPostgreSQL)) struct DiskUseTests {
    private static let bytesPerDay = 20_000_000
    private static let responders = 21
    private static let alertsKept = StormRules.alertsKept(responders: responders)
    /// The actions to measure after the bounds are reached.
    private static let measured = 96

    private let server: TestServer
    private let ada: Person
    private let responders: [Person]

    init() async throws {
        server = try TestServer(
            hasBystanders: false,
            options: {
                $0.isSMSAvailable = true
                $0.isVoiceAvailable = true
            })
        ada = try await server.person("Ada")
        let hook = try #require(URL(string: "https://hooks.example"))
        var people: [Person] = []
        for number in 0..<Self.responders {
            let person = try await server.person("Responder \(number)")
            try await server.connect(person, watchesOver: ada)
            _ = try await server.network.endpoints.savePushEndpoint(
                server.environment.id(), kind: .webhook, url: hook, of: person.caller)
            people.append(person)
        }
        responders = people
    }

    /// Returns each table's rows and the bytes of all used pages.
    private func size() async throws -> (rows: [String: Int], bytes: Int) {
        try await server.engine.read { connection in
            let tables: [String] = try connection.values(
                "SELECT name FROM sqlite_master WHERE type = 'table'", [])
            let rows = try tables.map {
                ($0, try connection.count("SELECT COUNT(*) FROM \($0)", []))
            }
            let pages = try connection.count(
                """
                SELECT (SELECT page_count FROM pragma_page_count)
                    - (SELECT freelist_count FROM pragma_freelist_count)
                """, [])
            let size = try connection.count("SELECT page_size FROM pragma_page_size", [])
            return (Dictionary(uniqueKeysWithValues: rows), pages * size)
        }
    }

    private func settle() async throws {
        _ = try await server.engine.write(about: .none) {
            try $0.execute(
                """
                UPDATE deliveries SET state = 'accepted', next_try_at = NULL, attempts = 1
                WHERE next_try_at IS NOT NULL
                """, [])
        }
    }

    /// Fills each person's event log up to its limit with typical events.
    private func fillLogs() async throws {
        let now = server.clock.now
        for person in responders + [ada] {
            let item = NotificationItem(
                id: NotificationID(server.environment.makeID()), type: .alert,
                title: "Ada needs help",
                body: "Ada raised an alert at 12:00 UTC. Emergency number where Ada's phone is "
                    + "registered: 911.",
                createdAt: now, readAt: nil, aboutUserID: ada.id, alertID: nil, pingID: nil)
            try await server.engine.write(about: .none) { transaction in
                for _ in 0..<EventRules.limit {
                    try transaction.append(.notification(item), to: person.id)
                }
            }
        }
    }

    private func repeated(_ count: Int, _ act: () async throws -> Void) async throws {
        for _ in 0..<count {
            try await act()
            try await settle()
            server.clock.pass(.milliseconds(200))
        }
    }

    /// Repeats an action. Checks that the number of rows stops growing, and that a day's rows fit
    /// the allowed space.
    /// - Parameters:
    ///   - count: the repetitions that reach the bounds.
    ///   - kept: the rows that each further action leaves for good.
    ///   - perDay: the most repetitions in a day.
    private func expectBound(
        after count: Int, keeping kept: Int = 0, perDay: Int = 0, _ act: () async throws -> Void
    ) async throws {
        let before = try await size()
        try await fillLogs()
        try await repeated(count, act)
        let full = try await size()
        try await repeated(Self.measured, act)
        let later = try await size()
        let growth = later.rows.merging(full.rows, uniquingKeysWith: -).filter { $0.value > 0 }
        // Old events are deleted only at every sixteenth event.
        let slack = 16 * (Self.responders + 1)
        #expect(growth.values.reduce(0, +) <= Self.measured * kept + slack, "\(growth)")
        let perAct = max(0, later.bytes - full.bytes) / Self.measured
        let day = full.bytes - before.bytes + (perDay > 0 ? perAct * perDay : 0)
        #expect(day <= Self.bytesPerDay, "\(full.bytes - before.bytes) + \(perAct) \(growth)")
    }

    @Test func raisingAndEndingInALoop() async throws {
        try await expectBound(after: 110) {
            _ = try await server.endAlert(try await server.raiseAlert(ada), ada)
        }
        // No action was refused, and the newest alerts stayed.
        let alerts = try await server.alerts(ada)
        #expect(alerts.count == Self.alertsKept)
        let ledger = try await server.alert(try #require(alerts.first), seenBy: ada).ledger
        #expect(Set(ledger.map(\.recipientId)).count == Self.responders)
    }

    @Test func alertsOfADayStayForTheYear() async throws {
        for _ in 0...Self.alertsKept {
            _ = try await server.endAlert(try await server.raiseAlert(ada), ada)
        }
        #expect(try await server.alerts(ada).count == Self.alertsKept)
        server.clock.pass(StormRules.alertsKeptWindow)
        _ = try await server.endAlert(try await server.raiseAlert(ada), ada)
        #expect(try await server.alerts(ada).count == Self.alertsKept + 1)
    }

    @Test func missingDeadlinesInALoop() async throws {
        _ = try await server.setInterval(.hours(1), of: ada)
        try await expectBound(after: 220, keeping: 1, perDay: 24 * 60 * 6) {
            server.clock.pass(.seconds(10))
            let almost = server.clock.now.adding(.zero - .hours(1) + .seconds(1))
            try await server.checkIn(ada, at: almost)
            try await server.pass(.seconds(1))
        }
    }

    @Test func checkingInEveryTenSeconds() async throws {
        try await expectBound(after: 300, keeping: 1, perDay: 24 * 60 * 6 + 24 * 60) {
            server.clock.pass(.seconds(10))
            try await server.checkIn(ada)
        }
    }

    @Test func remindersInALoop() async throws {
        _ = try await server.setInterval(.hours(1), of: ada)
        for number in 0..<10 {
            let hook = try #require(URL(string: "https://hooks.example/\(number)"))
            _ = try await server.network.endpoints.savePushEndpoint(
                server.environment.id(), kind: .webhook, url: hook, of: ada.caller)
        }
        try await expectBound(after: 300, keeping: 1, perDay: 24 * 60 * 6) {
            server.clock.pass(.seconds(10))
            try await server.checkIn(ada, at: server.clock.now.adding(.zero - .minutes(31)))
            try await server.pass(.seconds(1))
        }
    }

    @Test func pingingAndClearingInALoop() async throws {
        let ben = responders[0]
        try await expectBound(after: 140) {
            let ping = try await server.ping(ada, by: ben)
            _ = try await server.network.pings.clearPing(ping.id, by: ben.caller)
        }
        #expect(
            try await server.network.pings.pings(of: ada.caller, page: Page(limit: 200)).count
                == PingRules.kept)
    }

    @Test func pingingClearingAndDeletingInALoop() async throws {
        let ben = responders[0]
        try await expectBound(after: 140) {
            let ping = try await server.ping(ada, by: ben)
            _ = try await server.network.pings.clearPing(ping.id, by: ben.caller)
            try await server.network.notifications.deleteAllNotifications(of: ada.caller)
        }
    }

    @Test func addingAndRemovingInALoop() async throws {
        let zoe = try await server.person("Zoe")
        let code = try #require(
            QRCodeID(try await server.network.qrCodes.qrCode(of: ada.caller).id))
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        try await expectBound(after: 140) {
            _ = try await server.network.contacts.addContact(
                code: code, roles: roles, to: zoe.caller)
            try await server.network.contacts.removeContact(ada.id, by: zoe.caller)
        }
    }

    @Test func editingInALoop() async throws {
        var number = 0
        try await expectBound(after: RequestKeyRules.limit + 10) {
            number += 1
            _ = try await server.network.profiles.updateProfile(
                name: nil, emergencyNote: "Note \(number)", of: ada.caller,
                key: server.environment.makeID())
        }
    }

    @Test func raisingWhileOneIsOpen() async throws {
        _ = try await server.raiseAlert(ada)
        try await expectBound(after: RequestKeyRules.limit + 10) {
            try await server.raiseAlert(ada)
        }
    }

    @Test func addingAndRemovingEndpointsInALoop() async throws {
        let hook = try #require(URL(string: "https://hooks.example"))
        try await expectBound(after: 140) {
            let (endpoint, _) = try await server.network.endpoints.savePushEndpoint(
                server.environment.id(), kind: .webhook, url: hook, of: ada.caller)
            try await server.network.endpoints.deletePushEndpoint(endpoint.id, of: ada.caller)
        }
    }

    @Test func actingOnAnAlertAsOftenAsAllowed() async throws {
        let alert = try await server.raiseAlert(ada)
        let before = try await size()
        let ben = responders[0]
        for _ in 0..<ActRules.limit {
            _ = try await server.acknowledge(alert, ben)
            _ = try await server.network.responding.withdrawAcknowledgement(
                of: try alert.typedID, by: ben.caller)
            try await settle()
            server.clock.pass(.milliseconds(200))
        }
        let bytes = try await size().bytes - before.bytes
        #expect(bytes <= Self.bytesPerDay, "\(bytes) bytes a day")
    }

    @Test func theLogOfEventsIsBounded() async throws {
        try await fillLogs()
        for _ in 0..<40 {
            server.clock.pass(.seconds(11))
            try await server.checkIn(ada)
        }
        let events = try await server.events(of: responders[0]).count
        #expect((Int(EventRules.limit)...Int(EventRules.limit) + 16).contains(events))
    }
}
