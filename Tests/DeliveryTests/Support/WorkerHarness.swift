import Domain
import Foundation
import Persistence
import Synchronization
import TestDatabase
import Testing

@testable import Delivery

/// A delivery worker with a real database and a test clock. A test can wait for its attempts.
final class WorkerHarness: Sendable {
    struct Row: Equatable {
        var state: DeliveryState
        var attempts: Int
        var nextTry: Date?
    }

    let clock: TestClock
    let database: FaultyDatabase
    let worker: DeliveryWorker
    private let wakes = AsyncStream.makeStream(of: Void.self)
    private let report = Report()

    var reports: [DeliveryState] { report.all.withLock { $0.map(\.state) } }
    var reasons: [DeliveryReason?] { report.all.withLock { $0.map(\.reason) } }

    /// The channels whose budgets didn't allow the beginning of an alert, one for each report.
    var unpaidAlarms: [DeliveryChannel] { report.unpaidAlarms.withLock { $0 } }

    /// The number of writes of outcomes that failed.
    var failures: Int { report.failures.withLock { $0 } }

    private final class Report: Sendable {
        let failures = Mutex(0)
        let unpaidAlarms = Mutex<[DeliveryChannel]>([])
        let all = Mutex<[DeliveryReport]>([])
        func note(_ report: DeliveryReport) { all.withLock { $0.append(report) } }
    }

    init(
        _ channels: [FakeChannel], limit: Int = 16, budgets: Budgets = .unlimited,
        database: FaultyDatabase,
        notifyOwner: @escaping DeliveryWorker.OwnerNotifier = { _, _ in }
    ) {
        let clock = database.clock
        self.clock = clock
        self.database = database
        let (wakes, report) = (wakes, report)
        var hooks = DeliveryWorker.Hooks(
            wake: { wakes.continuation.yield() }, notifyOwner: notifyOwner,
            report: { report.note($0) })
        hooks.reportFailure = { _ in report.failures.withLock { $0 += 1 } }
        hooks.reportUnpaidAlarm = { channel in
            report.unpaidAlarms.withLock { $0.append(channel) }
        }
        worker = DeliveryWorker(
            database: database, channels: channels, limit: limit, budgets: budgets,
            jitter: { 0 }, hooks: hooks)
    }

    /// Runs the worker once and waits until `count` attempts have finished.
    func work(finishing count: Int) async throws {
        _ = try await worker.work()
        await finished(count)
    }

    func finished(_ count: Int) async {
        var iterator = wakes.stream.makeAsyncIterator()
        for _ in 0..<count { await iterator.next() }
    }

    /// Inserts a notification and one delivery. The default recipient is Ada (user 1).
    func queue(
        _ number: UInt8, _ type: NotificationType = .alert, channel: DeliveryChannel = .webhook,
        alertOwner: UserID? = nil, about: UserID? = nil, to user: UInt8 = 1, device: UInt8 = 9,
        purpose: DeliveryPurpose = .other, title: String = "Title", notBefore: Date? = nil
    ) async throws {
        let now = clock.now()
        let device: PushEndpointID? = channel == .webhook ? id(device) : nil
        try await database.moveIn(user, device: device)
        if let alertOwner { try await database.connect(id(user), watchesOver: alertOwner) }
        try await database.write(about: .none) { transaction in
            let recipient = try #require(try transaction.user(id(user)))
            let item = NotificationItem(
                id: id(number), type: type, title: title, body: "Body", createdAt: now,
                aboutUserID: about, alertID: alertOwner == nil ? nil : id(200))
            try transaction.insert(item, of: id(user))
            try transaction.insert(
                NewDelivery(
                    id: id(number), recipient: Recipient(recipient), item: item, channel: channel,
                    pushEndpointID: device, alertOwner: alertOwner, purpose: purpose,
                    notBefore: notBefore))
        }
    }

    func row(_ number: UInt8) async throws -> Row { try await database.row(number) }

    func hasDevice() async throws -> Bool {
        try await database.read { try !$0.pushEndpoints(of: id(1)).isEmpty }
    }
}

extension FaultyDatabase {
    /// Returns a database with Ada and one webhook of hers.
    static func withAda(_ clock: TestClock = TestClock()) async throws -> FaultyDatabase {
        let database = FaultyDatabase(
            try TestDatabase.make(hasBystanders: true, now: { clock.now() }), clock)
        try await database.moveIn(1, device: id(9))
        return database
    }

    /// Makes `responder` a responder of `owner`, unless they are connected.
    func connect(_ responder: UserID, watchesOver owner: UserID) async throws {
        try await moveIn(owner.uuid.uuid.15, device: nil)
        try await write(about: .none) { transaction in
            guard responder != owner, try transaction.contact(owner, of: responder) == nil
            else { return }
            try transaction.insertContact(
                owner, of: responder, roles: ContactRoles(isResponder: false, isDependent: true))
        }
    }

    /// Inserts a user and, if `device` is given, a webhook with this id. Keeps existing rows.
    func moveIn(_ user: UInt8, device: PushEndpointID?) async throws {
        try await write(about: .none) { transaction in
            if try transaction.user(id(user)) == nil {
                let number = try PhoneNumber("+49151\(10_000_000 + Int(user))")
                try transaction.insertUser(id(user), phoneNumber: number)
            }
            guard let device,
                try !transaction.pushEndpoints(of: id(user)).contains(where: { $0.id == device })
            else { return }
            let url = try #require(URL(string: "https://example.org/hook"))
            try transaction.save(
                PushEndpoint(id: device, kind: .webhook, url: url, createdAt: noon), of: id(user),
                session: id(3))
        }
    }

    func reason(_ number: UInt8) async throws -> String? {
        let id: DeliveryID = id(number)
        return try await read { connection in
            try connection.value(
                Bystanders.left(outOf: "SELECT reason FROM deliveries WHERE id = $1"), [.id(id)])
        }
    }

    func device(_ number: UInt8 = 9, of user: UInt8 = 1) async throws -> PushEndpoint? {
        try await read { try $0.pushEndpoints(of: id(user)).first { $0.id == id(number) } }
    }

    func row(_ number: UInt8) async throws -> WorkerHarness.Row {
        let row = try await read { connection in
            try connection.first(
                Bystanders.left(
                    outOf: "SELECT state, attempts, next_try_at FROM deliveries WHERE id = $1"),
                [.id(id(number) as DeliveryID)]
            ) { row in
                WorkerHarness.Row(
                    state: DeliveryState(rawValue: try row["state"]) ?? .queued,
                    attempts: try row["attempts"], nextTry: try row["next_try_at"])
            }
        }
        return try #require(row)
    }
}
