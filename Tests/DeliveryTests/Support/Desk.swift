import Domain
import Foundation
import Persistence
import Synchronization
import Testing

@testable import Delivery

/// A ledger in a real database, a clock, and a worker whose tries can be awaited.
final class Desk: Sendable {
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

    /// The states that the worker has reported.
    var reports: [DeliveryState] { report.states.withLock { $0 } }

    private final class Report: Sendable {
        let states = Mutex<[DeliveryState]>([])
        func note(_ state: DeliveryState) { states.withLock { $0.append(state) } }
    }

    init(_ channels: [FakeChannel], limit: Int = 16, clock: TestClock = TestClock(), database: FaultyDatabase) {
        self.clock = clock
        self.database = database
        let (wakes, report) = (wakes, report)
        worker = DeliveryWorker(
            database: database, channels: channels, limit: limit, now: { clock.now() }, jitter: { 0 }, wake: { wakes.continuation.yield() },
            report: { report.note($1) }
        )
    }

    /// Works until so many tries have been finished.
    func work(finishing count: Int) async throws {
        _ = try await worker.work()
        await finished(count)
    }

    func finished(_ count: Int) async {
        var iterator = wakes.stream.makeAsyncIterator()
        for _ in 0..<count { await iterator.next() }
    }

    /// A notification for Ada with a row in the ledger.
    func queue(_ number: UInt8, _ type: NotificationType = .alert, channel: DeliveryChannel = .webhook, alertOwner: UserID? = nil) async throws {
        let (now, device) = (clock.now(), channel == .webhook ? id(9) as DeviceID : nil)
        try await database.write { transaction in
            let owner = try #require(try transaction.user(id(1)))
            let item = NotificationItem(
                id: id(number), type: type, title: "Title", body: "Body", createdAt: now, alertID: alertOwner == nil ? nil : id(200))
            try transaction.insert(item, of: id(1))
            try transaction.insert(
                NewDelivery(id: id(number), recipient: Recipient(owner), item: item, channel: channel, deviceID: device, alertOwner: alertOwner))
        }
    }

    func row(_ number: UInt8) async throws -> Row { try await database.row(number) }

    func hasDevice() async throws -> Bool { try await database.read { try !$0.devices(of: id(1)).isEmpty } }
}

extension FaultyDatabase {
    /// A database in which there is Ada, with one webhook.
    static func withAda() async throws -> FaultyDatabase {
        let database = FaultyDatabase(try SQLiteEngine(inMemoryReporting: { _ in }))
        try await database.write { transaction in
            try transaction.insertUser(id(1), phoneNumber: try PhoneNumber("+4915100000001"), at: noon)
            let url = try #require(URL(string: "https://example.org/hook"))
            try transaction.save(Device(id: id(9), kind: .webhook, url: url, createdAt: noon), of: id(1), session: id(3))
        }
        return database
    }

    func row(_ number: UInt8) async throws -> Desk.Row {
        let row = try await read { connection in
            try connection.first("SELECT state, attempts, next_try_at FROM deliveries WHERE id = $1", [.id(id(number) as DeliveryID)]) { row in
                Desk.Row(state: DeliveryState(rawValue: row.text(0)) ?? .queued, attempts: Int(row.integer(1)), nextTry: row.optionalDate(2))
            }
        }
        return try #require(row)
    }
}
