import Foundation
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
}
