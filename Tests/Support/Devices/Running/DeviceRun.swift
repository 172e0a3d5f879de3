import ClientsLive
import Domain
import Features
import Foundation
import SeededGenerator
import Simulation
import Synchronization

/// Runs the real server and some people with phones on bad connections, for some simulated hours.
public final class DeviceRun: Sendable {
    public struct Options: Sendable {
        public var seed: UInt64
        public var people = 4
        /// The simulated hours with acts. A calm of 20 minutes follows each.
        public var hours = 2
        /// Whether to print each press and call.
        public var tells = false
        /// The names of skipped invariants (`DeviceInvariant.all`).
        public var skipped: Set<String> = []
        /// The names of omitted acts (`Act`).
        public var without: Set<String> = []

        public init(seed: UInt64) { self.seed = seed }
    }

    public struct Result: Sendable {
        public var seed: UInt64
        public var acts: Int
        public var looks: Int
        public var simulated: Duration
        /// The hash of all events. Equal seeds give equal hashes.
        public var hash: UInt64
        /// The number of jobs from other threads, whose order is left to chance.
        public var foreignJobs: Int
        public var violations: [Violation]
        public var story: [String]
        /// The rare states that the run has reached. A test's seeds together must reach all.
        public var marks: Set<Mark>
    }

    public struct Violation: Sendable {
        /// The name of an invariant in `DeviceInvariant.all`, or another problem.
        public var invariant: String
        public var words: String
    }

    struct Record {
        var presses: [Int: [Press]] = [:]
        /// The phones on which a person is in the middle of an act.
        var busy: Set<Int> = []
        /// The number of acts that are scheduled or in progress.
        var underWay = 0
        var marks: Set<Mark> = []
        /// The time when each phone's network became good; only for phones on a good network.
        var goodSince: [Int: Duration] = [:]
        var violations: [Violation] = []
        var broken: Set<String> = []
        var story: [String] = []
        var acts = 0
        var looks = 0
        var isLooking = false
    }

    let options: Options
    let server: DeviceServer
    let habits: Habits
    /// The first phone of each person, followed by the second phones.
    let devices: [Device]
    /// Another session of each person. It only reads, over a connection without faults.
    let observers: [Connection]
    let chance: Mutex<SeededGenerator>
    let record = Mutex(Record())
    /// The hash of every call and every screen.
    private let traffic: SharedTrace
    let clock = VirtualClock()
    private let folder: TemporaryFolder

    public init(_ options: Options) throws {
        self.options = options
        let ids = Ids(seed: SeededGenerator.number(options.seed, 1))
        let folder = try TemporaryFolder()
        self.folder = folder
        chance = Mutex(SeededGenerator(seed: options.seed))
        let habits = Habits(seed: options.seed, without: options.without)
        self.habits = habits
        let trace = SharedTrace()
        traffic = trace
        let server = try DeviceServer(path: folder.path("server.sqlite"), ids: ids)
        self.server = server
        observers = (0..<options.people).map { _ in
            Connection(
                transport: server.transport, store: MemoryTokenStore(),
                clock: ClientClock(VirtualClock()),
                random: { 0 })
        }
        devices = try (0..<options.people + (habits.hasSecondPhone ? 1 : 0)).map { number in
            let person = number % options.people
            let name = Self.name(of: person) + (number == person ? "" : "'s second")
            let tell: @Sendable (String) -> Void = { words in
                trace.add(Self.moment + name + words)
                if options.tells { print(Self.moment + "  \(name)" + words) }
            }
            let connection = BadConnection(
                seed: SeededGenerator.number(options.seed, 2, UInt64(number)),
                strangeAnswers: habits.strangeAnswers, tell: tell
            ) { server.transport }
            return Device(
                number, of: person, name, "+1555010\(1000 + person)",
                folder: try folder.folder("\(number)"), connection: connection, ids: ids)
        }
    }

    static func name(of person: Int) -> String {
        ["Ana", "Ben", "Cy", "Dora", "Eli", "Fay"][person % 6]
    }

    func phones(of person: Int) -> [Device] { devices.filter { $0.person == person } }

    /// Performs the run and blocks until its end. A process can perform only one run at a time.
    public func run() -> Result {
        let start = Scheduler.shared.now
        Scheduler.shared.run(onQuiet: { [self] in Task { await look() } }) { [self] in
            do { try await live() } catch { note("the run", "threw \(error)") }
        }
        return record.withLock { record in
            Result(
                seed: options.seed, acts: record.acts, looks: record.looks,
                simulated: Scheduler.shared.now - start, hash: traffic.hash,
                foreignJobs: Scheduler.shared.foreignJobs, violations: record.violations,
                story: record.story, marks: record.marks)
        }
    }

