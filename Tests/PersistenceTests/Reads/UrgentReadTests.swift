import Foundation
import Synchronization
import Testing

@testable import Persistence

/// Some of the few read connections are reserved for the deadline monitor, deliveries and
/// check-ins.
@Suite(.timeLimit(.minutes(5))) struct UrgentReadTests {
    /// Blocks reads until `open` is called.
    private final class Block: Sendable {
        private let opened = DispatchSemaphore(value: 0)
        private let inside = Mutex(0)

        var insideCount: Int { inside.withLock { $0 } }

        func stop() {
            inside.withLock { $0 += 1 }
            opened.wait()
        }

        func open(_ count: Int) { for _ in 0..<count { opened.signal() } }
    }

    @Test func urgentReadDoesNotWaitForOrdinaryReads() async throws {
        try await withEngine(.disk) { engine in
            let block = Block()
            let reads = (0..<12).map { _ in Task { try await engine.read { _ in block.stop() } } }
            while block.insideCount < 4 { await Task.yield() }
            // More urgent reads at once than reserved connections.
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<10 {
                    group.addTask { try await engine.readUrgently { try $0.count("SELECT 7", []) } }
                }
                for try await value in group { #expect(value == 7) }
            }
            #expect(block.insideCount == 4)
            block.open(12)
            for read in reads { try await read.value }
        }
    }

    @Test(arguments: Home.ofSQLite) func urgentAndOrdinaryReadsAgree(home: Home) async throws {
        try await withEngine(home) { engine in
            try await engine.moveIn(ada, ben)
            #expect(
                try await engine.readUrgently { try $0.count("SELECT COUNT(*) FROM users", []) }
                    == 2)
            #expect(try await engine.read { try $0.count("SELECT COUNT(*) FROM users", []) } == 2)
        }
    }

    @Test func cancelledReadThrowsCancellation() async throws {
        try await withEngine(.disk) { engine in
            let (begins, begin) = AsyncStream.makeStream(of: Void.self)
            let read = Task {
                try await engine.read { connection in
                    _ = try connection.query(
                        """
                        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
                        SELECT n FROM numbers
                        """, []
                    ) { _ in begin.yield() }
                }
            }
            _ = await begins.first { _ in true }
            read.cancel()
            await #expect(throws: CancellationError.self) { try await read.value }
        }
    }

    @Test func failedReadReturnsItsTurn() async throws {
        try await withEngine(.disk) { engine in
            for _ in 0..<20 {
                await #expect(throws: DatabaseError.closed) {
                    try await engine.read { _ in throw DatabaseError.closed }
                }
            }
            let value = try await engine.read { try $0.count("SELECT 7", []) }
            #expect(value == 7)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct TurnsTests {
    private final class Book: Sendable {
        private let state = Mutex((now: 0, most: 0, order: [Int]()))

        func begin(_ number: Int) {
            state.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
                $0.order.append(number)
            }
        }

        func end() { state.withLock { $0.now -= 1 } }
        var most: Int { state.withLock { $0.most } }
        var order: [Int] { state.withLock { $0.order } }
    }

    @Test func turnsLimitConcurrentWork() async {
        let (turns, book) = (Turns(2), Book())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    await turns.run {
                        book.begin(number)
                        for _ in 0..<5 { await Task.yield() }
                        book.end()
                    }
                }
            }
        }
        #expect(book.most <= 2 && book.order.count == 50)
        #expect(turns.waitingCount == 0)
    }

    @Test func turnsAreFirstComeFirstServed() async {
        let (turns, book) = (Turns(1), Book())
        let (stop, go) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            await turns.run {
                book.begin(0)
                for await _ in stop { break }
            }
        }
        while book.order.isEmpty { await Task.yield() }
        var waiting: [Task<Void, Never>] = []
        for number in 1...5 {
            waiting.append(Task { await turns.run { book.begin(number) } })
            while turns.waitingCount < number { await Task.yield() }
        }
        go.yield()
        await first.value
        for task in waiting { await task.value }
        #expect(book.order == [0, 1, 2, 3, 4, 5])
    }
}
