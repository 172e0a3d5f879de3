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

/// The real server, on a real database, in the scheduler's thread and time.
final class DeviceServer: Sendable {
    let network: SafetyNetwork
    let engine: SQLiteEngine
    private let watch: Watch
    private let hub: EventHub
    private let respond: @Sendable (Request, LifeSignalContext) async throws -> Response
    private let makeID: @Sendable () -> UUID

    /// 1 March 2026, 12:00 UTC.
    static let start = Date(milliseconds: 1_772_366_400_000)
    static let now: @Sendable () -> Date = { start.adding(Scheduler.shared.now) }

    private final class CodeBook: Sendable {
        let codes = Mutex<[PhoneNumber: String]>([:])
    }
    private let book: CodeBook

    /// Throws what the disk throws.
    init(path: String, ids: Ids) throws {
        guard let url = URL(string: "https://lifesignal.example"),
            let key = ServerKey(bytes: Data(repeating: 7, count: 32))
        else { throw DatabaseError.closed }
        let (hub, callers, book) = (EventHub(), CallerCache(), CodeBook())
        (self.hub, self.book) = (hub, book)
        engine = try SQLiteEngine(path: path, runsOnCallersThread: true) { report in
            callers.forget(report.outbox.changedSessions)
            hub.publish(report.outbox)
            Scheduler.shared.touch()
        }
        var options = SafetyNetwork.Options(publicURL: url)
        (options.codesPerNumber, options.codesPerAddress) = (1_000_000, 1_000_000)
        options.codesPerHour = 0
        let makeID: @Sendable () -> UUID = { ids.uuid() }
        self.makeID = makeID
        network = SafetyNetwork(
            database: engine, options: options, key: key, callers: callers, random: ids.random,
            now: Self.now, makeID: makeID,
            sendCode: { number, code in book.codes.withLock { $0[number] = code } })
        let watch = Watch(network)
        self.watch = watch
        let clock = ServerClock(wall: Self.now, monotonic: { Scheduler.shared.now })
        let parts = ServerApplication.Parts(
            network: network, hub: hub, metrics: Metrics(),
            readiness: Readiness(database: engine, watch: watch, loops: [], clock: clock),
            phoneNumbers: PhoneNumberCheck { _ in true })
        var configuration = ServerApplication.Configuration(publicURL: url)
        (configuration.requestsPerUser, configuration.requestsPerAddress) = (0, 0)
        let responder = ServerApplication.router(parts, configuration).buildResponder()
        respond = { try await responder.respond(to: $0, context: $1) }
    }

    /// The way to the server's own router.
    var line: InProcessTransport {
        InProcessTransport(
            CallbackResponder(callback: respond), address: "192.0.2.1",
            logger: Logger(label: "devices") { _ in SwiftLogNoOpLogHandler() },
            makeID: { [makeID] in makeID().uuidString.lowercased() })
    }

    func code(for number: String) throws -> String? {
        let number = try PhoneNumber(number)
        return book.codes.withLock { $0[number] }
    }

    /// What a server's own loops do, every 15 seconds.
    func tick() async throws {
        hub.keepAlive()
        _ = try await watch.look()
    }

    func close() {
        hub.close()
        try? engine.close()
    }
}
