import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Ada's answers by SMS to a question about her journey, or to the news of her own journey's alert.
@Suite struct JourneyTextAnswerTests {
    private let scene: JourneyScene
    private var server: TestServer { scene.server }

    init() async throws {
        scene = try await JourneyScene { $0.isSMSAvailable = true }
        try await scene.server.send(.sms)
        try await scene.start()
    }

    private func text(_ text: String) async throws -> String? {
        try await server.network.textAnswers.receiveText(text, from: scene.ada.number)
    }

    /// Sends the SMS that asks Ada at her expected return.
    private func ask() async throws {
        try await scene.run(at: scene.expectedReturn)
        #expect(try await server.send(.sms).contains("Ada"))
    }

    @Test(arguments: ["1", "Yes", "2", "No", "OK"])
    func answerToTheQuestionIsNoArrival(answer: String) async throws {
        try await ask()
        #expect(try await text(answer) == TextReply.notBack.text)
        #expect(try await scene.journey() != nil)
        #expect(try await scene.becomeOverdue().kind == .journey)
    }

    @Test(arguments: ["1", "2", "OK"])
    func answerToTheOwnAlertIsNoArrival(answer: String) async throws {
        try await scene.becomeOverdue()
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await text(answer) == TextReply.notBack.text)
        #expect(try await server.openAlert(scene.ada) != nil)
    }

    @Test(arguments: ["Yes", "No"])
    func answerLeavesAnEarlierAlertOfAnother(answer: String) async throws {
        server.clock.set(scene.expectedReturn.adding(.minutes(-1)))
        let alert = try await server.raiseAlert(scene.ben)
        try await server.send(.sms)
        try await ask()
        #expect(try await text(answer) == TextReply.notBack.text)
        let record = try await server.alert(alert, seenBy: scene.ben)
        #expect(record.acknowledgement == nil && record.history.isEmpty)
    }

    @Test func laterAlertOfAnotherGetsTheAnswer() async throws {
        try await ask()
        server.clock.pass(.minutes(1))
        let alert = try await server.raiseAlert(scene.ben)
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await text("1")?.contains("You are on it") == true)
        let record = try await server.alert(alert, seenBy: scene.ben)
        #expect(record.acknowledgement?.name == "Ada")
    }

    @Test(arguments: ["1", "2", "OK"], [false, true])
    func answerAfterALastCallIsAboutTheJourney(answer: String, checksIn: Bool) async throws {
        let lastCall = scene.expectedReturn.adding(.minutes(-5))
        try await server.expectLastCall(of: scene.ada, at: lastCall)
        // The journey's first reminder precedes the last call.
        try await scene.run(at: scene.expectedReturn.adding(.zero - JourneyRules.reminderLead))
        try await server.send(.sms)
        try await scene.run(at: lastCall)
        #expect(try await server.send(.sms).contains("Ada"))
        if checksIn { #expect(try await text("1") == TextReply.checkedIn.text) }
        try await ask()
        #expect(try await text(answer) == TextReply.notBack.text)
        #expect(try await server.history(of: scene.ada).count == (checksIn ? 2 : 1))
    }

    @Test func laterLastCallGetsTheAnswer() async throws {
        let lastCall = scene.expectedReturn.adding(.minutes(5))
        try await server.expectLastCall(of: scene.ada, at: lastCall)
        try await ask()
        try await scene.run(at: lastCall)
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await text("1") == TextReply.checkedIn.text)
        #expect(try await server.history(of: scene.ada).count == 2)
    }

    @Test(arguments: [false, true])
    func answerAfterAnActInTheAppIsNotNeeded(arrives: Bool) async throws {
        try await ask()
        server.clock.pass(.minutes(1))
        if arrives {
            try await scene.arrive()
        } else {
            try await scene.extend(until: scene.expectedReturn.adding(.hours(2)))
        }
        #expect(try await text("Yes") == TextReply.nothingOpen.text)
    }

    @Test(arguments: [(Duration.hours(24), true), (.hours(24) + .milliseconds(1), false)])
    func questionIsAnsweredForADay(age: Duration, isAnswered: Bool) async throws {
        try await ask()
        server.clock.set(scene.expectedReturn.adding(age))
        let reply: TextReply = isAnswered ? .notBack : .nothingOpen
        #expect(try await text("Yes") == reply.text)
    }

    /// A phone may answer each reply automatically.
    @Test func unclearAnswersToOneQuestionGetOneReply() async throws {
        try await ask()
        #expect(try await text("Back at home!") == TextReply.notBack.text)
        #expect(try await text("Did you get that?") == nil)
        #expect(try await text("Yes") == TextReply.notBack.text)
    }
}
