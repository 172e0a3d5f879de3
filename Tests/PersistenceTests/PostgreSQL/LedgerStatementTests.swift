import Domain
import Foundation
import Testing

@testable import Persistence

@Suite("Statements for a batch of deliveries", .enabled(if: PostgreSQLDatabase.isAvailable))
struct LedgerStatementTests {
    private static let rows = 60

    @Test("Leasing, settling and streaming need few statements")
    func statements() async throws {
        let reports = Reports()
        let database = try PostgreSQLDatabase()
        let engine = try database.engine(reports: reports)
        let ledger = try await Ledger(engine, users: ada, cleo)
        let url = try #require(URL(string: "https://example.org/hook"))
        for number in 1...UInt8(Self.rows) {
            let endpoint = PushEndpoint(id: id(number), kind: .webhook, url: url, createdAt: noon)
            try await engine.write(about: .none) {
                try $0.save(endpoint, of: ada, session: id(9))
            }
            try await ledger.enter(
                number, by: .webhook, device: id(number), alert: manualAlert(1, of: cleo))
        }
        let due = try await engine.read {
            try $0.dueDeliveries(.webhook, priority: 0, at: noon, limit: 100)
        }
        let lease = try await engine.write(about: .none) {
            try $0.leaseDeliveries(due, lease: Ledger.lease)
        }
        // All rows take the same few statements: BEGIN, the lock, three steps, COMMIT, and the
        // preparation of new statements.
        #expect(lease.taken.count == Self.rows)
        #expect(try #require(reports.all.last).statements <= 10)

        let outcomes = lease.taken.enumerated().map { index, delivery in
            let update =
                index.isMultiple(of: 2)
                ? DeliveryUpdate(.accepted, at: noon)
                : DeliveryUpdate(.retrying, reason: .timeout, nextTry: noon, at: noon)
            return (record: delivery.record, update: update)
        }
        let states = try await engine.write(about: .none) { transaction in
            try transaction.noteEndpointSuccesses(
                lease.taken.map {
                    EndpointSuccess($0.record.pushEndpointID ?? id(1), of: ada, url: url, at: noon)
                })
            return try transaction.settleDeliveries(outcomes)
        }
        #expect(Set(states.values) == [.accepted, .retrying] && states.count == Self.rows)
        #expect(try #require(reports.all.last).statements <= 10)
        #expect(try await ledger.nextTry() == noon)
        let endpoints = try await engine.read { try $0.pushEndpoints(of: ada) }
        #expect(endpoints.allSatisfy { $0.lastSuccessAt == noon })
        try engine.close()
    }
}
