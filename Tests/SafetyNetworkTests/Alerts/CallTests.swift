import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

extension TestServer {
    /// Sends the due messages of a channel and returns the recipients' names.
    @discardableResult
    func send(_ channel: DeliveryChannel) async throws -> [String] {
        let now = clock.now
        return try await engine.write(about: .none) { transaction in
            try transaction.leaseDeliveries(channels: [channel], lease: .seconds(60), limit: 1_000)
                .map { delivery in
                    try transaction.settleDelivery(
                        delivery.record, DeliveryUpdate(.accepted, at: now))
                    return try transaction.user(delivery.record.userID)?.displayName ?? ""
                }
        }
    }

    func reason(_ channel: DeliveryChannel, _ person: Person) async throws -> String? {
        try await engine.read {
            try $0.value(
                """
                SELECT reason FROM deliveries WHERE user_id = $1 AND channel = $2
                ORDER BY created_at DESC LIMIT 1
                """, [.id(person.id), .text(channel.rawValue)])
        }
    }

    func delivery(_ channel: DeliveryChannel, _ person: Person) async throws -> DeliveryID {
        let id: DeliveryID? = try await engine.read {
            try $0.value(
                """
                SELECT id FROM deliveries WHERE user_id = $1 AND channel = $2
                ORDER BY created_at DESC LIMIT 1
                """, [.id(person.id), .text(channel.rawValue)])
        }
        return try #require(id)
    }
}

