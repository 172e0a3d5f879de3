import Domain
import Foundation
import Persistence
import Testing

@testable import HTTPServer

@Suite struct EventHubTests {
    private let caller = Caller(userID: UserID(UUID()), sessionID: SessionID(UUID()))

    /// The last event shows a slow reader that it has missed some. The next event may be hours
    /// away.
    @Test(arguments: [63, 64, 65, 200]) func newestEventIsNeverDropped(count: Int) async throws {
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

    // MARK: Other servers

    /// Returns a description of each message that a stream receives.
    private func told(
        _ hub: EventHub, _ caller: Caller, after tell: () -> Void
    ) async throws -> [String] {
        let (id, messages) = try hub.subscribe(caller)
        tell()
        hub.unsubscribe(id, of: caller.userID)
        var words: [String] = []
        for await message in messages {
            switch message {
            case .event(let event, _): words.append("event \(event.sequence)")
            case .grown: words.append("grown")
            case .uncertain: words.append("uncertain")
            case .keepAlive: words.append("keepAlive")
            case .end: words.append("end")
            }
        }
        return words
    }

    @Test func hintReachesItsUsersStreams() async throws {
        let hub = EventHub()
        var hint = ServerHint()
        hint.people = [caller.userID, UserID(UUID())]
        #expect(try await told(hub, caller) { hub.receive(hint) } == ["grown"])
        let other = Caller(userID: UserID(UUID()), sessionID: SessionID(UUID()))
        #expect(try await told(hub, other) { hub.receive(hint) } == [])
    }

    /// One read of the rows finds the events of all hints.
    @Test func manyHintsCauseOneRead() async throws {
        let hub = EventHub()
        var hint = ServerHint()
        hint.people = [caller.userID]
        let words = try await told(hub, caller) {
            for _ in 1...100 { hub.receive(hint) }
            hub.keepAlive()
            hub.receive(hint)
        }
        #expect(words == ["grown", "keepAlive"])
    }

    @Test func sessionEndedOnAnotherServerEndsItsStream() async throws {
        let hub = EventHub()
        var hint = ServerHint()
        hint.endedSessions = [caller.sessionID]
        #expect(try await told(hub, caller) { hub.receive(hint) } == ["end"])
        let tablet = Caller(userID: caller.userID, sessionID: SessionID(UUID()))
        #expect(try await told(hub, tablet) { hub.receive(hint) } == [])
    }

    @Test func lostConnectionMakesAllStreamsRead() async throws {
        let hub = EventHub()
        #expect(try await told(hub, caller) { hub.receiveAnything() } == ["uncertain"])
    }

    @Test func onlyUnknownEventNumbersCauseARead() async throws {
        let hub = EventHub()
        var outbox = Outbox()
        outbox.events = [
            StoredEvent(
                userID: caller.userID, sequence: 7, kind: .checkIn, data: "{}",
                notificationID: nil)
        ]
        let words = try await told(hub, caller) {
            hub.publish(outbox)
            hub.notice([caller.userID: 7])
            hub.notice([caller.userID: 8, UserID(UUID()): 9])
            hub.notice([caller.userID: 8])
        }
        #expect(words == ["event 7", "grown"])
        #expect(hub.people.isEmpty)
    }
}
