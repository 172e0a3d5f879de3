import Domain
import Foundation
import Persistence
import SafetyNetwork
import SeededGenerator

/// Plays steps in one world. It replaces the server's loops and people's devices, and observes.
/// Nothing runs in parallel, and the seed decides the order.
public actor Simulator {
    public struct Options: Sendable {
        public var seed: UInt64
        public var people: Int
        /// The names of invariants to skip.
        public var skipped: Set<String>
        /// The names of steps that the generator omits.
        public var without: Set<String>
        public var additional: [Invariant] = []

        public init(
            seed: UInt64, people: Int = 20, skipped: Set<String> = [], without: Set<String> = []
        ) {
            self.seed = seed
            self.people = people
            self.skipped = skipped
            self.without = without
        }

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
    var lastPass: Date?
    var cleanUpDue: Date = .distantPast
    var chores: Chores
    var lastCheck: Date

    // The world
    var agenda = Agenda()
    var phones: [Phone]
    var identities: [UserID: Int] = [:]
    var moments: Moments
    var clockWatch: ClockWatch
    var copyWatch = CopyWatch()
    var backup: (path: String, truth: Truth, at: Date)?
    var broken: [(table: Step.Table, person: Int, until: Date)] = []
    var lastEndpoint = 0
    var lastMailbox = 0
    var lastAddress = 0
    var lastAct = 0
    /// The exports of people who were moved out. They are on no server.
    var exports: [Int: MovedPerson] = [:]
    var streamed: [(user: UserID, notification: NotificationID)] = []

    // The observer
    var truth: Truth
    var hearing = Hearing()
    var handled: [Int: Date] = [:]
    /// The true times when people last changed or ended a journey.
    var handledJourneys: [Int: Date] = [:]
    var incidents: [Incident] = []
    var hasNews = false
    /// When the rounds of the ladder are checked, so that each time is planned once.
    var ladderLooks: Set<Date> = []
    var violation: Violation?
    var trace = Trace()
    var counts = Counts()
    /// What the run has reached of `Sights.all`, and more.
    var sights = Set<String>()

    /// The true times of changes to the machine.
    struct Moments: Sendable {
        var runningSince: Date
        var stoppedAt: Date?
        var boot: Int64 = 1
        var startedWrong = false
        /// Whether the server trusts a wrong time.
        var isMisled = false
        var downtime: Duration = .zero
        var diskFullUntil: Date = .distantPast
        var clockWrongUntil: Date = .distantPast
        var clockWrongFor: Duration = .zero
    }

    /// Counts a run's events, to judge whether the run was useful.
    public struct Counts: Sendable, Equatable {
        public var alerts = 0
        public var heard = 0
        public var starts = 0
        public var restores = 0
        public var checks = 0
        public var deletions = 0
    }

    public init(_ options: Options) throws {
        self.options = options
        world = World(seed: options.seed)
        folder = try Folder()
        database = folder.file("database-1")
        phones = (0..<options.people + Truth.correspondents).map(Phone.init)
        truth = Truth(people: options.people)
        moments = Moments(runningSince: world.time.now)
        clockWatch = ClockWatch(at: world.time.now)
        chores = Chores(from: world.time.now)
        lastCheck = world.time.now
        invariants =
            Invariant.all.filter { !options.skipped.contains($0.name) } + options.additional
    }

    var now: Date { world.time.now }

    /// Returns a pseudo-random number for this world and time, independent of the other steps.
    func luck(_ parts: Int..., below limit: Int) -> Int {
        let number = parts.reduce(SeededGenerator.number(world.seed, UInt64(now.milliseconds))) {
            SeededGenerator.number($0, UInt64(bitPattern: Int64($1)))
        }
        return Int(number % UInt64(limit))
    }

    func name(_ person: Int) -> String { Names.of(person) }

    /// Returns the number of a person's phone, also without an account.
    func phoneNumber(of person: Int) throws(CommandError) -> PhoneNumber {
        try Phone.number(truth.numbers[person, default: 0], of: person)
    }

    func note(_ invariant: String, _ text: String) {
        incidents.append(Incident(invariant: invariant, text: text))
    }

    // MARK: Running

    /// Plays a list of steps, until `end` or for another hour and a half.
    public func play(_ steps: [TimedStep], until end: Int64? = nil) async throws -> RunResult {
        try await start()
        var played: [TimedStep] = []
        for step in steps where violation == nil {
            played.append(step)
            try await play(step)
        }
        let last = end ?? (steps.last?.at ?? 0) + 5_400_000
        if violation == nil { try await pass(to: world.time.start.adding(.milliseconds(last))) }
        return try await result(played)
    }

    /// Plays generated steps, up to a time or a number of steps.
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
            try await pass(to: world.time.start.adding(.milliseconds(end)))
        }
        return try await result(played)
    }

    private func play(_ step: TimedStep) async throws {
        try await pass(to: world.time.start.adding(.milliseconds(step.at)))
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
            milliseconds: now.since(world.time.start).milliseconds, hash: trace.hash,
            violation: violation, counts: counts, sights: sights)
    }
}

public struct RunResult: Sendable, Equatable {
    public var seed: UInt64
    public var people: Int
    public var steps: [TimedStep]
    public var milliseconds: Int64
    public var hash: UInt64
    public var violation: Violation?
    public var counts: Simulator.Counts
    public var sights: Set<String>

    public var days: Double { Double(milliseconds) / 86_400_000 }
}
