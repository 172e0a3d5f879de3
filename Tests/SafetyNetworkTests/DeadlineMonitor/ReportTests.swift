import Domain
import Foundation
import TestDatabase
import Testing

@testable import SafetyNetwork

/// What the deadline monitor reports of its work.
@Suite struct ReportTests {
    /// At the third alarm, the server also tells Ada. Her message can't be stored, so the repeat to
    /// Ben is rolled back.
    @Test func rolledBackRepeatIsNotCounted() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.raiseAlert(ada)
        try await server.pass(.minutes(5))
        let before = server.watched.all
        let id = TestDatabase.literal(ada.id.uuid)
        try await TestDatabase.refuse(
            "INSERT", of: "deliveries", when: "NEW.user_id = \(id)", in: server.engine)
        try await server.pass(.minutes(10))
        #expect(server.watched.all.failures.map(\.kind) == [.alert])
        #expect(server.watched.all.repeatedAlerts == before.repeatedAlerts)
        #expect(server.watched.all.handled == before.handled)

        try await TestDatabase.allowAgain(in: "deliveries", in: server.engine)
        try await server.pass(.minutes(1))
        #expect(server.watched.all.repeatedAlerts == before.repeatedAlerts + 1)
        #expect(server.watched.all.handled == before.handled + 1)
    }

    @Test func questionToResponderIsWork() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.acknowledge(try await server.raiseAlert(ada), ben)
        let before = server.watched.all
        try await server.pass(.minutes(30))
        #expect(server.watched.all.repeatedAlerts == before.repeatedAlerts)
        #expect(server.watched.all.handled == before.handled + 1)
    }

    @Test func missedReturnIsCounted() async throws {
        let scene = try await JourneyScene(TestServer(hasBystanders: false))
        try await scene.start()
        let before = scene.server.watched.all
        try await scene.becomeOverdue()
        let after = scene.server.watched.all
        #expect(after.missed == before.missed + 1)
        #expect(after.delays.count == before.delays.count + 1)
    }

    /// The watchdog and the check of readiness depend on it.
    @Test func passIsNotedEvenIfNothingIsDue() async throws {
        let server = try TestServer(hasBystanders: false)
        #expect(server.deadlineMonitor.timeSinceLastPass == nil)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(server.watched.all.handled == 0)
        #expect(server.deadlineMonitor.timeSinceLastPass != nil)
    }

    @Test func passIsIdleOnlyIfAllRowsAreLocked() {
        var report = DeadlineMonitor.Report()
        #expect(!report.isIdle)
        report.skipped = 1
        #expect(report.isIdle)
        var working = report
        working.handled = 1
        #expect(!working.isIdle)
        var failing = report
        failing.failures = [DeadlineMonitor.Failure(kind: .ping, reason: "broken")]
        #expect(!failing.isIdle)
    }
}
