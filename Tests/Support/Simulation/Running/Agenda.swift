import Domain
import Foundation

/// The second half of a step, which the simulator performs at a given time.
enum Errand: Sendable {
    case startServer
    case healDisk
    case correctClock
    case mendRows
    case flush(Int)
    case resend(Int)
    case report(Outside.Report)
    case checkReport(Outside.Report)
    case raiseAgain(Int, times: Int)
    case endAgain(Int, times: Int)
    /// Wakes the loops, as a set clock does, and checks the invariants.
    case look
    /// Checks the invariants.
    case check
}

struct Agenda: Sendable {
    private var errands: [(at: Date, order: Int, errand: Errand)] = []
    private var count = 0

    mutating func add(_ errand: Errand, at time: Date) {
        errands.append((time, count, errand))
        count += 1
    }

    var next: Date? { errands.map(\.at).min() }

    mutating func take(by now: Date) -> Errand? {
        let due = errands.indices.filter { errands[$0].at <= now }
        let first = due.min {
            (errands[$0].at, errands[$0].order) < (errands[$1].at, errands[$1].order)
        }
        return first.map { errands.remove(at: $0).errand }
    }
}
