import Domain
import Foundation
import Testing

@testable import ClientsLive

/// A reader is cancelled while something is sent to it. Cancelling locks the task and then waits
/// for the sender's lock. A sender that resumed a reader inside its own lock would wait for the
/// task's lock: a deadlock.
@Suite(.timeLimit(.minutes(5))) struct CancelledReaderTests {
    private static let readers = 3_000

    private func cancelReaders<Value: Sendable>(
        of stream: @escaping @Sendable () -> AsyncStream<Value>,
        while send: @escaping @Sendable (Int) -> Void
    ) async {
        let sending = Task.detached {
            var count = 0
            while !Task.isCancelled {
                count += 1
                send(count)
                await Task.yield()
            }
        }
        for _ in 0..<Self.readers {
            let values = stream()
            let reading = Task.detached { for await _ in values {} }
            await Task.yield()
            reading.cancel()
            await reading.value
        }
        sending.cancel()
        await sending.value
    }

    @Test func cancelledSignalReadersDoNotDeadlock() async {
        let hub = SignalHub(room: 10)
        await cancelReaders {
            hub.subscribe()
        } while: {
            hub.send(.event(.profileChanged, sequence: Int64($0)))
        }
        #expect(hub.subscriberCount == 0)
    }

    @Test func cancelledBroadcastReadersDoNotDeadlock() async {
        let broadcast = Broadcast(0)
        await cancelReaders {
            broadcast.stream()
        } while: {
            broadcast.send($0)
        }
    }

    @Test func noticesEndForALateReader() async {
        let board = NoticeBoard<Int>()
        board.put(1) { Issue.record("The notice was read by nobody.") }
        board.finish()
        var notices: [Int] = []
        for await notice in board.stream() { notices.append(notice) }
        #expect(notices.isEmpty)
    }

    @Test func cancelledNoticeReadersDoNotDeadlock() async {
        let board = NoticeBoard<Int>()
        await cancelReaders {
            board.stream()
        } while: {
            board.put($0)
        }
    }

    /// Even if many tasks send, the newest value arrives last.
    @Test func theNewestValueComesLast() async {
        let broadcast = Broadcast(0)
        var values = broadcast.stream().makeAsyncIterator()
        await withTaskGroup(of: Void.self) { group in
            for number in 1...500 { group.addTask { broadcast.send(number) } }
        }
        let newest = broadcast.value
        #expect(await values.next() == newest)
    }
}
