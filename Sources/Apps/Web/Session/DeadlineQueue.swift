/// Numbers ordered by deadline, the earliest first. A binary heap.
struct DeadlineQueue {
    private struct Entry {
        let deadline: ContinuousClock.Instant
        let number: Int
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }
    var first: ContinuousClock.Instant? { entries.first?.deadline }

    mutating func insert(_ number: Int, at deadline: ContinuousClock.Instant) {
        entries.append(Entry(deadline: deadline, number: number))
        var index = entries.count - 1
        while index > 0, isBefore(index, (index - 1) / 2) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeDue(at time: ContinuousClock.Instant) -> [Int] {
        var numbers: [Int] = []
        while let first = entries.first, first.deadline <= time {
            numbers.append(first.number)
            entries.swapAt(0, entries.count - 1)
            entries.removeLast()
            sink(0)
        }
        return numbers
    }

    mutating func keep(_ isKept: (Int) -> Bool) {
        entries.removeAll { !isKept($0.number) }
        for index in (0..<entries.count / 2).reversed() { sink(index) }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var earliest = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && isBefore(child, earliest) {
                earliest = child
            }
            guard earliest != index else { return }
            entries.swapAt(index, earliest)
            index = earliest
        }
    }

    private func isBefore(_ first: Int, _ second: Int) -> Bool {
        entries[first].deadline < entries[second].deadline
    }
}
