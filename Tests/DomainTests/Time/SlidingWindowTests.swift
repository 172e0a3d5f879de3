import Domain
import Foundation
import Testing

@Suite struct SlidingWindowTests {
    private let noon = Date(milliseconds: 1_772_366_400_000)

    private func wait(after seconds: [Int64], limit: Int = 2) -> Duration? {
        SlidingWindow.wait(
            after: seconds.map { noon.adding(.seconds($0)) }, limit: limit, in: .minutes(1),
            at: noon)
    }

    @Test func waitEndsWithTheOldestEventOfTheLimit() {
        #expect(wait(after: []) == nil)
        #expect(wait(after: [-1]) == nil)
        #expect(wait(after: [-10, -30]) == .seconds(30))
        #expect(wait(after: [-20, -10, -30]) == .seconds(40))
    }

    @Test func eventCountsForTheWindow() {
        #expect(wait(after: [-60, -1]) == nil)
        #expect(wait(after: [-59, -1]) == .seconds(1))
    }

    /// Servers of one database may differ by less than ten seconds.
    @Test func eventsInTheFutureDoNotCount() {
        #expect(wait(after: [9, -1]) == .seconds(59))
        #expect(wait(after: [10, -1]) == nil)
        #expect(wait(after: [432_000, 432_001]) == nil)
    }
}
