import Domain
import Foundation
import Persistence
import Testing

@testable import Delivery

/// Which row the queue hands out next. Lane 0 has the alerts, lane 1 everything else.
@Suite struct DeliveryQueueTests {
    private func queue(_ channel: DeliveryChannel = .sms, limit: Int = 30) -> DeliveryQueue {
        var queue = DeliveryQueue(channels: [channel], limit: limit)
        queue.begin(at: noon)
        return queue
    }

    /// - Parameter device: distinguishes the endpoints of one person.
    private func row(
        _ number: UInt8, to user: UInt8, device: UInt8 = 0, priority: Int = 0,
        dueAt: Date = noon, by channel: DeliveryChannel = .sms
    ) -> DueDelivery {
        DueDelivery(
            id: id(number),
            endpoint: DeliveryEndpoint(
                userID: id(user), channel: channel, pushEndpointID: id(device)),
            priority: priority, dueAt: dueAt)
    }

    private func offer(_ rows: [DueDelivery], to queue: inout DeliveryQueue, at now: Date = noon) {
        for row in rows { _ = queue.offer([row], in: queue.lanes[row.priority], at: now) }
    }

    private func taken(from queue: inout DeliveryQueue) -> [UInt8] {
        queue.take().map(\.id.uuid.uuid.15)
    }

    @Test func alertsComeFirstThenTheOldest() {
        var queue = queue()
        offer(
            [
                row(1, to: 1, priority: 1), row(2, to: 2, dueAt: noon.adding(.seconds(2))),
                row(3, to: 3, dueAt: noon.adding(.seconds(1))),
                row(4, to: 4, dueAt: noon.adding(.seconds(1))), row(5, to: 5, priority: 1),
            ], to: &queue)
        let numbers = taken(from: &queue)
        #expect(numbers == [3, 4, 2, 1, 5])
    }

    @Test func onlyFreePlacesAreTaken() {
        var queue = queue(limit: 2)
        offer((1...3 as ClosedRange<UInt8>).map { row($0, to: $0) }, to: &queue)
        let first = taken(from: &queue)
        let none = taken(from: &queue)
        #expect(first == [1, 2] && none == [] && queue.free == 0)
        queue.finish(row(1, to: 1).endpoint, .done, at: noon)
        let next = taken(from: &queue)
        #expect(next == [3])
    }

    @Test(arguments: [(DeliveryChannel.sms, 4), (.webPush, 20), (.apns, 20)])
    func personHasAFewPlaces(channel: DeliveryChannel, places: Int) {
        var queue = queue(channel)
        let numbers: ClosedRange<UInt8> = 1...22
        offer(numbers.map { row($0, to: 1, device: $0, by: channel) }, to: &queue)
        offer([row(30, to: 2, by: channel)], to: &queue)
        let first = taken(from: &queue)
        #expect(first == Array(numbers.prefix(places)) + [30])
        let none = queue.wanted(at: noon)
        #expect(none == nil)
        queue.finish(row(1, to: 1, device: 1, by: channel).endpoint, .done, at: noon)
        let wanted = queue.wanted(at: noon)
        #expect(wanted?.pushEndpointID == id(UInt8(places) + 1))
    }

    @Test func alertReplacesAWaitingRowOfItsEndpoint() {
        var queue = queue()
        offer([row(1, to: 1, priority: 1), row(2, to: 1)], to: &queue)
        let alert = taken(from: &queue)
        #expect(alert == [2])
        queue.finish(row(2, to: 1).endpoint, .done, at: noon)
        let wanted = queue.wanted(at: noon)
        #expect(wanted == row(1, to: 1).endpoint)
        // A running try isn't replaced, and nor is an alert.
        queue.offer(row(1, to: 1, priority: 1), at: noon)
        let other = taken(from: &queue)
        offer([row(3, to: 1)], to: &queue)
        let none = taken(from: &queue)
        #expect(other == [1] && none == [])
    }

    @Test func alertReplacesThePersonsLastWaitingRow() {
        var queue = queue()
        let numbers: ClosedRange<UInt8> = 1...4
        offer(numbers.map { row($0, to: 1, device: $0, priority: 1) }, to: &queue)
        offer([row(9, to: 2, priority: 1), row(5, to: 1, device: 5)], to: &queue)
        let first = taken(from: &queue)
        #expect(first == [5, 1, 2, 3, 9])
    }

    @Test func suspectEndpointsGetHalfOfThePlaces() {
        var queue = queue(limit: 4)
        let rows = (1...3 as ClosedRange<UInt8>).map { row($0, to: $0) }
        offer(rows, to: &queue)
        let first = taken(from: &queue)
        #expect(first == [1, 2, 3])
        for row in rows { queue.finish(row.endpoint, .slow, at: noon) }
        offer(rows + [row(4, to: 4)], to: &queue)
        let second = taken(from: &queue)
        #expect(second == [1, 2, 4])
        queue.finish(rows[0].endpoint, .done, at: noon)
        let wanted = queue.wanted(at: noon)
        #expect(wanted == rows[2].endpoint)
    }

