import Foundation
import Synchronization
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(5))) struct PictureWorkshopTests {
    @Test func noMorePicturesWaitThanAllowed() async throws {
        let workshop = PictureWorkshop(width: 1, queue: 2)
        let release = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await workshop.run { release.wait() } } }
            while workshop.freePlaces > 0 { await Task.yield() }
            await #expect(throws: PictureFailure.tooMany) { try await workshop.run {} }
            for _ in 0..<3 { release.signal() }
            try await group.waitForAll()
        }
        #expect(workshop.freePlaces == 3)
        #expect(try await workshop.run { 7 } == 7)
    }

    @Test func cancelledWorkIsNotDone() async throws {
        let workshop = PictureWorkshop(width: 1, queue: 1)
        let (release, done) = (DispatchSemaphore(value: 0), Flag())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await workshop.run { release.wait() } }
            while workshop.freePlaces > 1 { await Task.yield() }
            let waiting = Task {
                try await workshop.run { done.isSet.withLock { $0 = true } }
            }
            while workshop.freePlaces > 0 { await Task.yield() }
            waiting.cancel()
            // The waiting task ends immediately, and frees its place.
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(workshop.freePlaces == 1)
            release.signal()
            try await group.waitForAll()
        }
        #expect(try await workshop.run { 7 } == 7)
        #expect(!done.isSet.withLock { $0 })
    }

    private final class Flag: Sendable { let isSet = Mutex(false) }

    @Test func startedWorkFinishesAfterCancellation() async throws {
        let workshop = PictureWorkshop(width: 1, queue: 0)
        let (begun, release) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let working = Task {
            try await workshop.run {
                begun.continuation.yield()
                release.wait()
                return 7
            }
        }
        for await _ in begun.stream { break }
        working.cancel()
        release.signal()
        #expect(try await working.value == 7)
        #expect(workshop.freePlaces == 1)
    }
}
