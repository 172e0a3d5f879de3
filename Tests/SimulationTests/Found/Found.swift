import Simulation
import Testing

/// A failure that the simulation once found: the shortened list of steps that led to it.
struct Found: Sendable, CustomTestStringConvertible {
    var name: String
    var invariant: String
    var seed: UInt64
    /// The latest time of the failure, in milliseconds since the start.
    var until: Int64
    var steps: [TimedStep]

    init(
        _ name: String, breaks invariant: String, seed: UInt64, until: Int64, _ steps: [TimedStep]
    ) {
        self.name = name
        self.invariant = invariant
        self.seed = seed
        self.until = until
        self.steps = steps
    }

    static let all = aboutAlerts + aboutTelling

    var testDescription: String { name }

    func violation() async throws -> Violation? {
        try await Simulator(.init(seed: seed, only: invariant)).play(steps, until: until).violation
    }
}

@Suite struct FoundTests {
    @Test(arguments: Found.all) func whatWasFoundOnceDoesNotComeBack(found: Found) async throws {
        let violation = try await found.violation()
        #expect(violation == nil, "\(found.name)")
    }

    @Test func everyListIsForAnInvariantThatThereIs() {
        let names = Set(Invariant.all.map(\.name))
        for found in Found.all { #expect(names.contains(found.invariant), "\(found.name)") }
    }
}
