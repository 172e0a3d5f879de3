import API
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
import Testing

/// The whole server in this process, with the limits that it has in production, and clients on its router.
final class House: Sendable {
    let hub = EventHub()
    private let respond: @Sendable (Request, LifeSignalContext) async throws -> Response

    init() throws {
        let publicURL = try #require(URL(string: "https://lifesignal.example"))
        let (hub, callers) = (hub, CallerCache())
        let database = try SQLiteEngine(inMemoryReporting: { report in
            callers.forget(report.outbox.changedSessions)
            hub.publish(report.outbox)
        })
        let (clock, book) = (Time(), Codes())
        (time, sent) = (clock, book)
        let network = SafetyNetwork(
            database: database, options: .init(publicURL: publicURL), key: try #require(ServerKey(bytes: Data(repeating: 7, count: 32))), callers: callers,
            now: { clock.now }, sendCode: { book.note($1, for: $0) })
        let wall = ServerClock(wall: { clock.now }, monotonic: { clock.now.since(Time.start) })
        let parts = ServerApplication.Parts(
            network: network, hub: hub, metrics: Metrics(), readiness: Readiness(database: database, watch: Watch(network), loops: [], clock: wall),
            phoneNumbers: PhoneNumberCheck { _ in true })
        let responder = ServerApplication.router(parts, .init(publicURL: publicURL)).buildResponder()
        respond = { try await responder.respond(to: $0, context: $1) }
    }

    let time: Time
    private let sent: Codes

    func transport(from address: String = "192.0.2.1") -> InProcessTransport {
        InProcessTransport(CallbackResponder(callback: respond), address: address, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func connection(from address: String = "192.0.2.1", store: any TokenStore = MemoryTokenStore()) -> Connection {
        Connection(transport: transport(from: address), store: store, random: { 0 })
    }

    /// Signs in as a device does.
    @discardableResult
    func signIn(_ connection: Connection, _ number: String = "+15550100100") async throws -> TokenResponse {
        try await connection.call(Routes.sendCode, SendCodeRequest(phoneNumber: number))
        let code = try #require(try code(for: number))
        return try await connection.signIn(SignInRequest(phoneNumber: number, code: code, deviceName: "Phone"))
    }

    /// The code that went to a number by SMS.
    func code(for number: String) throws -> String? { sent[try PhoneNumber(number)] }

    /// The server's time.
    final class Time: Sendable {
        static let start = Date(milliseconds: 1_772_366_400_000)
        private let moment = Mutex(start)

        var now: Date { moment.withLock { $0 } }
        func advance(by duration: Duration) { moment.withLock { $0 = $0.adding(duration) } }
    }

    private final class Codes: Sendable {
        private let codes = Mutex<[PhoneNumber: String]>([:])

        func note(_ code: String, for number: PhoneNumber) { codes.withLock { $0[number] = code } }
        subscript(number: PhoneNumber) -> String? { codes.withLock { $0[number] } }
    }
}
