import Cryptography
import Domain
import Foundation
import Synchronization
import Testing

@testable import Delivery
@testable import Persistence

/// 1 March 2026, 12:00 UTC: the start time of the tests.
let noon = Date(milliseconds: 1_772_366_400_000)

func id<Tag>(_ number: UInt8) -> ID<Tag> {
    ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
}

final class TestClock: Sendable {
    private let time = Mutex(noon)
    func now() -> Date { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 = $0.adding(duration) } }
}

func delivery(
    _ channel: DeliveryChannel = .webhook, device: PushEndpointID? = id(9),
    url: String? = "https://example.org/hook", title: String = "Ben needs help"
) throws -> LeasedDelivery {
    let item = NotificationItem(
        id: id(8), type: .alert, title: title, body: "Ben raised an alert at 12:00 UTC.",
        createdAt: noon, alertID: id(7))
    let record = DeliveryRecord(
        id: id(5), userID: id(1), notification: item, channel: channel, pushEndpointID: device,
        attempts: 1, createdAt: noon)
    return LeasedDelivery(
        record: record, phoneNumber: try PhoneNumber("+4915100000001"),
        url: url.flatMap { URL(string: $0) })
}

func serverKey() throws -> ServerKey {
    try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))
}

struct Unexpected: Error {}
