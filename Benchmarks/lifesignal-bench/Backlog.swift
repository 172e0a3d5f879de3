import Domain
import Foundation
import Persistence

enum Backlog {
    static func queue(
        _ path: String, _ people: [UserID], perEndpoint: Int, channel: DeliveryChannel
    ) async throws {
        let engine = try SQLiteEngine(path: path, now: { Date() })
        for start in stride(from: 0, to: people.count, by: 1_000) {
            let part = people[start..<min(start + 1_000, people.count)]
            try await engine.write(about: .none) { transaction in
                for person in part {
                    guard let user = try transaction.user(person) else { continue }
                    let devices = try transaction.pushEndpoints(of: person)
                    for _ in 0..<perEndpoint {
                        let item = NotificationItem(
                            id: ID(UUID()), type: .alert, title: "Needs help", body: "Since noon.",
                            createdAt: Date())
                        try transaction.insert(item, of: person)
                        try transaction.insert(
                            NewDelivery(
                                id: ID(UUID()), recipient: Recipient(user), item: item,
                                channel: channel, pushEndpointID: devices.first?.id,
                                alertOwner: nil))
                    }
                }
            }
        }
        try engine.close()
    }
}
