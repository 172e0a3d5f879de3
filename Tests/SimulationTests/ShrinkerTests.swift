import Testing

@testable import Simulation

@Suite struct ShrinkerTests {
    /// Returns options with an additional invariant. Any alert that a step has raised violates it.
    private func options() -> Simulator.Options {
        var options = Simulator.Options(seed: 2, skipped: Set(Invariant.all.map(\.name)))
        options.additional = [
            Invariant("calm", "Nobody raises an alert.") { world in
                world.open.first { alert in
                    alert.kind == .manual
                        && world.truth.accounts[alert.owner]?.raisedByKey.contains(alert.id)
                            != true
                }.map { "\(world.name($0.owner)) did" }
            }
        ]
        return options
    }

    @Test func aFailureIsMadeAsShortAsItCanBe() async throws {
        let failure = try await Simulator(options()).live(hours: 240)
        #expect(failure.violation?.invariant == "calm")
        #expect(failure.steps.count > 50)

        var shrinker = Shrinker(failure, options()) { false }
        try await shrinker.shrink()
        #expect(shrinker.best.steps.count == 2)
        #expect(shrinker.best.steps.first?.step.label == "join")
        #expect(shrinker.best.failureText.contains("signs up"))
        #expect(shrinker.best.failureText.contains("TimedStep("))
    }

    @Test func withoutTimeTheListStaysAsItIs() async throws {
        let failure = try await Simulator(options()).live(hours: 240)
        var shrinker = Shrinker(failure, options()) { true }
        try await shrinker.shrink()
        #expect(
            shrinker.best.violation == failure.violation
                || shrinker.best.steps.count < failure.steps.count)
    }
}
