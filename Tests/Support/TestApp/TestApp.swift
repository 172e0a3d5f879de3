import ClientsLive
import Cryptography
import Domain
import Foundation
import HTTPServer
import Hummingbird
import InProcessTransport
import Logging
import Persistence
import SafetyNetwork
import Synchronization
import TestDatabase

/// The real server in this process, with its database, router and clients. The test controls its
/// time.
public final class TestApp: Sendable {
    public enum Database: Sendable {
        /// A database in memory, with bystanders.
        case memory
        case file(String)
        /// A file that is deleted with the app.
        case temporaryFile
    }

    public enum Limits: Sendable {
        /// Sets no limits for codes, check-ins and requests.
        case none
        case production
    }

    public struct Setup: Sendable {
        public var options: SafetyNetwork.Options
        public var configuration: ServerApplication.Configuration
        public var random = RandomBytes.system
        public var makeID: @Sendable () -> UUID = { UUID() }
        /// Returns the server's time; nil to use `time`.
        public var now: (@Sendable () -> Date)?
        public var runsOnCallersThread = false
        public var onCommit: @Sendable () -> Void = {}
    }

    public let network: SafetyNetwork
    public let engine: any DatabaseEngine
    public let hub = EventHub()
    public let deadlineMonitor: DeadlineMonitor
    public let time: TestTime
    public let pictures = PictureWorkshop()
    private let folder: TemporaryFolder?
    private let closesItself: Bool
    private let codes = CodeBook()
    private let parts: ServerApplication.Parts
    private let setup: Setup
    private let respond: @Sendable (Request, LifeSignalContext) async throws -> Response

    /// Throws the disk's error if the database can't be created.
    /// - Parameter start: the server's time at the beginning.
    public init(
        _ database: Database = .temporaryFile, limits: Limits = .none,
        at start: Date = TestTime.noon, _ change: (inout Setup) -> Void = { _ in }
    ) throws {
        guard let publicURL = URL(string: "https://lifesignal.example"),
            let key = ServerKey(bytes: Data(repeating: 7, count: 32))
        else { throw NotPossible() }
        var setup = Setup(
            options: .init(publicURL: publicURL), configuration: .init(publicURL: publicURL))
        setup.configuration.port = 0
        if case .none = limits { setup.removeLimits() }
        change(&setup)
        self.setup = setup

        let (time, callers) = (TestTime(start), CallerCache())
        self.time = time
        let (hub, codes, onCommit) = (hub, codes, setup.onCommit)
        let report: @Sendable (CommitReport) -> Void = { report in
            callers.forget(report.outbox.changedSessions)
            hub.publish(report.outbox)
            onCommit()
        }
        var folder: TemporaryFolder?
        var closesItself = false
        let now = setup.now ?? { time.now }
        switch database {
        case .memory:
            engine = try TestDatabase.make(hasBystanders: true, now: now, report: report)
            closesItself = TestDatabase.isPostgreSQL
        case .file(let path):
            engine = try SQLiteEngine(
                path: path, now: now, runsOnCallersThread: setup.runsOnCallersThread, report: report
            )
        case .temporaryFile where TestDatabase.isPostgreSQL:
            engine = try TestDatabase.make(now: now, report: report)
            closesItself = true
        case .temporaryFile:
            closesItself = true
            let new = try TemporaryFolder()
            folder = new
            engine = try SQLiteEngine(
                path: new.url.appending(path: "lifesignal.sqlite").path, now: now,
                runsOnCallersThread: setup.runsOnCallersThread, report: report)
        }
        self.folder = folder
        self.closesItself = closesItself
        let first = now()
        var environment = SafetyNetwork.Environment { codes.note($1, for: $0) }
        environment.random = setup.random
        environment.makeID = setup.makeID
        network = SafetyNetwork(
            database: engine, options: setup.options, key: key, callers: callers,
            environment: environment)
        deadlineMonitor = DeadlineMonitor(network)
        let clock = ServerClock(wall: now, monotonic: { now().since(first) })
        parts = ServerApplication.Parts(
            network: network, hub: hub, metrics: Metrics(),
            readiness: Readiness(
                database: engine, deadlineMonitor: deadlineMonitor, loops: [], clock: clock),
            phoneNumbers: PhoneNumberCheck { _ in true })
        let responder = ServerApplication.router(parts, setup.configuration).buildResponder()
        respond = { try await responder.respond(to: $0, context: $1) }
    }

