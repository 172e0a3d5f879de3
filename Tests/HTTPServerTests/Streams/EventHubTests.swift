import Domain
import Foundation
import Persistence
import Testing

@testable import HTTPServer

@Suite struct EventHubTests {
    private let caller = Caller(userID: UserID(UUID()), sessionID: SessionID(UUID()))

    /// A slow reader finds out by the first event that was not lost: there may be none after it for
    /// hours.
    @Test(arguments: [63, 64, 65, 200]) func theNewestEventIsNeverLost(count: Int) async throws {
        let hub = EventHub()
        let (id, messages) = try hub.subscribe(caller)
        for sequence in 1...count {
            var outbox = Outbox()
            outbox.events = [
                StoredEvent(
                    userID: caller.userID, sequence: Int64(sequence), kind: .checkIn, data: "{}",
                    notificationID: nil)
            ]
            hub.publish(outbox)
        }
        hub.unsubscribe(id, of: caller.userID)
        var sequences: [Int64] = []
        for await case .event(let event, _) in messages { sequences.append(event.sequence) }
        #expect(sequences.last == Int64(count))
        #expect(sequences.count == min(count, 64))
    }
}
