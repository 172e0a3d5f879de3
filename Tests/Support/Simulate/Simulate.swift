import ArgumentParser
import Foundation
import Simulation

/// Runs one seed for a simulated time, or many seeds for a real time.
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs LifeSignal's server against simulated people, networks, disks and clocks.")

    @Option(help: "The first seed; a fresh one without it.")
    var seed: UInt64?

    @Option(
        parsing: .upToNextOption,
        help: "With --devices: these seeds, which must reach every situation of Mark together.")
    var seeds: [UInt64] = []

    @Option(help: "Simulated hours of each seed.")
    var hours = 720

    @Option(help: "At most this many steps of each seed.")
    var steps = Int.max

    @Option(help: "Goes on with new seeds for this many seconds; one seed without it.")
    var seconds: Int?

    @Option(help: "How many seeds run at the same time.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    @Option(help: "How many people there are.")
    var people = 20

    @Option(help: "Seconds for making the list of a failure shorter.")
    var shrink = 60

    @Option(parsing: .upToNextOption, help: "Invariants that are not looked at.")
    var skip: [String] = []

    @Option(parsing: .upToNextOption, help: "Steps that are not thought of, by name.")
    var without: [String] = []

    @Option(help: "Only this invariant is looked at.")
    var only: String?

    @Flag(help: "Lists the invariants.")
    var list = false

    @Flag(help: "People with phones on bad connections instead of the server's machine.")
    var devices = false

    @Flag(help: "Prints what happens on the phones, or which messages came in all seeds.")
    var tell = false

    func run() async throws {
        guard !devices else { return try runDevices() }
        guard !list else {
            for invariant in Invariant.all { print("\(invariant.name): \(invariant.rule)") }
            return
        }
        let began = ContinuousClock.now
        let fresh = seed ?? UInt64.random(in: 1...999_999_999)
        print(
            "Simulating \(people) people from seed \(fresh). "
                + "Again: make simulate SEED=\(fresh) HOURS=\(hours)"
        )
        var latest: UInt64?
        var total = (steps: 0, days: 0.0)
        var (sights, seeds) = (Set<String>(), 0)
        func next() -> UInt64? {
            guard let last = latest else {
                latest = fresh
                return fresh
            }
            guard let seconds, ContinuousClock.now - began < .seconds(seconds) else { return nil }
            latest = last &+ 1
            return latest
        }
        try await withThrowingTaskGroup(of: RunResult.self) { group in
            func start() {
                guard let seed = next() else { return }
                let simulation = options(seed)
                group.addTask { try await Simulator(simulation).live(hours: hours, steps: steps) }
            }
            for _ in 0..<max(1, jobs) { start() }
            while let result = try await group.next() {
                print(result.summary)
                // Shows how far an interrupted run came.
                fflush(nil)
                total = (total.steps + result.steps.count, total.days + result.days)
                sights.formUnion(result.sights)
                seeds += 1
                if result.violation != nil {
                    group.cancelAll()
                    try await fail(result)
                }
                start()
            }
        }
        let passed = (ContinuousClock.now - began) / .seconds(1)
        print(
            "\(total.steps) steps, \(Int(total.days)) simulated days in \(Int(passed)) s "
                + "(\(Int(total.days * 60 / passed)) days a minute).")
        if tell { print(sights.sorted().joined(separator: "\n")) }
        let missing = Sights.all.subtracting(sights).sorted()
        let isWhole = hours >= 720 && steps == .max && people == 20 && without.isEmpty
        guard isWhole, seeds >= Sights.enoughSeeds, !missing.isEmpty else { return }
        print("Never happened: \(missing.joined(separator: ", ")).")
        throw ExitCode.failure
    }

    private func options(_ seed: UInt64) -> Simulator.Options {
        var skipped = Set(skip)
        if let only { skipped.formUnion(Invariant.all.map(\.name).filter { $0 != only }) }
        return Simulator.Options(
            seed: seed, people: people, skipped: skipped, without: Set(without))
    }

    private func fail(_ result: RunResult) async throws {
        print(
            "\(result.violation.map(\.description) ?? "")\n"
                + "Making the list of steps shorter, for at most \(shrink) s …"
        )
        let end = ContinuousClock.now.advanced(by: .seconds(shrink))
        var shrinker = Shrinker(result, options(result.seed)) { ContinuousClock.now > end }
        try await shrinker.shrink()
        print(shrinker.best.failureText)
        throw ExitCode.failure
    }
}
