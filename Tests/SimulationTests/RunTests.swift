import Testing

@testable import Simulation

/// The seed alone determines a run.
@Suite struct RunTests {
    @Test func equalSeedsGiveEqualRuns() async throws {
        let options = Self.quiet(seed: 7)
        let first = try await Simulator(options).live(hours: 72)
        let second = try await Simulator(options).live(hours: 72)
        #expect(first == second)
        #expect(first.steps.count > 100 && first.counts.heard > 20)
    }

    @Test func anotherSeedGivesAnotherRun() async throws {
        let first = try await Simulator(Self.quiet(seed: 7)).live(hours: 24)
        let second = try await Simulator(Self.quiet(seed: 8)).live(hours: 24)
        #expect(first.hash != second.hash && first.steps != second.steps)
    }

    @Test func theStepsOfARunAreTheRun() async throws {
        let options = Self.quiet(seed: 9)
        let live = try await Simulator(options).live(hours: 48)
        let played = try await Simulator(options).play(live.steps, until: 48 * 3_600_000)
        #expect(played.hash == live.hash)
    }

    @Test func stepsEndARunWhenTheyAreOver() async throws {
        let result = try await Simulator(Self.quiet(seed: 7)).live(hours: 96, steps: 30)
        #expect(result.steps.count == 30)
    }

    @Test func whatWasAnsweredSurvivesAKill() async throws {
        let steps = [
            TimedStep(minute: 1, .join(0)), TimedStep(minute: 2, .checkIn(0, answerLost: true)),
            TimedStep(minute: 2, second: 1, .restart(kill: true, seconds: 30)),
            TimedStep(minute: 4, .diskFull(atCommit: true, seconds: 20)),
            TimedStep(minute: 4, second: 1, .checkIn(0, answerLost: false)),
            TimedStep(minute: 6, .restart(kill: false, seconds: 1)),
        ]
        let result = try await Simulator(.init(seed: 1, people: 2)).play(steps)
        #expect(result.violation == nil)
        #expect(result.counts.starts == 3)
    }

    @Test func killedServerHasLeftALifeNote() async throws {
        let steps = [
            TimedStep(minute: 1, .join(0)), TimedStep(minute: 2, .checkIn(0, answerLost: false)),
            TimedStep(minute: 12, .restart(kill: true, seconds: 30)),
        ]
        let result = try await Simulator(.init(seed: 1, people: 2)).play(steps)
        #expect(result.violation == nil)
        #expect(result.counts.starts == 2)
        #expect(result.sights.contains("life note"))
    }

    @Test func accountIsDeletedWithItsCode() async throws {
        let steps = [TimedStep(minute: 1, .join(0)), TimedStep(minute: 2, .leave(0))]
        let result = try await Simulator(.init(seed: 1, people: 2)).play(steps)
        #expect(result.violation == nil)
        #expect(result.counts.deletions == 1)
    }

    /// Skips all invariants, so that violations don't end a run.
    private static func quiet(seed: UInt64) -> Simulator.Options {
        Simulator.Options(seed: seed, skipped: Set(Invariant.all.map(\.name)))
    }
}
