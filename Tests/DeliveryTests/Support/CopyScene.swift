import Domain
import Foundation
import Synchronization
import TestDatabase
import Testing

@testable import Delivery
@testable import Persistence

/// People on a server that copies them to `FakeFirestore`.
final class CopyScene: Sendable {
    let clock: TestClock
    let google = FakeFirestore()
    let database: FaultyDatabase
    private let reports = Mutex<[FirestoreWorker.Report]>([])
    private let leases = Mutex<Int64>(0)

    init() async throws {
        let clock = TestClock()
        self.clock = clock
        let engine = try TestDatabase.make(notesCopyChanges: true, now: { clock.now() })
        try await TestDatabase.allowUnnamedPeople(in: engine)
        database = FaultyDatabase(engine, clock)
    }

    static func pictureURL(_ id: PictureID) -> URL {
        URL(fileURLWithPath: "/v1/pictures/\(id)")
    }

    var failures: [DeliveryReason] {
        reports.withLock { $0 }.compactMap {
            if case .failed(let reason) = $0 { reason } else { nil }
        }
    }

    /// How many copies were reported.
    var copies: Int {
        reports.withLock { $0 }.count { if case .copied = $0 { true } else { false } }
    }

    func worker(on database: (any DatabaseEngine)? = nil) -> FirestoreWorker {
        FirestoreWorker(
            database: database ?? self.database, client: google.client,
            pictureURL: Self.pictureURL,
            makeLease: { [self] in
                leases.withLock { last in
                    last += 1
                    return last
                }
            },
            report: { [self] report in reports.withLock { $0.append(report) } })
    }

    func write(_ body: @escaping @Sendable (Transaction) throws -> Void) async throws {
        try await database.write(about: .none, body)
    }

    func name(_ user: UInt8, _ name: String) async throws {
        try await write { try $0.updateUser(id(user), name: name, emergencyNote: "") }
    }

    func raise(_ number: UInt8, of user: UInt8) async throws {
        let now = clock.now()
        try await write {
            try $0.insert(
                AlertRow(
                    id: id(number), userID: id(user), kind: .manual, startedAt: now,
                    deadlineAt: nil, toldLate: false, repeats: 0))
        }
    }

    func raiseAndEnd(_ count: Int, of user: UInt8) async throws {
        let now = clock.now()
        try await write { transaction in
            for _ in 0..<count {
                var alert = AlertRow(
                    id: AlertID(.random()), userID: id(user), kind: .manual, startedAt: now,
                    deadlineAt: nil, toldLate: false, repeats: 0)
                try transaction.insert(alert)
                alert.endedAt = now
                try transaction.update(alert)
            }
        }
    }

    func delete(_ user: UInt8) async throws {
        try await write { transaction in
            let row = try #require(try transaction.user(id(user)))
            try transaction.deleteUser(row)
        }
    }

    func end(_ number: UInt8, of user: UInt8) async throws {
        try await write { transaction in
            var alert = try #require(try transaction.alert(id(number), of: id(user)))
            alert.endedAt = transaction.now
            try transaction.update(alert)
        }
    }

    /// Lets the worker work until nothing is due.
    func finish(_ worker: FirestoreWorker) async throws {
        while let due = try await worker.work(), due <= clock.now() {}
    }

    var waiting: Int {
        get async throws { try await database.read { try $0.copyBacklog().people } }
    }

    /// Returns what differs between the documents and the database.
    func differences() async throws -> [String] {
        let people = try await database.read { connection in
            var people: [UserID: CopiedPerson] = [:]
            for user in try connection.copiedAccounts(after: nil, limit: 1_000) {
                people[user] = try connection.copiedPerson(user)
            }
            return people
        }
        let found = Mutex<[String]>([])
        let comparison = FirestoreComparison(
            client: google.client, pictureURL: Self.pictureURL,
            accounts: { last, limit in
                let all = people.keys.sorted()
                return Array(all.filter { user in last.map { user > $0 } ?? true }.prefix(limit))
            },
            read: { users in people.filter { users.contains($0.key) } })
        let result = try await comparison.run { difference in
            found.withLock { $0.append("\(difference)") }
        }
        #expect(result.people == people.count)
        let all = found.withLock { $0 }
        #expect(result.differences == all.count)
        return all
    }
}
