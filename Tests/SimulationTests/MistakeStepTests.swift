import Domain
import Testing

@testable import Simulation

/// Calls that must be refused. Ben and Cleo are responders, of Ada and of Ben.
@Suite struct MistakeStepTests {
    /// What comes only with a missed deadline, an accepted invitation or an unanswered request.
    private static let left: Set<Step.Mistake> = [
        .endOfMissed, .endOfJourney, .unacceptedReport, .acceptedInvitation,
    ]

    private static let beginning = [
        TimedStep(minute: 1, .join(0)), TimedStep(minute: 2, .join(1)),
        TimedStep(minute: 3, .join(2)), TimedStep(minute: 4, .checkIn(0, answerLost: false)),
        TimedStep(minute: 5, .seeCode(1, of: 0)),
        TimedStep(minute: 6, .scan(1, codeOf: 0, both: false)),
        TimedStep(minute: 7, .seeCode(2, of: 1)),
        TimedStep(minute: 8, .scan(2, codeOf: 1, both: false)),
        TimedStep(minute: 9, .addEndpoint(0)), TimedStep(minute: 10, .addSource(0)),
        TimedStep(minute: 11, .block(1, 2)), TimedStep(minute: 12, .renewCode(0)),
        TimedStep(minute: 13, .ping(1, 0)),
    ]

    /// Each mistake of several pairs, one a second.
    private func mistakes(hour: Int) -> [TimedStep] {
        let pairs = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 0)]
        return pairs.enumerated().flatMap { index, pair in
            Step.Mistake.allCases.enumerated().map { second, mistake in
                TimedStep(
                    hour: hour, minute: 2 * index, second: second,
                    .mistake(pair.0, other: pair.1, mistake))
            }
        }
    }

    @Test func eachMistakeIsRefusedAndChangesNothing() async throws {
        let between = [
            TimedStep(hour: 2, .drill(0)),
            TimedStep(
                hour: 2, minute: 20,
                .startJourney(0, minutes: 1_440, grace: 10, chosen: 0, tells: false)),
            TimedStep(
                hour: 2, minute: 21, .setRoles(0, of: 1, isResponder: true, isDependent: true)),
        ]
        var steps = Self.beginning
        steps += mistakes(hour: 1)
        steps += between
        steps += mistakes(hour: 3)
        steps.append(TimedStep(hour: 4, .raise(0, answerLost: false)))
        steps += mistakes(hour: 5)
        let result = try await Simulator(.init(seed: 1, people: 3)).play(
            steps, until: 6 * 3_600_000)
        #expect(result.violation == nil)
        let refused = Step.Mistake.allCases.filter { result.sights.contains("refused: \($0)") }
        #expect(Set(Step.Mistake.allCases).subtracting(refused) == Self.left)
    }
}
