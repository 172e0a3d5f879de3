import Cryptography
import Delivery
import Domain
import Foundation
import Persistence
import SafetyNetwork
import Synchronization
import TestDatabase
import Testing

/// The clock of all servers. Each reading advances it by a millisecond, so that all times differ.
final class TickingClock: Sendable {
    private let time = Mutex(Date(milliseconds: 1_772_366_400_000))

    func now() -> Date {
        time.withLock { time in
            time = time.adding(.milliseconds(1))
            return time
        }
    }

    func pass(_ duration: Duration) { time.withLock { $0 = $0.adding(duration) } }
}

struct SentMessage: Sendable {
    var recipient: UserID
    var channel: DeliveryChannel
    var notification: NotificationItem
    var delivery: DeliveryID
}

final class Outside: Sendable {
    private let messages = Mutex<[SentMessage]>([])
    private let codes = Mutex<[PhoneNumber: String]>([:])
    private let texts = Mutex<[PhoneNumber: String]>([:])

    var sent: [SentMessage] { messages.withLock { $0 } }

    func send(_ message: SentMessage) { messages.withLock { $0.append(message) } }
    func note(_ code: String, for number: PhoneNumber) { codes.withLock { $0[number] = code } }
    func code(for number: PhoneNumber) -> String? { codes.withLock { $0[number] } }
    func text(_ text: String, to number: PhoneNumber) { texts.withLock { $0[number] = text } }
    /// Returns the last text message to the number, without notifications.
    func text(to number: PhoneNumber) -> String? { texts.withLock { $0[number] } }

    struct Channel: Delivery.Channel {
        let kind: DeliveryChannel
        let outside: Outside

        func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
            let record = delivery.record
            outside.send(
                SentMessage(
                    recipient: record.userID, channel: kind, notification: record.notification,
                    delivery: record.id))
            return .accepted(providerID: nil)
        }
    }
}

final class Tries: Sendable {
    private let tasks = Mutex<[Task<Void, Never>]>([])

    func start(_ attempt: @escaping @Sendable () async -> Void) {
        tasks.withLock { $0.append(Task { await attempt() }) }
    }

    func finish() async {
        while let task = tasks.withLock({ $0.popLast() }) { await task.value }
    }
}

struct TestServer: Sendable {
    let engine: PostgreSQLEngine
    /// Lets a test act after this server has read candidates and before it locks them.
    let interruption: Interruption
    let network: SafetyNetwork
    let monitor: DeadlineMonitor
    let worker: DeliveryWorker
    let tries = Tries()

    init(
        _ shared: SharedDatabase, _ clock: TickingClock, _ outside: Outside, hasCalls: Bool
    ) throws {
        let callers = CallerCache()
        engine = try shared.engine(now: clock.now) { callers.forget($0.outbox.changedSessions) }
        interruption = Interruption()
        let database = InterruptedDatabase(engine: engine, interruption: interruption)
        var options = SafetyNetwork.Options(
            publicURL: try #require(URL(string: "https://lifesignal.example")))
        options.isSMSAvailable = true
        options.isVoiceAvailable = hasCalls
        options.codesPerHour = 0
        (options.codesToNewNumbers, options.codesToNewNumbersPerCountry) = (0, 0)
        options.checkInsPerHour = 0
        var environment = SafetyNetwork.Environment { outside.note($1, for: $0) }
        environment.sendText = { outside.text($1, to: $0) }
        network = SafetyNetwork(
            database: database, options: options,
            key: try #require(ServerKey(bytes: Data(repeating: 7, count: 32))), callers: callers,
            environment: environment)
        monitor = DeadlineMonitor(network)
        worker = DeliveryWorker(
            database: database,
            channels: [
                Outside.Channel(kind: .sms, outside: outside),
                Outside.Channel(kind: .webhook, outside: outside),
            ], limit: 8,
            hooks: .init(wake: {}, start: { [tries] _, attempt in tries.start(attempt) }))
    }
}

struct ServerGroup: Sendable {
    struct Person: Sendable {
        var number: PhoneNumber
        var caller: Caller
        var id: UserID { caller.userID }
    }

    let database: SharedDatabase
    let clock = TickingClock()
    let outside = Outside()
    let servers: [TestServer]

    init(servers count: Int, hasCalls: Bool = false) throws {
        let database = try SharedDatabase()
        self.database = database
        let (clock, outside) = (clock, outside)
        servers = try (0..<count).map { _ in
            try TestServer(database, clock, outside, hasCalls: hasCalls)
        }
    }

    func close() throws { for server in servers { try server.engine.close() } }

    func person(_ index: Int) async throws -> Person {
        let number = try PhoneNumber("+1555\(10_000_000 + index)")
        let network = servers[index % servers.count].network
        try await network.codes.requestCode(for: number, from: "phone \(index)")
        let code = try #require(outside.code(for: number))
        let caller = try await network.signIn.signIn(number, code: code, deviceName: "Phone").caller
        _ = try await network.profiles.updateProfile(
            name: "P\(index)", emergencyNote: nil, of: caller)
        let hook = try #require(URL(string: "https://hooks.example/\(index)"))
        _ = try await network.endpoints.savePushEndpoint(
            PushEndpointID(UUID()), kind: .webhook, url: hook, of: caller)
        _ = try await network.checkIns.checkIn(
            CheckInID(UUID()), occurredAt: clock.now(), by: caller)
        return Person(number: number, caller: caller)
    }

    /// Deletes the account, with a code that was sent to the person's number.
    func delete(_ person: Person, on network: SafetyNetwork) async throws {
        let request = try await network.codes.requestDeletionCode(from: "phone", of: person.caller)
        let text = try #require(outside.text(to: person.number))
        try await network.accountDeletion.deleteAccount(
            of: person.caller, code: String(text.prefix(6)), requestID: request)
    }

    func connect(_ responder: Person, _ dependent: Person) async throws {
        let network = servers[0].network
        let code = try #require(QRCodeID(try await network.qrCodes.qrCode(of: dependent.caller).id))
        _ = try await network.contacts.addContact(
            code: code, roles: try ContactRoles(isResponder: false, isDependent: true),
            to: responder.caller)
    }

    /// Handles due work and delivers messages on all servers, until nothing is left.
    func settle() async throws {
        for _ in 0..<50 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for server in servers {
                    group.addTask { _ = try await server.monitor.handleDueDeadlines() }
                    group.addTask {
                        _ = try await server.worker.work()
                        await server.tries.finish()
                    }
                }
                try await group.waitForAll()
            }
            // Ends short back-offs of endpoints.
            clock.pass(.milliseconds(50))
            let now = clock.now()
            let isDone = try await servers[0].engine.read { connection in
                let due = try connection.nextDue() ?? .distantFuture
                return try due > now
                    && !connection.hasRow(
                        """
                        SELECT 1 FROM deliveries WHERE next_try_at IS NOT NULL
                            AND next_try_at <= $1 AND channel IN ('sms', 'webhook')
                        """, [.date(now)])
            }
            if isDone { return }
        }
        Issue.record("The servers do not come to rest.")
    }
}
