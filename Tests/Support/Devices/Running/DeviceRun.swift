import ClientsLive
import Domain
import Features
import Foundation
import SeededGenerator
import Simulation
import Synchronization

/// Some people with phones on bad connections, and the real server, for some hours.
public final class DeviceRun: Sendable {
    public struct Options: Sendable {
        public var seed: UInt64
        public var people = 4
        /// Simulated hours of doing things; a calm of 20 minutes follows each.
        public var hours = 2
        /// Prints what happens.
        public var tells = false
        /// Names of `DeviceInvariant.all` that are not looked at.
        public var skipped: Set<String> = []
        /// Things that nobody does, by the name of their `Act`.
        public var without: Set<String> = []

        public init(seed: UInt64) { self.seed = seed }
    }

    public struct Result: Sendable {
        public var seed: UInt64
        public var acts: Int
        public var looks: Int
        public var simulated: Duration
        /// Of everything that happened: equal seeds have equal ones.
        public var hash: UInt64
        /// Jobs from other threads: what is left to chance.
        public var foreignJobs: Int
        /// The violations, with their moments.
        public var violations: [String]
        /// The last things that happened.
        public var story: [String]
    }

    struct Record {
        var presses: [Int: [Press]] = [:]
        /// When somebody's network became good; nil while it is not.
        var goodSince: [Int: Duration] = [:]
        var violations: [String] = []
        var broken: Set<String> = []
        var story: [String] = []
        var trace = Trace()
        var acts = 0
        var looks = 0
        var isLooking = false
    }

    let options: Options
    let server: DeviceServer
    let devices: [Device]
    /// Another session of each, that only reads, on a connection without faults.
    let observers: [Connection]
    let chance: Mutex<SeededGenerator>
    let record = Mutex(Record())
    let clock = VirtualClock()
    private let folder: TemporaryFolder

    /// Throws what the disk throws.
    public init(_ options: Options) throws {
        self.options = options
        let ids = Ids(seed: SeededGenerator.number(options.seed, 1))
        let folder = try TemporaryFolder()
        self.folder = folder
        chance = Mutex(SeededGenerator(seed: options.seed))
        let server = try DeviceServer(path: folder.path("server.sqlite"), ids: ids)
        self.server = server
        observers = (0..<options.people).map { _ in
            Connection(
                transport: server.transport, store: MemoryTokenStore(),
                clock: ClientClock(VirtualClock()),
                random: { 0 })
        }
        devices = try (0..<options.people).map { number in
            let name = ["Ana", "Ben", "Cy", "Dora", "Eli", "Fay"][number % 6]
            let tell: @Sendable (String) -> Void = { words in
                guard options.tells else { return }
                print(Self.moment + "  \(name)" + words)
            }
            let connection = BadConnection(
                seed: SeededGenerator.number(options.seed, 2, UInt64(number)), tell: tell
            ) { server.transport }
            return Device(
                name, "+1555010\(1000 + number)", folder: try folder.folder(name),
                connection: connection, ids: ids)
        }
    }

    /// Blocks. Once in a process at a time.
    public func run() -> Result {
        let start = Scheduler.shared.now
        Scheduler.shared.run(onQuiet: { [self] in Task { await look() } }) { [self] in
            do { try await live() } catch { note("the run", "threw \(error)") }
        }
        return record.withLock { record in
            Result(
                seed: options.seed, acts: record.acts, looks: record.looks,
                simulated: Scheduler.shared.now - start, hash: record.trace.hash,
                foreignJobs: Scheduler.shared.foreignJobs, violations: record.violations,
                story: record.story)
        }
    }

    private func live() async throws {
        let loops = Task { [self] in
            while !Task.isCancelled {
                try await clock.sleep(for: .seconds(15))
                try await server.tick()
            }
        }
        for person in devices.indices { set(person, to: draw([.good, .slow, .bad])) }
        for person in devices.indices { try await arrive(person) }
        for person in devices.indices { set(person, to: .good) }
        try await meet()
        for hour in 0..<options.hours {
            tell("hour \(hour)")
            try await actForAnHour()
            guard !isBroken else { break }
            await calm()
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
            let pause = draw([0.1, 0.4, 1, 2, 5, 10, 30, 60, 200] as [Double])
            try await clock.sleep(for: .milliseconds(Int(pause * 1_000 * draw(0.5..<1.5))))
            try await act()
        }
    }

    /// Everybody has a good network again, and waits.
    private func calm() async {
        tell("calm")
        for person in devices.indices { set(person, to: .good) }
        for device in devices { await device.start() }
        // Longer than the longest pause between two tries (300 s) and a stream that is silent (45
        // s).
        try? await clock.sleep(for: .seconds(1_200))
        // Tabs in the background need not be up to date: each is drawn once.
        for tab in [MainTabFeature.Tab.responders, .dependents, .profile, .home] {
            for device in devices { await device.go(to: tab) }
            try? await clock.sleep(for: .seconds(5))
            for person in devices.indices { await lookAt(tab, person) }
        }
    }

    func set(_ person: Int, to quality: BadConnection.Quality) {
        tell("\(devices[person].name)'s network is \(quality)")
        devices[person].connection.change(to: quality)
        record.withLock { $0.goodSince[person] = quality == .good ? Scheduler.shared.now : nil }
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
        record.withLock { record in
            record.trace.add(moment + words)
            record.story.append("\(moment)  \(words)")
            if record.story.count > 60 { record.story.removeFirst() }
        }
        if options.tells { print("\(moment)  \(words)") }
    }

    var isBroken: Bool { record.withLock { !$0.violations.isEmpty } }

    func note(_ invariant: String, _ words: String) {
        guard !options.skipped.contains(invariant) else { return }
        let isNew = record.withLock { $0.broken.insert(invariant).inserted }
        guard isNew else { return }
        tell("BROKEN \(invariant): \(words)")
        let moment = String(format: "%.3f", Scheduler.shared.now / .seconds(1))
        record.withLock { $0.violations.append("\(moment) s  \(invariant): \(words)") }
    }
}

/// A folder of one run, on tmpfs where there is one; it goes with its holder.
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
