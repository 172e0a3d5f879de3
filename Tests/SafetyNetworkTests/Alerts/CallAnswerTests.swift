import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct CallAnswerTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person
    private let alert: AlertRecord
    private let row: DeliveryID

    /// Ada raises an alert, and Ben is called.
    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        alert = try await server.raiseAlert(ada)
        row = server.environment.id()
        try await call(row)
    }

    private func call(_ row: DeliveryID, state: DeliveryState = .accepted) async throws {
        let (ada, ben, alert) = (ada, ben, try alert.typedID)
        try await server.engine.write(about: .none) { transaction in
            let recipient = Recipient(try #require(try transaction.user(ben.id)))
            let item = NotificationItem(
                id: NotificationID(row.uuid), type: .alert, title: "T", body: "B",
                createdAt: transaction.now, alertID: alert)
            try transaction.insert(item, of: ben.id)
            try transaction.insert(
                NewDelivery(
                    id: row, recipient: recipient, item: item, channel: .voice,
                    pushEndpointID: nil, alertOwner: ada.id, purpose: .alertBegin))
            let states: [SQLValue] = [.text(state.rawValue), .id(ben.id), .id(row)]
            try transaction.execute(
                """
                UPDATE deliveries SET state = $1, attempts = 1 WHERE user_id = $2 AND id = $3
                """, states)
        }
    }

    private func token(_ person: Person? = nil, attempt: Int = 1) throws -> String {
        let key = try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))
        return CallToken(
            person: (person ?? ben).id.uuid, delivery: row.uuid, attempt: attempt,
            expiresAt: server.clock.now.adding(.hours(1))
        ).text(key: key)
    }

    private func outcome(_ id: DeliveryID? = nil) async throws -> (state: String, reason: String?) {
        let (row, ben) = (id ?? row, ben)
        return try #require(
            try await server.engine.read {
                try $0.first(
                    "SELECT state, reason FROM deliveries WHERE user_id = $1 AND id = $2",
                    [.id(ben.id), .id(row)]
                ) { (try $0["state"] as String, try $0["reason"] as String?) }
            })
    }

    @Test func callSaysWhoAndSinceWhen() async throws {
        server.clock.pass(.minutes(3))
        #expect(
            try await server.network.calls.call(token())
                == .needsHelp(name: "Ada", .manual, since: .minutes(3)))
    }

    @Test func callAboutAnAlertThatBeganLateGivesTheDeadline() async throws {
        let (ada, deadline) = (ada, server.clock.now.adding(.hours(-3)))
        try await server.engine.write(about: Subjects([ada.id])) { transaction in
            let values: [SQLValue] = [
                .text(AlertKind.missedCheckIn.rawValue), .date(deadline), .bool(true), .id(ada.id),
            ]
            try transaction.execute(
                """
                UPDATE alerts SET kind = $1, deadline_at = $2, told_late = $3 WHERE user_id = $4
                """, values)
        }
        #expect(
            try await server.network.calls.call(token())
                == .needsHelp(
                    name: "Ada", .missedCheckIn, since: .zero, deadline: .hours(3), toldLate: true))
    }

    @Test func keyOneAcknowledges() async throws {
        for _ in 0..<2 {
            #expect(try await server.network.calls.takeOn(byCall: token()) == .isYours(name: "Ada"))
        }
        let record = try await server.alert(alert, seenBy: ada)
        #expect(record.acknowledgement?.name == "Ben")
        #expect(record.history.map(\.kind) == [.acknowledged])
        #expect(record.history.map(\.means) == ["by a call"])
        #expect(try await outcome().state == "acknowledged")
        #expect(try await server.news(of: ada).filter { $0 == "Ben is on it" }.count == 1)
    }

    @Test func aReportAfterAKeyChangesNothing() async throws {
        _ = try await server.network.calls.takeOn(byCall: token())
        let isNew = try await server.network.calls.enterUnansweredCall(.noKeyPressed, token())
        #expect(!isNew)
        #expect(try await outcome().state == "acknowledged")
    }

    @Test func withoutAKeyTheCallHasFailed() async throws {
        for isFirst in [true, false] {
            let isNew = try await server.network.calls.enterUnansweredCall(.noKeyPressed, token())
            #expect(isNew == isFirst)
        }
        let outcome = try await outcome()
        #expect(outcome.state == "failed" && outcome.reason == "no-key-pressed")
        // This report is about an earlier attempt, so the result stays.
        try await server.network.calls.enterUnansweredCall(.lineBusy, token(attempt: 7))
        #expect(try await self.outcome().reason == "no-key-pressed")
    }

    @Test func keyTwoDeclinesAndEndsTheOtherCalls() async throws {
        let other: DeliveryID = server.environment.id()
        try await call(other, state: .queued)
        for _ in 0..<2 {
            #expect(
                try await server.network.calls.decline(byCall: token()) == .isDeclined(.others))
        }
        try await server.network.calls.enterUnansweredCall(.noKeyPressed, token())
        let (declined, waiting) = (try await outcome(), try await outcome(other))
        #expect(declined.state == "seen" && declined.reason == "declined")
        #expect(waiting.state == "superseded" && waiting.reason == "declined")
        let record = try await server.alert(alert, seenBy: ada)
        #expect(record.acknowledgement == nil && record.history.map(\.kind) == [.declined])
    }

    @Test func callStatesWhatOthersDid() async throws {
        _ = try await server.acknowledge(alert, cleo)
        #expect(try await server.network.calls.call(token()) == .isTaken(name: "Ada"))
        #expect(try await server.network.calls.takeOn(byCall: token()) == .isTaken(name: "Ada"))
        // Cleo acknowledged first, so key 1 has no effect.
        #expect(try await outcome() == ("seen", nil))
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.network.calls.call(token()) == .isOver)
        #expect(try await server.network.calls.takeOn(byCall: token()) == .isOver)
    }

    @Test func callAboutAnEndedAlertNamesAnOpenOne() async throws {
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.network.calls.call(token()) == .isOver)
        server.clock.pass(.seconds(1))
        _ = try await server.raiseAlert(ada)
        let calls = server.network.calls
        #expect(try await calls.takeOn(byCall: token()) == .otherAlert(name: "Ada", .manual))
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
    }

    @Test func lastRefusalByCallLeavesNoOne() async throws {
        _ = try await server.network.responding.declineAlert(try alert.typedID, by: cleo.caller)
        #expect(
            try await server.network.calls.decline(byCall: token()) == .isDeclined(.noOneIsLeft))
    }

    /// The server asks others only during an alert without an acknowledgement and a report.
    @Test func refusalByCallNamesNoOthersInVain() async throws {
        _ = try await server.network.responding.report(
            .withThem, on: try alert.typedID, by: cleo.caller)
        #expect(try await server.network.calls.decline(byCall: token()) == .isDeclined(.noOneNow))
        _ = try await server.acknowledge(alert, cleo)
        #expect(try await server.network.calls.decline(byCall: token()) == .isTaken(name: "Ada"))
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.network.calls.decline(byCall: token()) == .isOver)
    }

    /// Ben may change his answer twenty times. The twentieth is a refusal that counts.
    @Test(arguments: [true, false])
    func refusalBeyondTheLimitDoesNotCount(isOnIt: Bool) async throws {
        let (responding, id) = (server.network.responding, try alert.typedID)
        for number in 1...ActRules.limit {
            _ = try await server.acknowledge(alert, ben)
            server.clock.pass(.seconds(1))
            if number < ActRules.limit {
                _ = try await responding.withdrawAcknowledgement(of: id, by: ben.caller)
            } else {
                #expect(
                    try await server.network.calls.decline(byCall: token())
                        == .isDeclined(.others))
            }
            server.clock.pass(.seconds(1))
        }
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.seconds(1))
        if isOnIt {
            #expect(
                try await server.network.calls.decline(byCall: token()) == .isYours(name: "Ada"))
            return
        }
        // The question whether Ben is still on it lapses.
        try await server.pass(.minutes(30))
        try await server.pass(.minutes(5))
        #expect(try await server.network.calls.decline(byCall: token()) == .isNotCounted)
    }

    private func proofs() async throws -> [String] {
        let ben = ben
        return try await server.engine.read {
            try $0.query("SELECT channel FROM proofs WHERE user_id = $1", [.id(ben.id)]) {
                try $0["channel"] as String
            }
        }
    }

    @Test(arguments: ["takes on", "comes late", "declines"])
    func onlyAKeyProvesThatCallsArrive(answer: String) async throws {
        // This report is about another attempt.
        try await server.network.calls.enterUnansweredCall(.noKeyPressed, token(attempt: 7))
        #expect(try await proofs().isEmpty)
        if answer == "comes late" { _ = try await server.acknowledge(alert, cleo) }
        if answer == "declines" {
            try await server.network.calls.decline(byCall: token())
        } else {
            _ = try await server.network.calls.takeOn(byCall: token())
        }
        #expect(try await proofs() == ["voice"])
    }

    @Test func tokenIsValidForItsCallOnly() async throws {
        let (mine, other) = (try token(), try token(cleo))
        #expect(try await server.network.calls.call(other) == .isOver)
        #expect(try await server.network.calls.takeOn(byCall: other) == .isOver)
        #expect(
            await refusal { try await server.network.calls.call(mine + "x") }?.isPermissionDenied
                == true)
        server.clock.pass(.hours(1))
        #expect(
            await refusal { try await server.network.calls.call(mine) }?.isPermissionDenied == true)
        #expect(
            await refusal { try await server.network.calls.takeOn(byCall: mine) }?
                .isPermissionDenied
                == true)
    }

    /// A former responder hears the same during the alert and after it.
    @Test(arguments: [true, false])
    func formerResponderLearnsNothingFromTheCall(isOn: Bool) async throws {
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        if !isOn { _ = try await server.endAlert(alert, ada) }
        let calls = server.network.calls
        #expect(try await calls.call(token()) == .noLongerAsked)
        #expect(try await calls.takeOn(byCall: token()) == .noLongerAsked)
        #expect(try await calls.decline(byCall: token()) == .noLongerAsked)
        let history = try await server.alert(alert, seenBy: ada).history
        #expect(history.allSatisfy { ![.acknowledged, .declined].contains($0.kind) })
    }
}
