import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct LongLedgerTests {
    @Test(arguments: Home.all, [1_999, 2_000, 2_001, 2_100])
    func longLedgerHasBothEnds(home: Home, count: Int) async throws {
        try await withDatabase(home) { engine in
            try await engine.moveIn(ada, ben)
            let alert = manualAlert(1, of: ada)
            let recipient = try #require(try await engine.recipient(ben))
            let both = try ContactRoles(isResponder: true, isDependent: true)
            let times = (0..<count).map { noon.adding(.seconds($0)) }
            try await engine.write(about: .none) { transaction in
                try transaction.insertContact(ben, of: ada, roles: both)
                try transaction.insert(alert)
                try transaction.insert(
                    times.map { time in
                        NewDelivery(
                            id: DeliveryID(UUID()), recipient: recipient,
                            item: notification(1, .alert, at: time, about: ada, alert: alert.id),
                            channel: .sms, pushEndpointID: nil, alertOwner: ada)
                    })
            }
            let record = try await engine.read {
                try $0.record(of: alert, for: AlertViewer(ada) { _, _ in UUID() }, withLedger: true)
            }
            let shown = count > 2_000 ? Array(times.prefix(500)) + times.suffix(1_500) : times
            #expect(record.ledger.map(\.time) == shown)
        }
    }
}
