import Domain
import Foundation
import SeededGenerator
import Testing

@testable import Simulation

@Suite struct StepTests {
    @Test func everyStepHasWordsAndCode() {
        var chance = SeededGenerator(seed: 1)
        typealias Kind = StepGenerator.Kind
        let kinds = ([Kind.all, Kind.rush, Kind.withGuests] + Kind.groups).flatMap(\.self)
        for kind in kinds {
            let step = TimedStep(day: 1, hour: 2, kind.make(3, 4, &chance))
            #expect(!step.step.description.isEmpty)
            #expect(step.description.hasPrefix("day 1 02:00:00.000  "))
            #expect(step.code.hasPrefix("TimedStep(93600000, .\(step.step.label)"))
        }
    }

    @Test func codeIsSwift() {
        let trouble = TimedStep(5, .endpointTrouble(2, .deaf, seconds: 60))
        #expect(trouble.code == "TimedStep(5, .endpointTrouble(2, .deaf, seconds: 60)),")
        #expect(TimedStep(5, .backUp).code == "TimedStep(5, .backUp),")
        #expect(TimedStep(5, .join(1)).code == "TimedStep(5, .join(1)),")
    }

    @Test func theGeneratorLeavesOutWhatItIsToldTo() {
        var generator = StepGenerator(.init(seed: 1, people: 3, without: ["ping", "restart"]))
        let truth = Truth(people: 3)
        var now = SimulatedTime.start(of: 1)
        for _ in 0..<500 {
            let step = generator.next(after: now, truth)
            now = SimulatedTime.start(of: 1).adding(.milliseconds(step.at))
            #expect(!["ping", "restart"].contains(step.step.label))
        }
    }
}

@Suite struct HabitsTests {
    @Test func seedsLackDifferentSteps() {
        let off = (1...20).map { Habits(seed: $0).off }
        #expect(Set(off).count > 10)
        for labels in off { #expect(labels.isDisjoint(with: ["join", "checkIn", "scan"])) }
    }
}

@Suite struct EndpointTests {
    @Test(arguments: DeviceKind.allCases) func anAddressNamesItsEndpoint(kind: DeviceKind) throws {
        let endpoint = Endpoint(person: 13, kind, count: 27)
        let url = try #require(try endpoint.token()?.url ?? endpoint.url)
        #expect(Endpoint(url: url) == endpoint)
        #expect(endpoint.kind == kind)
    }
}

@Suite struct EscalationTests {
    private let start = SimulatedTime.start(of: 1)

    private func last(after duration: Duration) -> Duration {
        Alarm.lastRepeat(by: start.adding(duration), from: start).since(start)
    }

    @Test func theMomentsAreThoseOfTheRule() {
        let moments: [Duration] = [
            .zero, .minutes(5), .minutes(15), .minutes(30), .hours(1), .hours(24), .hours(30),
            .hours(168), .hours(192),
        ]
        for moment in moments { #expect(last(after: moment) == moment) }
        #expect(last(after: .minutes(5) - .milliseconds(1)) == .zero)
        #expect(last(after: .minutes(59)) == .minutes(30))
        #expect(last(after: .hours(29)) == .hours(24))
        #expect(last(after: .hours(167)) == .hours(162))
        #expect(last(after: .hours(191)) == .hours(168))
        #expect(last(after: .days(30)) == .days(30))
    }
}

@Suite struct MeaningTests {
    private func read(_ title: String, alert: Bool = true) -> Meaning? {
        Meaning.read(
            NotificationItem(
                id: ID(UUID()), type: .alert, title: title, body: "",
                createdAt: SimulatedTime.start(of: 1),
                alertID: alert ? ID(UUID()) : nil), people: 20, reader: 3)
    }

    @Test func wordsAreReadAsAPersonReadsThem() {
        #expect(read("Ada needs help") == .begins(0))
        #expect(read("Ben still needs help") == .goesOn(1))
        #expect(read("Are you still helping Cleo?") == .question(2))
        #expect(read("Ada checked in") == .isOver(0))
        #expect(read("Ada is not back from the lake") == .begins(0))
        #expect(read("Ada has arrived: the lake") == .isOver(0))
        #expect(
            read("Ada has arrived: the lake", alert: false) == .schedule(.journeyEnded, of: 0))
        #expect(read("Ben is no longer your contact", alert: false) == .parted(1))
    }

    @Test func wordsSayWhoHelps() {
        #expect(read("Ben is on it")?.claim == .isOnIt(1))
        #expect(read("You are still helping Ada")?.claim == .isOnIt(3))
        #expect(read("Ben is no longer on it")?.claim == .nobodyIsOnIt)
        #expect(read("Ada still needs help")?.claim == .nobodyIsOnIt)
        #expect(read("Ben reports that Ada is safe")?.claim == .reported(1))
        #expect(read("Ada ended the alert")?.claim == nil)
    }

    @Test func wordsAboutAnAlertThatNobodyKnowsAreNoticed() {
        #expect(read("Ada dances") == nil)
        #expect(read("Ada dances", alert: false) == .other)
    }
}