    private func live() async throws {
        let loops = Task { [self] in
            while !Task.isCancelled {
                try await clock.sleep(for: .seconds(15))
                try await server.tick()
            }
        }
        for device in devices { set(device, to: draw([.good, .slow, .bad])) }
        for device in devices { try await arrive(device) }
        for device in devices { set(device, to: .good) }
        try await meet()
        for hour in 0..<options.hours {
            tell("hour \(hour)")
            try await actForAnHour()
            guard !isBroken else { break }
            try await calm()
            try await lookAtTheEnd()
            guard !isBroken else { break }
        }
        loops.cancel()
        for device in devices { await device.kill() }
        server.close()
    }

    private func actForAnHour() async throws {
        let end = Scheduler.shared.now + .seconds(3_600)
        while Scheduler.shared.now < end, !isBroken {
            let pause = draw(habits.pauses) * draw(0.5..<1.5)
            try await clock.sleep(for: .milliseconds(Int(pause * 1_000)))
            let act = chance.withLock { habits.act(using: &$0) }
            start(act, on: draw(devices))
        }
        while record.withLock({ $0.underWay > 0 }) { try await clock.sleep(for: .seconds(1)) }
    }

    /// Starts an act, even while others are in progress.
    func start(_ act: Act, on device: Device, after pause: Duration = .zero) {
        record.withLock { $0.underWay += 1 }
        Task { [self] in
            defer { record.withLock { $0.underWay -= 1 } }
            do {
                if pause > .zero { try await clock.sleep(for: pause) }
                try await self.act(act, on: device)
            } catch { note("the run", "\(act) threw \(error)") }
        }
    }

    /// Gives everyone a good network, and waits.
    private func calm() async throws {
        tell("calm")
        for device in devices {
            set(device, to: .good)
            device.connection.loseNothing()
            device.trustClock()
            await device.start()
            await device.send(.becameActive)
        }
        try await clock.sleep(for: .seconds(60))
        // A session that ended elsewhere requires a new sign-in.
        for device in devices where device.tabs == nil { try await arrive(device) }
        // Longer than the longest pause between attempts (300 s) and the detection of a silent
        // stream (45 s) together.
        try? await clock.sleep(for: .seconds(1_200))
        // A background tab needn't be up to date, so show each tab once.
        for tab in [MainTabFeature.Tab.responders, .dependents, .profile, .home] {
            for device in devices { await device.go(to: tab) }
            try? await clock.sleep(for: .seconds(5))
            for device in devices { await lookAt(tab, device) }
        }
    }

    func set(_ device: Device, to quality: BadConnection.Quality) {
        tell("\(device.name)'s network is \(quality)")
        device.connection.change(to: quality)
        record.withLock { record in
            record.goodSince[device.number] = quality == .good ? Scheduler.shared.now : nil
        }
    }

    // MARK: SeededGenerator and words

    func draw<Value>(_ values: [Value]) -> Value {
        values[chance.withLock { Int.random(in: values.indices, using: &$0) }]
    }
    func draw(_ range: Range<Double>) -> Double {
        chance.withLock { Double.random(in: range, using: &$0) }
    }

    private static var moment: String {
        String(format: "%9.3f", Scheduler.shared.now / .seconds(1))
    }

    func tell(_ words: String) {
        let moment = Self.moment
        traffic.add(moment + words)
        record.withLock { record in
            record.story.append("\(moment)  \(words)")
            if record.story.count > 60 { record.story.removeFirst() }
        }
        if options.tells { print("\(moment)  \(words)") }
    }

    func trace(_ screen: String) { traffic.add(screen) }

    func mark(_ mark: Mark) { record.withLock { _ = $0.marks.insert(mark) } }

    var isBroken: Bool { record.withLock { !$0.violations.isEmpty } }

    func note(_ invariant: String, _ words: String) {
        guard !options.skipped.contains(invariant) else { return }
        let isNew = record.withLock { $0.broken.insert(invariant).inserted }
        guard isNew else { return }
        tell("BROKEN \(invariant): \(words)")
        let moment = String(format: "%.3f", Scheduler.shared.now / .seconds(1))
        record.withLock { record in
            record.violations.append(
                Violation(invariant: invariant, words: "\(moment) s  \(invariant): \(words)"))
        }
    }
}

private final class SharedTrace: Sendable {
    private let trace = Mutex(Trace())

    var hash: UInt64 { trace.withLock { $0.hash } }
    func add(_ text: String) { trace.withLock { $0.add(text) } }
}

/// The folder of one run, in memory (tmpfs) if possible. Deleted with this object.
private final class TemporaryFolder: Sendable {
    private let url: URL

    init() throws {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let isThere = FileManager.default.isWritableFile(atPath: memory.path)
        url = (isThere ? memory : FileManager.default.temporaryDirectory)
            .appending(path: "lifesignal-devices-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func folder(_ name: String) throws -> URL {
        let folder = url.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
