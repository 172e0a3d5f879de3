import Domain
import Foundation
import Persistence
import SafetyNetwork
import SeededGenerator

/// Plays steps in one world: it is the loops of the server, the devices of the people and the
/// observer in one. One thing happens at a time, and the seed decides which.
public actor Simulator {
    public struct Options: Sendable {
        public var seed: UInt64
        public var people: Int
        /// Invariants that are not looked at.
        public var skipped: Set<String>
        /// Steps that the generator does not think of, by the names of their cases.
        public var without: Set<String>
        /// Invariants besides those of the list.
        public var additional: [Invariant] = []

        public init(
            seed: UInt64, people: Int = 20, skipped: Set<String> = [], without: Set<String> = []
        ) {
            self.seed = seed
            self.people = people
            self.skipped = skipped
            self.without = without
        }

        /// Only one invariant is looked at.
        public init(seed: UInt64, people: Int = 20, only: String) {
            self.init(
                seed: seed, people: people,
                skipped: Set(Invariant.all.map(\.name)).subtracting([only]))
        }
    }

    let options: Options
    let world: World
    let folder: Folder
    let invariants: [Invariant]

    // The server
    var database: String
    var databases = 1
    var server: Server?
    var monitorDue: Date = .distantPast
    var isMonitorWanted = true
    var monitorRetryAt: Date = .distantPast
    var laneDue: [Date] = [.distantFuture, .distantFuture]
    var lastPass: Date?
    var cleanUpDue: Date = .distantPast
    var lastCheck: Date

    // The world
    var agenda = Agenda()
    var phones: [Phone]
    var identities: [UserID: Int] = [:]
    var moments: Moments
    var backup: (path: String, truth: Truth, at: Date)?
    var broken: [(table: Step.Table, person: Int, until: Date)] = []
    var lastEndpoint = 0
    var streamed: [(user: UserID, notification: NotificationID)] = []

    // The observer
    var truth: Truth
    var hearing = Hearing()
    var handled: [Int: Date] = [:]
    var incidents: [Incident] = []
    var hasNews = false
    var violation: Violation?
    var trace = Trace()
    var counts = Counts()

    /// True moments at which something about the machine changed.
    struct Moments: Sendable {
        var runningSince: Date
        var stoppedAt: Date?
        /// Counts the starts of the machine.
        var boot: Int64 = 1
        var startedWrong = false
        /// The server has taken a wrong time for the right one.
        var isMisled = false
        var downtime: Duration = .zero
        var diskFullUntil: Date = .distantPast
        var clockWrongUntil: Date = .distantPast
        var clockWrongFor: Duration = .zero
    }

    /// The events of a run, to know that it was worth something.
    public struct Counts: Sendable, Equatable {
        public var alerts = 0
        public var heard = 0
        public var starts = 0
        public var restores = 0
        public var checks = 0
    }

    public init(_ options: Options) throws {
        self.options = options
        world = World(seed: options.seed)
        folder = try Folder()
        database = folder.file("database-1")
        phones = (0..<options.people).map(Phone.init)
        truth = Truth(people: options.people)
        moments = Moments(runningSince: world.time.now)
        lastCheck = world.time.now
        invariants =
            Invariant.all.filter { !options.skipped.contains($0.name) } + options.additional
    }

    var now: Date { world.time.now }

    /// A number for this world and moment, the same whatever other steps there are.
    func luck(_ parts: Int..., below limit: Int) -> Int {
        let number = parts.reduce(SeededGenerator.number(world.seed, UInt64(now.milliseconds))) {
            SeededGenerator.number($0, UInt64(bitPattern: Int64($1)))
        }
        return Int(number % UInt64(limit))
    }

    func name(_ person: Int) -> String { Names.of(person) }

    func note(_ invariant: String, _ text: String) {
        incidents.append(Incident(invariant: invariant, text: text))
    }

    // MARK: Running

    /// Plays a list of steps, until `end` or for an hour and a half after them.
    public func play(_ steps: [TimedStep], until end: Int64? = nil) async throws -> RunResult {
        try await start()
        var played: [TimedStep] = []
        for step in steps where violation == nil {
            played.append(step)
            try await play(step)
        }
        let last = end ?? (steps.last?.at ?? 0) + 5_400_000
        if violation == nil { try await pass(to: SimulatedTime.start.adding(.milliseconds(last))) }
        return try await result(played)
    }

    /// Plays what the generator thinks of, until time or steps are over.
    public func live(hours: Int, steps limit: Int = .max) async throws -> RunResult {
        try await start()
        var generator = StepGenerator(options)
        let end = Int64(hours) * 3_600_000
        var played: [TimedStep] = []
        while violation == nil, played.count < limit {
            let step = generator.next(after: now, truth)
            guard step.at < end else { break }
            played.append(step)
            try await play(step)
        }
        if violation == nil, played.count < limit {
            try await pass(to: SimulatedTime.start.adding(.milliseconds(end)))
        }
        return try await result(played)
    }

    private func play(_ step: TimedStep) async throws {
        try await pass(to: SimulatedTime.start.adding(.milliseconds(step.at)))
        guard violation == nil else { return }
        trace.add(step.at)
        trace.add(step.step.description)
        try await perform(step.step)
        try await settle()
    }

    private func result(_ played: [TimedStep]) async throws -> RunResult {
        if violation == nil { try await checkDurability() }
        report(incidents)
        trace.add(now.milliseconds)
        if let server {
            server.disk.condition = .dead
            try server.disk.close()
        }
        return RunResult(
            seed: options.seed, people: options.people, steps: played,
            milliseconds: now.since(SimulatedTime.start).milliseconds, hash: trace.hash,
            violation: violation, counts: counts)
    }
}

/// How a run went.
public struct RunResult: Sendable, Equatable {
    public var seed: UInt64
    public var people: Int
    public var steps: [TimedStep]
    public var milliseconds: Int64
    /// Of everything that happened.
    public var hash: UInt64
    public var violation: Violation?
    public var counts: Simulator.Counts

    public var days: Double { Double(milliseconds) / 86_400_000 }
}
