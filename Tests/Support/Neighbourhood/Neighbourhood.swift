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

/// The real server in this process, on a database on disk, and the people who use it: for the integration tests and for
/// measuring. Its time passes only when it is told to.
public final class Neighbourhood: Sendable {
    public let network: SafetyNetwork
    public let watch: Watch
    public let time: WallTime
    public let pictures = PictureWorkshop()
    private let engine: SQLiteEngine
    private let hub: EventHub
    private let folder: TemporaryFolder
    private let codes: CodeBook
    private let parts: ServerApplication.Parts
    private let configuration: ServerApplication.Configuration
    private let respond: @Sendable (Request, LifeSignalContext) async throws -> Response

    /// Throws what the disk throws.
    /// - Parameter start: the time at first.
    public init(at start: Date = WallTime.noon) throws {
        guard let publicURL = URL(string: "https://lifesignal.example"), let key = ServerKey(bytes: Data(repeating: 7, count: 32)) else {
            throw NotPossible()
        }
        let (hub, callers, time, codes) = (EventHub(), CallerCache(), WallTime(start), CodeBook())
        (self.hub, self.codes, self.time) = (hub, codes, time)
        folder = try TemporaryFolder()
        engine = try SQLiteEngine(
            path: folder.url.appending(path: "lifesignal.sqlite").path,
            report: { report in
                callers.forget(report.outbox.changedSessions)
                hub.publish(report.outbox)
            })
        var options = SafetyNetwork.Options(publicURL: publicURL)
        (options.codesPerNumber, options.codesPerAddress) = (1_000_000, 1_000_000)
        (options.codesPerHour, options.checkInsPerHour) = (0, 0)
        network = SafetyNetwork(
            database: engine, options: options, key: key, callers: callers, now: { time.now }, sendCode: { codes.note($1, for: $0) })
        watch = Watch(network)
        let clock = ServerClock(wall: { time.now }, monotonic: { time.now.since(start) })
        parts = ServerApplication.Parts(
            network: network, hub: hub, metrics: Metrics(), readiness: Readiness(database: engine, watch: watch, loops: [], clock: clock),
            phoneNumbers: PhoneNumberCheck { _ in true })
        var configuration = ServerApplication.Configuration(publicURL: publicURL)
        (configuration.requestsPerUser, configuration.requestsPerAddress, configuration.port) = (0, 0, 0)
        self.configuration = configuration
        let responder = ServerApplication.router(parts, configuration).buildResponder()
        respond = { try await responder.respond(to: $0, context: $1) }
    }

    deinit {
        hub.close()
        try? engine.close()
    }

    /// The way to the server's own router.
    public var line: InProcessTransport { InProcessTransport(CallbackResponder(callback: respond), address: "192.0.2.1", logger: Self.silence) }

    /// The same server on a port of this machine, as long as the work takes.
    public func overHTTP<Value: Sendable>(_ work: @Sendable (HTTPTransport) async throws -> Value) async throws -> Value {
        try await onPort { number in
            guard let base = URL(string: "http://127.0.0.1:\(number)") else { throw NotPossible() }
            return try await work(HTTPTransport(base: base))
        }
    }

    /// The same, for whoever speaks to the port in another way.
    /// - Parameter extend: adds routes.
    public func onPort<Value: Sendable>(
        extend: (Router<LifeSignalContext>) -> Void = { _ in }, _ work: @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = ServerApplication.build(parts, configuration, logger: Self.silence, extend: extend, onRunning: { port.yield($0) })
        let serving = Task {
            defer { port.finish() }
            try await application.runService(gracefulShutdownSignals: [])
        }
        defer { serving.cancel() }
        guard let number = await ports.first(where: { _ in true }) else { throw NotPossible() }
        return try await work(number)
    }

    /// The code that went to a number by SMS.
    public func code(for number: String) throws -> String {
        guard let code = codes[try PhoneNumber(number)] else { throw NotPossible() }
        return code
    }

    /// Streams of the API that are open.
    public var streamCount: Int { hub.streamCount }

    /// What the server does every 15 seconds.
    public func keepStreamsAlive() { hub.keepAlive() }

    public func count(_ sql: String, _ values: [SQLValue] = []) async throws -> Int { try await engine.read { try $0.count(sql, values) } }

    private static var silence: Logger { Logger(label: "neighbourhood") { _ in SwiftLogNoOpLogHandler() } }
}

/// Something that can't be without a mistake in the neighbourhood itself.
public struct NotPossible: Error {
    public init() {}
}

/// The time of the server, and of everybody's device.
public final class WallTime: Sendable {
    /// 1 March 2026, 12:00 UTC.
    public static let noon = Date(milliseconds: 1_772_366_400_000)
    private let moment: Mutex<Date>

    init(_ start: Date) { moment = Mutex(start) }

    public var now: Date { moment.withLock { $0 } }
    public func pass(_ duration: Duration) { moment.withLock { $0 = $0.adding(duration) } }
}

private final class CodeBook: Sendable {
    private let codes = Mutex<[PhoneNumber: String]>([:])
    func note(_ code: String, for number: PhoneNumber) { codes.withLock { $0[number] = code } }
    subscript(number: PhoneNumber) -> String? { codes.withLock { $0[number] } }
}

/// A folder that goes with its holder.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "neighbourhood-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