    // Transports may outlive the app, so the database closes with this object. Closing waits for
    // reads, which need Swift's task threads on Linux. So another thread closes the database.
    deinit {
        guard closesItself else { return }
        let (hub, engine, folder) = (hub, engine, folder)
        Thread.detachNewThread {
            hub.close()
            withExtendedLifetime(folder) { try? engine.close() }
        }
    }

    public func close() {
        hub.close()
        try? engine.close()
    }

    public var transport: InProcessTransport { transport(from: "192.0.2.1") }

    /// - Parameter address: the client's IP address, for rate limits.
    public func transport(from address: String) -> InProcessTransport {
        InProcessTransport(
            CallbackResponder(callback: respond), address: address, logger: Self.silence,
            makeID: { [makeID = setup.makeID] in makeID().uuidString.lowercased() })
    }

    public func connection(
        from address: String = "192.0.2.1", store: any TokenStore = MemoryTokenStore()
    ) -> Connection {
        Connection(transport: transport(from: address), store: store, random: { 0 })
    }

    /// Runs `work` while the server also listens on a port of this machine.
    public func overHTTP<Value: Sendable>(
        _ work: @Sendable (HTTPTransport) async throws -> Value
    ) async throws -> Value {
        try await onPort { number in
            guard let base = URL(string: "http://127.0.0.1:\(number)") else { throw NotPossible() }
            return try await work(HTTPTransport(base: base))
        }
    }

    /// Runs `work` while the server listens on a port, which `work` receives.
    /// - Parameter extend: adds routes to the server's own.
    public func onPort<Value: Sendable>(
        extend: (Router<LifeSignalContext>) -> Void = { _ in },
        _ work: @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = ServerApplication.service(
            parts, setup.configuration, logger: Self.silence, extend: extend,
            onRunning: { port.yield($0) })
        let serving = Task {
            defer { port.finish() }
            try await application.run()
        }
        defer { serving.cancel() }
        guard let number = await ports.first(where: { _ in true }) else { throw NotPossible() }
        return try await work(number)
    }

    /// Returns the code sent to a number by SMS. Throws `NotPossible` if there is none.
    public func code(for number: String) throws -> String {
        guard let code = try sentCode(for: number) else { throw NotPossible() }
        return code
    }

    /// Returns the code sent to a number by SMS; nil if there is none.
    public func sentCode(for number: String) throws -> String? { codes[try PhoneNumber(number)] }

    public var streamCount: Int { hub.streamCount }

    /// Sends the keep-alive that a real server sends on each stream every 15 seconds.
    public func keepStreamsAlive() { hub.keepAlive() }

    public func count(_ sql: String, _ values: [SQLValue] = []) async throws -> Int {
        let sql = Bystanders.left(outOf: sql)
        return try await engine.read { try $0.count(sql, values) }
    }

    private static var silence: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

extension TestApp.Setup {
    fileprivate mutating func removeLimits() {
        (options.codesPerNumber, options.codesPerAddress) = (1_000_000, 1_000_000)
        (options.codesPerHour, options.checkInsPerHour) = (0, 0)
        (options.codesToNewNumbers, options.codesToNewNumbersPerCountry) = (0, 0)
        (configuration.requestsPerUser, configuration.requestsPerAddress) = (0, 0)
    }
}

/// A mistake in the test support itself, not in the tested code.
public struct NotPossible: Error {
    public init() {}
}

private final class CodeBook: Sendable {
    private let codes = Mutex<[PhoneNumber: String]>([:])

    func note(_ code: String, for number: PhoneNumber) { codes.withLock { $0[number] = code } }
    subscript(number: PhoneNumber) -> String? { codes.withLock { $0[number] } }
}
