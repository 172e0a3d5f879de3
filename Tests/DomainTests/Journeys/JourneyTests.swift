import Foundation
import Testing

@testable import Domain

/// A journey that starts at noon, with a return at 18:00 and a grace of 10 minutes.
@Suite struct JourneyTests {
    private let expectedReturn = noon.adding(.hours(6))
    private var before: Date { expectedReturn.adding(.minutes(-15)) }
    private var deadline: Date { expectedReturn.adding(.minutes(10)) }

    private func journey(
        grace: Int = 10, return time: Date? = nil, sent: Set<JourneyStep> = []
    ) -> Journey {
        Journey(
            id: id(7), name: "Zugspitze", note: "", startedAt: noon,
            expectedReturn: time ?? expectedReturn, graceMinutes: grace, responders: nil,
            tellsResponders: false, remindersSent: sent)
    }

    /// Returns the steps until the alert, with their times in minutes after the return.
    private func steps(_ start: Journey) -> [(step: JourneyStep, minutes: Int)] {
        var (journey, steps) = (start, [(step: JourneyStep, minutes: Int)]())
        while let next = journey.nextDue, steps.count < 4 {
            #expect(journey.dueStep(at: next.aMillisecondBefore) == nil)
            guard let step = journey.dueStep(at: next) else { break }
            steps.append((step, Int(next.since(journey.expectedReturn).milliseconds / 60_000)))
            if step == .alert { journey.alert = id(9) } else { journey.note(sent: step) }
        }
        #expect(journey.nextDue == nil)
        return steps
    }

    // MARK: Steps

    @Test(arguments: [1, 10, 60]) func remindersAndAlertFollowInOrder(grace: Int) {
        let steps = steps(journey(grace: grace))
        #expect(steps.map(\.step) == [.remindBefore, .remindAtReturn, .alert])
        #expect(steps.map(\.minutes) == [-15, 0, grace])
    }

    /// A reminder and the alert at one moment would contradict each other.
    @Test func withoutGraceTheAlertReplacesTheLastReminder() {
        let steps = steps(journey(grace: 0))
        #expect(steps.map(\.step) == [.remindBefore, .alert])
        #expect(steps.map(\.minutes) == [-15, 0])
    }

    @Test func nothingIsDueTwice() {
        var journey = journey()
        journey.note(sent: .remindBefore)
        #expect(journey.dueStep(at: expectedReturn.aMillisecondBefore) == nil)
        #expect(journey.nextDue == expectedReturn)
        journey.note(sent: .remindAtReturn)
        #expect(journey.dueStep(at: deadline.aMillisecondBefore) == nil)
        #expect(journey.nextDue == deadline)
        journey.alert = id(9)
        #expect(journey.dueStep(at: deadline.adding(.days(1))) == nil)
        #expect(journey.nextDue == nil)
    }

    @Test func onlyTheLatestStepIsDueAfterAnOutage() {
        var journey = journey()
        #expect(journey.dueStep(at: before) == .remindBefore)
        #expect(journey.dueStep(at: expectedReturn.aMillisecondBefore) == .remindBefore)
        #expect(journey.dueStep(at: expectedReturn) == .remindAtReturn)
        #expect(journey.dueStep(at: deadline.aMillisecondBefore) == .remindAtReturn)
        #expect(journey.dueStep(at: deadline) == .alert)
        journey.note(sent: .remindAtReturn)
        #expect(journey.remindersSent == [.remindBefore, .remindAtReturn])
        #expect(journey.nextDue == deadline)
    }

    @Test func endedJourneyIsNeverDue() {
        var journey = journey()
        #expect(journey.isRunning)
        journey.end(at: before)
        #expect(!journey.isRunning && journey.endedAt == before)
        #expect(journey.nextDue == nil)
        for time in [before, expectedReturn, deadline] {
            #expect(journey.dueStep(at: time) == nil)
        }
    }

    // MARK: Extension

    @Test func extensionMakesRemindersDueAgain() {
        var journey = journey(sent: [.remindBefore, .remindAtReturn])
        journey.alert = id(9)
        let later = expectedReturn.adding(.hours(1))
        journey.extend(until: later, chosenAt: deadline, at: deadline)
        #expect(journey.alert == nil && journey.expectedReturn == later)
        #expect(steps(journey).map(\.step) == [.remindBefore, .remindAtReturn, .alert])
    }

    @Test(arguments: [
        (Duration.minutes(15) + .milliseconds(1), true), (.minutes(15), false),
        (.minutes(5), false),
    ])
    func extensionRemindsNotAtOnce(ahead: Duration, remindsBefore: Bool) {
        var journey = journey(sent: [.remindBefore])
        journey.extend(until: deadline.adding(ahead), chosenAt: deadline, at: deadline)
        #expect(journey.dueStep(at: deadline) == nil)
        #expect(steps(journey).first?.step == (remindsBefore ? .remindBefore : .remindAtReturn))
    }

    /// The press waited on a phone without a connection.
    @Test func extensionIntoThePastIsDueAtOnce() {
        var journey = journey(sent: [.remindBefore])
        let late = noon.adding(.hours(8))
        journey.extend(until: noon.adding(.hours(7)), chosenAt: late, at: late)
        #expect(journey.dueStep(at: noon.adding(.hours(8))) == .alert)
    }

    @Test func earlierReturnIsAnExtensionToo() {
        var journey = journey()
        let pressed = noon.adding(.hours(1))
        journey.extend(until: noon.adding(.hours(2)), chosenAt: pressed, at: pressed)
        #expect(journey.nextDue == noon.adding(.hours(2)).adding(.minutes(-15)))
        #expect(journey.deadline == noon.adding(.hours(2)).adding(.minutes(10)))
    }

    // MARK: Records

    @Test func recordShowsTheJourney() {
        var journey = journey(grace: 60)
        journey.responders = [ben]
        journey.alert = id(9)
        let record = JourneyRecord(journey)
        #expect(record.id == journey.id && record.name == "Zugspitze" && record.note == "")
        #expect(record.startTime == noon && record.expectedReturn == expectedReturn)
        #expect(record.responderIds == [ben] && record.alertId == journey.alert)
        #expect(record.deadline == journey.deadline)
        #expect(record.deadline == expectedReturn.adding(.hours(1)))
    }

    /// Lists and events show no note, and keep one that the page of the alert has loaded.
    @Test func noteIsADetailOfTheAlert() {
        var record = AlertRecord(
            id: "1", startTime: deadline, endTime: nil, userId: ada.description, isActive: true,
            kind: .journey, deadline: expectedReturn, journey: "Zugspitze")
        record.note = "By the Höllental"
        #expect(record.withoutDetails.note == nil)
        #expect(record.withoutDetails.journey == "Zugspitze")
        #expect(record.withoutDetails.keepingDetails(of: record).note == "By the Höllental")
    }
}
