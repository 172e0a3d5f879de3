import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Reminders to Ada 15 minutes before her return and at her return, on every channel.
@Suite struct JourneyReminderTests {
    private let scene: JourneyScene
    private var server: TestServer { scene.server }
    private var before: Date { scene.expectedReturn.adding(.minutes(-15)) }

    init() async throws {
        scene = try await JourneyScene {
            $0.isSMSAvailable = true
            $0.pushKinds.insert(.apns)
        }
        try await scene.server.send(.sms)
    }

    /// Runs the monitor at this time. Returns Ada's news.
    private func news(at time: Date) async throws -> [String] {
        try await scene.run(at: time)
        return try await server.news(of: scene.ada)
    }

    private func addPhone() async throws {
        let token = try AppToken(
            apns: String(repeating: "ab", count: 32), environment: .production)
        _ = try await server.network.appEndpoints.saveAppEndpoint(
            server.environment.id(), token, of: scene.ada.caller)
        _ = try await server.news(of: scene.ada)
    }

    @Test func remindersGoByEveryChannel() async throws {
        try await addPhone()
        try await server.muteAll(of: scene.ada)
        try await scene.start()
        let channels = ["apns", "sms", "stream"]
        #expect(try await news(at: before.aMillisecondBefore) == [])
        #expect(try await news(at: before).count == 1)
        #expect(try await scene.deliveries(to: scene.ada) == channels)
        #expect(try await news(at: scene.expectedReturn.aMillisecondBefore) == [])
        #expect(try await news(at: scene.expectedReturn).count == 1)
        #expect(try await scene.deliveries(to: scene.ada) == channels + channels)
        #expect(server.watched.all.reminders == 2)
        #expect(try await news(at: scene.deadline.aMillisecondBefore) == [])
        for person in [scene.ben, scene.cleo] {
            #expect(try await scene.news(of: person) == [])
            #expect(try await server.alerts(person).isEmpty)
        }
    }

    @Test func remindersNameTheReturn() async throws {
        try await scene.start()
        try await scene.run(at: before)
        #expect(try await scene.news(of: scene.ada).first?.contains("14:00 UTC") == true)
        try await scene.run(at: scene.expectedReturn)
        // At the return, the person is told when their responders will be.
        #expect(try await scene.news(of: scene.ada).first?.contains("14:10 UTC") == true)
    }

    @Test func shortJourneyHasOneReminder() async throws {
        let time = noon.adding(.minutes(15)).aMillisecondBefore
        try await scene.start(scene.draft(return: time))
        #expect(try await news(at: noon) == [])
        #expect(try await news(at: time.aMillisecondBefore) == [])
        #expect(try await news(at: time).count == 1)
    }

    /// With no grace, the alert is the message at the return.
    @Test func withoutGraceTheAlertComesAtTheReturn() async throws {
        try await scene.start(grace: 0)
        #expect(try await news(at: before).count == 1)
        try await scene.run(at: scene.expectedReturn.aMillisecondBefore)
        #expect(try await server.openAlert(scene.ada) == nil)
        try await scene.run(at: scene.expectedReturn)
        #expect(try await server.openAlert(scene.ada)?.kind == .journey)
        #expect(try await scene.deliveries(to: scene.ada).filter { $0 == "sms" }.count == 1)
    }

    @Test func noReminderFollowsTheArrival() async throws {
        try await scene.start()
        try await scene.run(at: before)
        _ = try await server.news(of: scene.ada)
        try await scene.arrive()
        // The SMS was still waiting.
        #expect(try await server.send(.sms) == [])
        for time in [scene.expectedReturn, scene.deadline] {
            #expect(try await news(at: time) == [])
        }
    }

    @Test func extensionTakesBackTheReminderAndRemindsAgain() async throws {
        try await scene.start()
        try await scene.run(at: before)
        _ = try await server.news(of: scene.ada)
        let later = scene.expectedReturn.adding(.minutes(30))
        #expect(try await scene.extend(until: later).journey?.expectedReturn == later)
        #expect(try await server.send(.sms) == [])
        #expect(try await news(at: scene.expectedReturn) == [])
        #expect(try await news(at: later.adding(.minutes(-15))).count == 1)
        #expect(try await news(at: later).count == 1)
        try await scene.run(at: later.adding(.minutes(10)).aMillisecondBefore)
        #expect(try await server.openAlert(scene.ada) == nil)
        try await server.pass(.milliseconds(1))
        #expect(try await server.openAlert(scene.ada)?.deadline == later)
    }

    @Test func outageLeavesOneReminder() async throws {
        try await scene.start()
        try await server.outage(.hours(2) + .minutes(2))
        #expect(try await news(at: server.clock.now).count == 1)
        #expect(try await scene.deliveries(to: scene.ada).filter { $0 == "sms" }.count == 1)
    }

    /// Ben is chosen. After a STOP, no message reaches him or Cleo. Cleo is told 15 minutes after
    /// him.
    @Test(arguments: [
        (0, "The responder you chose is told at 14:10 UTC"),
        (
            1,
            """
            No message reaches the responder you chose. Your other responder is told at 14:25 UTC
            """
        ),
        (2, "No message reaches the responder you chose. Say that you have arrived."),
    ])
    func reminderSaysWhetherMessagesReachTheChosen(stops: Int, words: String) async throws {
        try await scene.start(scene.draft(to: [scene.ben]))
        for person in [scene.ben, scene.cleo].prefix(stops) {
            try await server.network.textAnswers.stopTexts(to: person.number)
        }
        _ = try await news(at: before)
        try await scene.run(at: scene.expectedReturn)
        #expect(try await scene.news(of: scene.ada).last?.contains(words) == true)
    }

    @Test(arguments: [
        (true, "The 2 responders you chose are told at 14:10 UTC"),
        (false, "Your 3 responders are told at 14:10 UTC"),
    ])
    func reminderCountsTheChosen(areChosen: Bool, words: String) async throws {
        let dan = try await server.person("Dan")
        try await server.connect(dan, watchesOver: scene.ada)
        try await scene.start(to: areChosen ? [scene.ben, scene.cleo] : nil)
        _ = try await news(at: before)
        try await scene.run(at: scene.expectedReturn)
        #expect(try await scene.news(of: scene.ada).last?.contains(words) == true)
    }

    @Test func reminderWithoutRespondersPromisesNothing() async throws {
        try await scene.start()
        for person in [scene.ben, scene.cleo] {
            try await server.network.contacts.removeContact(person.id, by: scene.ada.caller)
        }
        _ = try await news(at: before)
        try await scene.run(at: scene.expectedReturn)
        let last = try await scene.news(of: scene.ada).last
        #expect(last?.contains("Are you back from Zugspitze?") == true)
        #expect(last?.contains("14:10") == false)
    }
}
