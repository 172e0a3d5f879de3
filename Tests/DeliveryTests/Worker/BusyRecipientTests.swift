import Domain
import Foundation
import Persistence
import Testing

@testable import Delivery

/// How long the worker waits while another server holds the lease on a recipient's rows.
@Suite struct BusyRecipientTests {
    private let endpoint = DeliveryEndpoint(userID: id(1), channel: .sms, pushEndpointID: nil)
    private var queue = DeliveryQueue(channels: [.sms], limit: 4)
    private var now = noon

    private var row: DueDelivery {
        DueDelivery(id: id(5), endpoint: endpoint, priority: 0, dueAt: noon)
    }

    /// Tries the row with the result `end`, and advances the time to the end of the back-off.
    /// Returns the length of the back-off.
    private mutating func rest(after end: DeliveryQueue.End) throws -> Duration? {
        queue.begin(at: now)
        if queue.wanted(at: now) == nil {
            _ = queue.offer([row], in: queue.lanes[0], at: now)
        } else {
            queue.offer(row, at: now)
        }
        #expect(queue.take() == [row])
        queue.finish(endpoint, end, at: now)
        let before = now
        now = queue.nextRestEnd ?? now
        return queue.nextRestEnd?.since(before)
    }

    @Test mutating func busyBackOffDoublesUpToALimit() throws {
        var pauses: [Duration?] = []
        for _ in 0..<7 { pauses.append(try rest(after: .busy)) }
        let expected = [20, 40, 80, 160, 320, 640, 640].map { Duration.milliseconds($0) }
        #expect(pauses == expected)
        #expect(try rest(after: .done) == nil)
        #expect(try rest(after: .busy) == .milliseconds(20))
    }
}