    @Test(arguments: [
        (DeliveryQueue.End.blocked, 1_000), (.busy, 20),
        (.rests(until: noon.adding(.seconds(7))), 7_000),
    ])
    func endpointRestsUntilTheEndOfItsPause(end: DeliveryQueue.End, milliseconds: Int) {
        var queue = queue()
        let (waiting, next) = (row(1, to: 1), row(2, to: 1))
        offer([waiting, next], to: &queue)
        let first = taken(from: &queue)
        #expect(first == [1])
        queue.finish(waiting.endpoint, end, at: noon)
        let back = noon.adding(.milliseconds(milliseconds))
        #expect(queue.nextRestEnd == back)
        for (time, endpoint) in [
            (back.adding(.milliseconds(-1)), nil), (back, waiting.endpoint),
        ] as [(Date, DeliveryEndpoint?)] {
            queue.begin(at: time)
            let wanted = queue.wanted(at: time)
            #expect(wanted == endpoint)
        }
    }

    /// The server's time was five days ahead when the endpoint failed.
    @Test func correctedClockEndsPauses() {
        var queue = queue()
        let ahead = noon.adding(.days(5))
        let (waiting, next) = (row(1, to: 1), row(2, to: 1))
        queue.begin(at: ahead)
        offer([waiting, next], to: &queue)
        let first = taken(from: &queue)
        #expect(first == [1])
        queue.finish(waiting.endpoint, .rests(until: ahead.adding(.seconds(7))), at: ahead)
        queue.begin(at: ahead)
        let early = queue.wanted(at: ahead)
        #expect(early == nil)
        queue.begin(at: noon)
        let wanted = queue.wanted(at: noon)
        #expect(wanted == waiting.endpoint && queue.nextRestEnd == nil)
    }

    /// A try that began before the correction ends after it.
    @Test func pauseOfTheWrongTimeEndsToo() {
        var queue = queue()
        let (waiting, next) = (row(1, to: 1), row(2, to: 1))
        queue.begin(at: noon)
        offer([waiting, next], to: &queue)
        let first = taken(from: &queue)
        #expect(first == [1])
        let longest = EndpointRules.longestRestOnSecondDay
        queue.finish(
            waiting.endpoint, .rests(until: noon.adding(longest + .milliseconds(1))), at: noon)
        queue.begin(at: noon)
        let wanted = queue.wanted(at: noon)
        #expect(wanted == waiting.endpoint)
    }

    @Test func untriedRowIsOfferedAgainAtOnce() {
        var queue = queue()
        for _ in 0..<2 {
            offer([row(1, to: 1)], to: &queue)
            let numbers = taken(from: &queue)
            #expect(numbers == [1])
            queue.finish(row(1, to: 1).endpoint, .notTried, at: noon)
            #expect(queue.nextRestEnd == nil && queue.free == 30)
        }
        // An endpoint without a try has no place to free.
        queue.finish(row(1, to: 1).endpoint, .done, at: noon)
        #expect(queue.free == 30)
    }

    @Test func moreIsReadOnlyForFreePlaces() {
        var queue = queue(limit: 1)
        offer([row(1, to: 1, priority: 1)], to: &queue)
        // An alert may still come before the row of lower priority.
        let hasRoom = queue.lanes.map { queue.position(in: $0) != nil }
        #expect(hasRoom == [true, false])
    }

    @Test func clockSetBackStartsFromTheBeginning() {
        var queue = queue()
        offer([row(1, to: 1)], to: &queue)
        queue.begin(at: noon)
        #expect(queue.position(in: queue.lanes[0])?.after != nil)
        queue.begin(at: noon.adding(.seconds(-1)))
        #expect(queue.position(in: queue.lanes[0])?.after == nil)
    }

    @Test func uniqueQueueHoldsEachElementOnce() {
        var queue = UniqueQueue<Int>()
        var out: [Int] = []
        for number in [1, 2, 1, 3] { queue.append(number) }
        out += [queue.popFirst(), queue.popFirst()].compactMap(\.self)
        for number in [1, 3, 2] { queue.append(number) }
        #expect(queue.first == 3)
        while let number = queue.popFirst() { out.append(number) }
        #expect(out == [1, 2, 3, 1, 2] && queue.first == nil)
    }

    @Test func indexOfTheLaterElementsIsFound() {
        for limit in 0...6 {
            let numbers = Array(0..<5)
            #expect(numbers.partitioningIndex { $0 >= limit } == min(limit, 5))
        }
        #expect([Int]().partitioningIndex { _ in true } == 0)
    }
}
