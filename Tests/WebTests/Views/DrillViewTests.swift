import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("A drill of the responders, on a page")
struct DrillViewTests {
    private let id = DrillID(UUID())

    private func record(_ end: DrillRecord.End? = nil) -> DrillRecord {
        DrillRecord(
            id: id, startedAt: Sample.now, endedAt: end == nil ? nil : Sample.now, end: end,
            answers: [
                DrillAnswer(
                    personID: Sample.id(2), name: "Ben", answeredAt: Sample.now.adding(.seconds(9)),
                    channel: .webPush),
                DrillAnswer(personID: Sample.id(3), name: "Cleo"),
            ])
    }

    @Test func drillStartsAfterConfirmation() throws {
        var state = DrillFeature.State(now: Sample.now)
        let page = screen { DrillFeature.view(state) }
        #expect(try page.press("Start a drill") == .startButtonTapped)
        state.confirmation = .start
        let asked = screen { DrillFeature.view(state) }
        #expect(asked.shows("Start a drill?"))
        #expect(
            try asked.press("Start the drill") == .confirmation(.presented(.startConfirmed)))
    }

    @Test func drillShowsAnswersSoFar() throws {
        let page = screen { DrillFeature.view(.init(own: record(), now: Sample.now)) }
        #expect(page.shows("The drill is running. 1 of 2 has answered."))
        #expect(page.shows("Got it, by a notification of their browser, after 9 seconds"))
        #expect(page.shows("not yet"))
        #expect(try page.press("Stop the drill") == .stopButtonTapped)
    }

    @Test func drillShowsWhoWasNotAsked() {
        var own = record()
        own.answers[1].isAsked = false
        let page = screen { DrillFeature.view(.init(own: own, now: Sample.now)) }
        #expect(page.shows("The drill is running. 1 of 1 has answered."))
        #expect(page.shows("not asked: they have muted such messages, but not alerts"))
    }

    @Test func drillShowsItsEnd() {
        let page = screen { DrillFeature.view(.init(own: record(.timeIsUp), now: Sample.now)) }
        #expect(page.shows("The drill has ended by itself.") && page.shows("no answer"))
        #expect(page.shows("You can start the next one"))
    }

    @Test func drillQuestionCanBeAnswered() throws {
        let question = DrillQuestion(
            id: id, ownerID: Sample.id(2), name: "Ana", startedAt: Sample.now,
            endsAt: Sample.now.adding(.minutes(10)))
        let page = screen {
            DrillFeature.questions([question], .init(asked: [question], now: Sample.now))
        }
        #expect(page.shows("This is a drill by Ana") && page.shows("Ana does not need help."))
        #expect(try page.press("Got it: answer the drill by Ana") == .answerButtonTapped(id))
    }
}
