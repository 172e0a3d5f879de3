import API
import Cryptography
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Persistence
import SafetyNetwork
import SchemaValidation
import Synchronization
import TestDatabase
import Testing
import Traces

@testable import HTTPServer

/// The whole server without sockets: the real router, real commands, and a real in-memory database.
final class TestServer: Sendable {
    let clock = TestClock()
    let hub = EventHub()
    let metrics = Metrics()
    let log = LogBook()
    let codes = CodeBook()
    let numbers = Counter()
    let requests = Counter()
    let database: FaultyDatabase
    let network: SafetyNetwork
    let deadlineMonitor: DeadlineMonitor
    let respond: @Sendable (Request, LifeSignalContext) async throws -> Response

    static func key() throws -> ServerKey {
        try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))
    }

    struct Setup {
        var configuration = ServerApplication.Configuration(publicURL: URL(filePath: "/"))
        var phoneNumbers = PhoneNumberCheck { _ in true }
        var pictures = PictureWork()
        var largeBodies = LargeBodies()
        var pageCaller: @Sendable (Request) async -> Caller? = { _ in nil }
        var loops: [BackgroundLoop] = []
        var warnings: [@Sendable () -> [String]] = []
        var receiveSMSReport: (@Sendable (String, String, Data) async throws -> Bool)?
        var receiveText: (@Sendable (String, String, Data) async throws -> String?)?
        var texts: TextReceiver?
        var codesPerNumber = 1_000
        var signUp: SignUpMode? = .open
        var sendsCodes = true
        var pushKinds: Set<PushEndpoint.Kind> = [.webhook, .webPush, .apns, .fcm]
        var serverClock: ServerClock?
        var traces: TraceRecorder?
        /// Whether other servers use the database; nil for the engine's own value.
        var isShared: Bool?
    }

    init(_ change: (inout Setup) -> Void = { _ in }) throws {
        let publicURL = try #require(URL(string: "https://lifesignal.example"))
        var setup = Setup()
        setup.configuration = .init(publicURL: publicURL)
        setup.configuration.requestsPerUser = 0
        setup.configuration.requestsPerAddress = 0
        change(&setup)

        let (clock, hub, codes, numbers, random, callers) = (
            clock, hub, codes, numbers, SeededBytes(), CallerCache()
        )
        database = FaultyDatabase(
            try TestDatabase.make(now: { clock.now() }) { report in
                callers.forget(report.outbox.changedSessions)
                hub.publish(report.outbox)
            }, isShared: setup.isShared)
        var options = SafetyNetwork.Options(publicURL: publicURL)
        options.codesPerNumber = setup.codesPerNumber
        options.codesPerAddress = 1_000
        options.checkInsPerHour = 0
        options.pushKinds = setup.pushKinds
        (options.signUp, options.sendsCodes) = (setup.signUp, setup.sendsCodes)
        var environment = SafetyNetwork.Environment { codes.note($1, for: $0) }
        environment.random = RandomBytes { random.next($0) }
        environment.makeID = { numbers.uuid() }
        network = SafetyNetwork(
            database: database, options: options,
            key: try Self.key(), callers: callers,
            environment: environment)
        deadlineMonitor = DeadlineMonitor(network, uptime: { clock.instant() })
        let serverClock =
            setup.serverClock
            ?? ServerClock(wall: { clock.now() }, monotonic: { clock.now().since(noon) })
        let streamed = Box()
        var parts = ServerApplication.Parts(
            network: network, hub: hub, metrics: metrics,
            readiness: Readiness(
                database: database, deadlineMonitor: deadlineMonitor, loops: setup.loops,
                clock: serverClock,
                warnings: setup.warnings),
            phoneNumbers: setup.phoneNumbers,
            pictures: setup.pictures)
        parts.noteStreamed = { id, _ in streamed.values.withLock { $0.append(id) } }
        parts.receiveSMSReport = setup.receiveSMSReport
        (parts.receiveText, parts.texts) = (setup.receiveText, setup.texts)
        (parts.largeBodies, parts.pageCaller) = (setup.largeBodies, setup.pageCaller)
        parts.uptime = { clock.instant() }
        parts.traces = setup.traces
        noted = streamed
        let responder = ServerApplication.responder(parts, setup.configuration)
        respond = { try await responder.respond(to: $0, context: $1) }
    }

    // An open stream's task holds the database until the hub closes.
    deinit { hub.close() }

    final class Box: Sendable { let values = Mutex<[NotificationID]>([]) }
    private let noted: Box
    var notedAsStreamed: [NotificationID] { noted.values.withLock { $0 } }
}

final class CodeBook: Sendable {
    private let codes = Mutex<[PhoneNumber: String]>([:])

    func note(_ code: String, for number: PhoneNumber) { codes.withLock { $0[number] = code } }
    subscript(number: PhoneNumber) -> String? { codes.withLock { $0[number] } }
}