/// Until a responder takes on the alert, two responders are called at a time, in the owner's order.
@Suite struct CallTests {
    private let server: TestServer
    private let ada: Person
    private let responders: [Person]

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.person("Ada")
        var responders: [Person] = []
        for name in ["Ben", "Cleo", "Dora", "Emil", "Fay"] {
            let person = try await server.person(name)
            try await server.connect(person, watchesOver: ada)
            server.clock.pass(.seconds(1))
            responders.append(person)
        }
        self.responders = responders
        try await server.send(.sms)
    }

    private func calls(after duration: Duration) async throws -> [String] {
        try await server.pass(duration)
        return try await server.send(.voice)
    }

    private func end(_ outcome: CallOutcome, of index: Int) async throws {
        let person = responders[index]
        try await server.network.climbing.endCall(
            try await server.delivery(.voice, person), to: person.id, outcome)
    }

    @Test func oldestContactsAreCalledFirstInPairs() async throws {
        _ = try await server.raiseAlert(ada)
        #expect(try await calls(after: .milliseconds(89_999)) == [])
        #expect(try await server.reason(.voice, responders[0]) == "waiting-for-turn")
        #expect(try await calls(after: .milliseconds(1)).sorted() == ["Ben", "Cleo"])
        #expect(try await calls(after: .milliseconds(44_999)) == [])
        #expect(try await calls(after: .milliseconds(1)).sorted() == ["Dora", "Emil"])
        #expect(try await calls(after: .seconds(45)) == ["Fay"])
        #expect(try await calls(after: .minutes(1)) == [])
    }

    @Test func theOwnersOrderCounts() async throws {
        try await server.network.responderOrder.orderResponders(
            [responders[4].id, responders[2].id], of: ada.caller)
        _ = try await server.raiseAlert(ada)
        #expect(try await calls(after: .seconds(90)).sorted() == ["Dora", "Fay"])
        #expect(try await calls(after: .seconds(45)).sorted() == ["Ben", "Cleo"])
    }

    @Test func orderAcceptsOnlyOwnResponders() async throws {
        for ids in [[ada.id], [responders[0].id, responders[0].id]] {
            await #expect(throws: CommandError.self) {
                try await server.network.responderOrder.orderResponders(ids, of: ada.caller)
            }
        }
    }

    @Test func orderIsSentToTheOwnersPages() async throws {
        let before = try await server.events(of: ada).count
        try await server.network.responderOrder.orderResponders([responders[2].id], of: ada.caller)
        #expect(
            try await Array(server.events(of: ada).dropFirst(before))
                == [.contactChanged(.init(contactID: responders[0].id))])
    }

    @Test func endedCallStartsTheNext() async throws {
        _ = try await server.raiseAlert(ada)
        _ = try await calls(after: .seconds(90))
        try await end(.unanswered(.voicemail), of: 0)
        #expect(try await calls(after: .zero) == ["Dora"])
        #expect(try await server.reason(.voice, responders[0]) == "voicemail")
        try await end(.declines, of: 1)
        #expect(try await calls(after: .zero) == ["Emil"])
        #expect(try await server.reason(.voice, responders[1]) == "declined")
    }

    @Test func keyAcknowledgesAndStopsCalls() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await calls(after: .seconds(90))
        try await end(.takesOn, of: 1)
        try await end(.unanswered(), of: 0)
        #expect(try await calls(after: .minutes(5)) == [])
        #expect(try await server.reason(.voice, responders[3]) == "taken-on")
        let seen = try await server.network.alerts.alert(try alert.typedID, visibleTo: ada.caller)
        #expect(seen.acknowledgement?.name == "Cleo")
        #expect(seen.ledger.contains { $0.channel == .voice && $0.state == .acknowledged })
    }

    @Test func simultaneousAcknowledgementCancelsCalls() async throws {
        let alert = try await server.raiseAlert(ada)
        try await server.pass(.seconds(90))
        // The calls are due, but no worker has leased them yet.
        _ = try await server.acknowledge(alert, responders[4])
        #expect(try await server.send(.voice) == [])
        #expect(try await calls(after: .minutes(10)) == [])
    }

    @Test(arguments: [true, false]) func noCallsAfterTheEnd(begun: Bool) async throws {
        let alert = try await server.raiseAlert(ada)
        if begun { _ = try await calls(after: .seconds(90)) }
        _ = try await server.endAlert(alert, ada)
        #expect(try await calls(after: .minutes(10)) == [])
    }

    @Test func aLapsedAcknowledgementBeginsAnotherRound() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, responders[0])
        try await server.pass(.minutes(30))
        try await server.pass(.minutes(5))
        #expect(try await calls(after: .milliseconds(89_999)) == [])
        #expect(try await calls(after: .milliseconds(1)).count == 2)
    }

    @Test func leastCalledComesFirstInTheNextRound() async throws {
        _ = try await server.raiseAlert(ada)
        _ = try await calls(after: .seconds(90))
        // The server is paused until the repeat, so only two responders were called.
        server.clock.pass(.seconds(210))
        try await server.pass(.zero)
        #expect(try await calls(after: .seconds(90)).sorted() == ["Dora", "Emil"])
    }

    @Test func afterHalfAnHourRepeatsBringNoCalls() async throws {
        _ = try await server.raiseAlert(ada)
        for pause in [Duration.zero, .minutes(5), .minutes(10), .minutes(15)] {
            let isFirst = pause == .zero
            try await server.pass(isFirst ? .zero : pause - .seconds(90))
            #expect(try await calls(after: .seconds(90)).count == 2)
        }
        try await server.pass(.minutes(30) - .seconds(90))
        #expect(try await calls(after: .minutes(2)) == [])
        #expect(try await server.reason(.voice, responders[0]) == "storm")
    }

    @Test func callOnlyResponderIsCalledAtOnce() async throws {
        let server = try TestServer(options: { $0.isVoiceAvailable = true })
        let ada = try await server.person("Ada")
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.raiseAlert(ada)
        #expect(try await server.send(.voice) == ["Ben"])
    }

    @Test func callOnlyResponderIsCalledEverySixHours() async throws {
        let server = try TestServer(options: { $0.isVoiceAvailable = true })
        let ada = try await server.person("Ada")
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.raiseAlert(ada)
        for pause in [Duration.zero, .minutes(5), .minutes(10), .minutes(15)] {
            try await server.pass(pause)
            #expect(try await server.send(.voice) == ["Ben"])
        }
        for _ in 1...5 {
            try await server.pass(.hours(1))
            #expect(try await server.send(.voice) == [])
        }
        #expect(try await server.reason(.voice, ben) == "storm")
        try await server.pass(.hours(1))
        #expect(try await server.send(.voice) == ["Ben"])
    }

    /// Ben is called about Ada when the calls about Bea begin.
    @Test func callAboutAnotherAlertFollowsTheFirst() async throws {
        let bea = try await server.person("Bea")
        try await server.connect(responders[0], watchesOver: bea)
        _ = try await server.raiseAlert(ada)
        server.clock.pass(.seconds(1))
        _ = try await server.raiseAlert(bea)
        #expect(try await calls(after: .seconds(89)).sorted() == ["Ben", "Cleo"])
        #expect(try await calls(after: .seconds(1)) == [])
        #expect(try await calls(after: .milliseconds(43_999)) == [])
        #expect(try await calls(after: .milliseconds(1)).sorted() == ["Ben", "Dora", "Emil"])
    }

    @Test func endedCallStartsTheCallAboutAnotherAlert() async throws {
        let (ben, bea) = (responders[0], try await server.person("Bea"))
        try await server.connect(ben, watchesOver: bea)
        _ = try await server.raiseAlert(ada)
        let first = try await server.delivery(.voice, ben)
        server.clock.pass(.seconds(1))
        _ = try await server.raiseAlert(bea)
        #expect(try await calls(after: .seconds(89)).sorted() == ["Ben", "Cleo"])
        #expect(try await calls(after: .seconds(10)) == [])
        try await server.network.climbing.endCall(first, to: ben.id, .unanswered())
        #expect(try await calls(after: .zero).sorted() == ["Ben", "Dora"])
    }

    /// The call to Ben about Ada is withdrawn before the worker makes it.
    @Test(arguments: [true, false])
    func withdrawnCallStartsTheCallAboutAnotherAlert(byEnd: Bool) async throws {
        let (ben, bea) = (responders[0], try await server.person("Bea"))
        try await server.connect(ben, watchesOver: bea)
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(.seconds(1))
        _ = try await server.raiseAlert(bea)
        try await server.pass(.seconds(89))
        try await server.pass(.seconds(1))
        if byEnd {
            _ = try await server.endAlert(alert, ada)
        } else {
            _ = try await server.acknowledge(alert, ben)
        }
        #expect(try await calls(after: .zero) == ["Ben"])
    }

    /// The repeat about Ada replaces the call to Ben before the worker makes it.
    @Test func repeatStartsTheCallAboutAnotherAlert() async throws {
        let bea = try await server.person("Bea")
        try await server.connect(responders[0], watchesOver: bea)
        _ = try await server.raiseAlert(ada)
        server.clock.pass(.seconds(150))
        _ = try await server.raiseAlert(bea)
        try await server.pass(.seconds(140))
        var called = try await calls(after: .seconds(10))
        // On PostgreSQL, a call to a locked person starts a second later, when Cleo is called, too.
        if called.isEmpty { called = try await calls(after: Ladder.pauseForOtherServer) }
        #expect(called.first == "Ben")
    }

    /// A responder who hasn't answered is called every 6 hours.
    @Test(arguments: [(DeliveryReason.noAnswer, false), (.lineBusy, true)])
    func oneCallToABusyLineDelaysNoRound(reason: DeliveryReason, isCalled: Bool) async throws {
        let server = try TestServer(options: { $0.isVoiceAvailable = true })
        let ada = try await server.person("Ada")
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.raiseAlert(ada)
        func end(_ reason: DeliveryReason) async throws {
            try await server.network.climbing.endCall(
                try await server.delivery(.voice, ben), to: ben.id, .unanswered(reason))
        }
        for pause in [Duration.zero, .minutes(5), .minutes(10), .minutes(15)] {
            try await server.pass(pause)
            #expect(try await server.send(.voice) == ["Ben"])
            try await end(.noAnswer)
        }
        for _ in 1...5 {
            try await server.pass(.hours(1))
            #expect(try await server.send(.voice) == [])
        }
        try await server.pass(.hours(1))
        #expect(try await server.send(.voice) == ["Ben"])
        try await end(reason)
        try await server.pass(.hours(1))
        #expect(try await server.send(.voice) == (isCalled ? ["Ben"] : []))
        guard isCalled else { return }
        // The second in a row counts: Ben may be rejecting the calls.
        try await end(.lineBusy)
        try await server.pass(.hours(1))
        #expect(try await server.send(.voice) == [])
    }

    @Test func callsResumeAfterAWorkerDies() async throws {
        _ = try await server.raiseAlert(ada)
        try await server.pass(.seconds(90))
        // The worker died after it took the lease. The call follows when the lease has expired.
        try await server.engine.write(about: .none) {
            _ = try $0.leaseDeliveries(channels: [.voice], lease: .seconds(60), limit: 10)
        }
        #expect(try await server.send(.voice) == [])
        server.clock.pass(.seconds(60))
        #expect(try await server.send(.voice).sorted() == ["Ben", "Cleo"])
    }
}
