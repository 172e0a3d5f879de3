import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Another round of calls begins after a responder has withdrawn. Responders who join later are
/// called as well.
@Suite struct CallRoundTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for person in [ben, cleo] {
            try await server.connect(person, watchesOver: ada)
            server.clock.pass(.seconds(1))
        }
        try await server.send(.sms)
    }

    private func calls(after duration: Duration) async throws -> [String] {
        try await server.pass(duration)
        return try await server.send(.voice).sorted()
    }

    private func withdraw(_ alert: AlertRecord, _ person: Person) async throws {
        _ = try await server.network.responding.withdrawAcknowledgement(
            of: try alert.typedID, by: person.caller)
    }

    /// Adds a responder who hasn't read any notification.
    private func join(_ name: String) async throws {
        let person = try await server.person(name)
        let code = try #require(
            QRCodeID(try await server.network.qrCodes.qrCode(of: ada.caller).id))
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        _ = try await server.network.contacts.addContact(
            code: code, roles: roles, to: person.caller)
    }

    @Test func withdrawalCallsTheOthers() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.seconds(10))
        try await withdraw(alert, ben)
        #expect(try await calls(after: .milliseconds(89_999)) == [])
        #expect(try await calls(after: .milliseconds(1)) == ["Cleo"])
    }

    @Test func leavingResponderCallsTheOthers() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, ben)
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        #expect(try await calls(after: .seconds(90)) == ["Cleo"])
    }

    @Test func resumedRepeatsBringCalls() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.network.responding.report(
            .emergencyServicesCalled, on: try alert.typedID, by: ben.caller)
        _ = try await server.network.responding.resumeRepeats(of: try alert.typedID, by: ben.caller)
        #expect(try await calls(after: .seconds(90)) == ["Cleo"])
    }

    @Test func lapsedAnswerDoesNotStopCalls() async throws {
        let alert = try await server.raiseAlert(ada)
        #expect(try await calls(after: .seconds(90)) == ["Ben", "Cleo"])
        _ = try await server.acknowledge(alert, ben)
        try await server.pass(.minutes(30))
        try await server.pass(.minutes(5))
        #expect(try await calls(after: .seconds(90)) == ["Ben", "Cleo"])
    }

    /// Calls had become rare. A new missed deadline calls everyone again.
    @Test func anotherMissedDeadlineCallsEveryone() async throws {
        try await server.checkIn(ada)
        try await server.pass(.hours(24))
        #expect(try await calls(after: .seconds(90)) == ["Ben", "Cleo"])
        _ = try await server.setInterval(.hours(47) + .minutes(30), of: ada, reminders: false)
        // The last repeat before the deadline.
        _ = try await calls(after: .hours(23) - .seconds(90))
        _ = try await calls(after: .seconds(90))
        _ = try await calls(after: .minutes(30) - .seconds(90))
        #expect(try await calls(after: .milliseconds(89_999)) == [])
        #expect(try await calls(after: .milliseconds(1)) == ["Ben", "Cleo"])
    }

    @Test func repeatedWithdrawalsDoNotCallAllNight() async throws {
        let alert = try await server.raiseAlert(ada)
        #expect(try await calls(after: .seconds(90)).count == 2)
        for pause in [Duration.minutes(5), .minutes(10), .minutes(15)] {
            try await server.pass(pause - .seconds(90))
            #expect(try await calls(after: .seconds(90)).count == 2)
        }
        _ = try await server.acknowledge(alert, ben)
        try await withdraw(alert, ben)
        #expect(try await calls(after: .seconds(90)) == [])
        #expect(try await server.reason(.voice, cleo) == "storm")
    }

    @Test func joinerIsCalledWithoutDelayingOthers() async throws {
        _ = try await server.raiseAlert(ada)
        server.clock.pass(.seconds(60))
        try await join("Dora")
        #expect(try await calls(after: .seconds(30)) == ["Ben", "Cleo"])
        #expect(try await calls(after: .milliseconds(59_999)) == [])
        #expect(try await calls(after: .milliseconds(1)) == ["Dora"])
    }

    /// A responder without a call about this alert is called in any round.
    @Test func lateJoinerIsCalledOnce() async throws {
        _ = try await server.raiseAlert(ada)
        for pause in [Duration.zero, .minutes(5), .minutes(10), .minutes(15)] {
            try await server.pass(pause == .zero ? pause : pause - .seconds(90))
            #expect(try await calls(after: .seconds(90)).count == 2)
        }
        try await server.pass(.minutes(10))
        try await join("Dora")
        #expect(try await calls(after: .seconds(90)) == ["Dora"])
        #expect(try await calls(after: .minutes(5)) == [])
    }

    /// The deadline monitor handles each repeat some milliseconds after its due time.
    @Test func slightlyLateRoundBringsCalls() async throws {
        let start = server.clock.now
        func round(after time: Duration, late: Int) async throws -> Int {
            let begin = start.adding(time + .milliseconds(late))
            try await server.pass(begin.since(server.clock.now))
            return try await calls(after: .seconds(90)).count
        }
        _ = try await server.raiseAlert(ada)
        #expect(try await calls(after: .seconds(90)).count == 2)
        #expect(try await round(after: .minutes(5), late: 7) == 2)
        #expect(try await round(after: .minutes(15), late: 3) == 2)
        #expect(try await round(after: .minutes(30), late: 40) == 2)
        #expect(try await round(after: .hours(1), late: 5) == 0)
        #expect(try await round(after: .hours(6), late: 90) == 0)
        #expect(try await round(after: .hours(7), late: 50) == 2)
        #expect(try await round(after: .hours(12), late: 80) == 0)
        #expect(try await round(after: .hours(13), late: 20) == 2)
    }

    @Test func joinerOfTheLastRoundCutsOffNoCalls() async throws {
        _ = try await server.raiseAlert(ada)
        for pause in [Duration.zero, .minutes(5), .minutes(10)] {
            try await server.pass(pause == .zero ? pause : pause - .seconds(90))
            #expect(try await calls(after: .seconds(90)).count == 2)
        }
        try await server.pass(.minutes(15) - .seconds(90))
        server.clock.pass(.seconds(80))
        try await join("Dora")
        // Dora has had no call yet, so she precedes Cleo.
        #expect(try await calls(after: .seconds(10)) == ["Ben", "Dora"])
        #expect(try await calls(after: .seconds(45)) == ["Cleo"])
    }

    @Test func serverWithoutVoiceLeavesCallsToOthers() async throws {
        _ = try await server.raiseAlert(ada)
        var options = server.network.options
        options.isVoiceAvailable = false
        let other = DeadlineMonitor(try server.makeNetwork(options))
        server.clock.pass(.seconds(90))
        let next = try await other.handleDueDeadlines()
        #expect(next == server.clock.now.adding(.minutes(5) - .seconds(90)))
        #expect(try await server.reason(.voice, ben) == "waiting-for-turn")
        #expect(try await calls(after: .zero) == ["Ben", "Cleo"])
    }

    @Test func programWithoutLaddersEndsACallToo() async throws {
        let alert = try await server.raiseAlert(ada)
        try await server.pass(.seconds(90))
        let call = try await server.delivery(.voice, ben)
        #expect(try await !isWithdrawn(call))
        try await server.engine.write(about: Subjects([ada.id])) { [ada] in
            _ = try $0.execute(
                "UPDATE alerts SET ended_at = $1 WHERE user_id = $2 AND id = $3",
                [.date($0.now), .id(ada.id), .id(try alert.typedID)])
        }
        #expect(try await isWithdrawn(call))
    }

    private func isWithdrawn(_ call: DeliveryID) async throws -> Bool {
        try await server.engine.read { [ben] in try $0.isWithdrawnCall(call, of: ben.id) }
    }
}
