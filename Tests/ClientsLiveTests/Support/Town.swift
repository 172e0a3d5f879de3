import API
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

@testable import ClientsLive

/// 1 March 2026, 12:00 UTC.
let noon = Date(milliseconds: 1_772_366_400_000)

/// The real server in this process, on a real database, and the people who use it.
final class Town: Sendable {
    let engine: SQLiteEngine
    let network: SafetyNetwork
    let time = WallTime()
    private let codes = CodeBook()
    private let respond: @Sendable (Request, LifeSignalContext) async throws -> Response

    final class WallTime: Sendable {
        private let moment = Mutex(noon)
        var now: Date { moment.withLock { $0 } }
        func pass(_ duration: Duration) { moment.withLock { $0 = $0.adding(duration) } }
    }

    private final class CodeBook: Sendable {
        private let codes = Mutex<[PhoneNumber: String]>([:])
        func note(_ code: String, for number: PhoneNumber) { codes.withLock { $0[number] = code } }
        subscript(number: PhoneNumber) -> String? { codes.withLock { $0[number] } }
    }

    /// - Parameter path: where the database lies; in memory without one.
    init(at path: String? = nil) throws {
        let publicURL = try #require(URL(string: "https://lifesignal.example"))
        let (hub, callers, time, codes) = (EventHub(), CallerCache(), time, codes)
        let report: @Sendable (CommitReport) -> Void = { report in
            callers.forget(report.outbox.changedSessions)
            hub.publish(report.outbox)
        }
        engine = try path.map { try SQLiteEngine(path: $0, report: report) } ?? SQLiteEngine(inMemoryReporting: report)
        network = SafetyNetwork(
            database: engine, options: .init(publicURL: publicURL), key: try #require(ServerKey(bytes: Data(repeating: 7, count: 32))), callers: callers,
            now: { time.now }, sendCode: { codes.note($1, for: $0) })
        let wall = ServerClock(wall: { time.now }, monotonic: { time.now.since(noon) })
        let parts = ServerApplication.Parts(
            network: network, hub: hub, metrics: Metrics(), readiness: Readiness(database: engine, watch: Watch(network), loops: [], clock: wall),
            phoneNumbers: PhoneNumberCheck { _ in true })
        var configuration = ServerApplication.Configuration(publicURL: publicURL)
        (configuration.requestsPerUser, configuration.requestsPerAddress) = (0, 0)
        let responder = ServerApplication.router(parts, configuration).buildResponder()
        respond = { try await responder.respond(to: $0, context: $1) }
    }

    var line: InProcessTransport {
        InProcessTransport(
            CallbackResponder(callback: respond), address: "192.0.2.1", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func code(for number: String) throws -> String { try #require(codes[try PhoneNumber(number)]) }

    /// Someone with a phone number and a name.
    func person(_ name: String, _ number: String) async throws -> Person {
        let store = MemoryTokenStore()
        let connection = Connection(transport: line, store: store, random: { 0 })
        try await connection.call(Routes.sendCode, SendCodeRequest(phoneNumber: number))
        let tokens = try await connection.signIn(SignInRequest(phoneNumber: number, code: try code(for: number), deviceName: "\(name)'s phone"))
        try await connection.call(Routes.updateProfile, UpdateProfileRequest(name: name))
        return Person(id: tokens.userID, name: name, connection: connection, store: store)
    }

    /// Both watch over each other.
    func connect(_ one: Person, _ other: Person) async throws {
        let code = try await other.connection.call(Routes.qrCode).payload
        try await one.connection.call(Routes.addContact, AddContactRequest(code: code, isResponder: true, isDependent: true))
        _ = try await other.connection.call(Routes.acceptRequest(.dependent), id: one.id.uuid)
    }

    func count(_ sql: String, _ values: [SQLValue] = []) async throws -> Int { try await engine.read { try $0.count(sql, values) } }

    /// What happened to a person, in order.
    func events(of person: Person, after sequence: Int64 = 0) async throws -> [UserEvent] {
        try await network.events(of: person.id, after: sequence, limit: 1_000).map { try UserEvent(kind: $0.kind, data: $0.data) }
    }

    func notes(of person: Person) async throws -> [String] {
        try await person.connection.all(Routes.notifications, upTo: 500).map(\.title)
    }
}

/// Somebody who is signed in, with a line that never fails.
struct Person: Sendable {
    var id: UserID
    var name: String
    var connection: Connection
    var store: MemoryTokenStore
}

/// A folder that goes with the test.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "clients-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
