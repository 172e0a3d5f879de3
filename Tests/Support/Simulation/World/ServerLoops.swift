import Domain
import Foundation
import SafetyNetwork
import Synchronization

/// When the background loops of a server sleep, on the simulated time. `LoopPauses`, `LoopSleep`
/// and `LoopCalls` decide, as in a server.
///
/// Passes that would find nothing are left out: the last plan still holds, and no row is due
/// before. So a loop's rest between news costs nothing.
final class ServerLoops: Sendable {
    enum Loop: Hashable, Sendable, CustomStringConvertible {
        case deadlines
        /// A delivery worker, by its place in `Server.workers`.
        case lane(Int)

        var description: String {
            switch self {
            case .deadlines: "deadline monitor"
            case .lane(let lane): "delivery worker \(lane)"
            }
        }

        fileprivate var pauses: LoopPauses {
            var pauses: LoopPauses =
                switch self {
                case .deadlines: .deadlines(isShared: false, noticesClockSets: true)
                case .lane: .deliveries(isShared: false)
                }
            // A look after a quiet minute finds only work that nothing has announced, so late work.
            pauses.quiet = .days(3_650)
            return pauses
        }
    }

    static let lanes = 0..<3
    static let all: [Loop] = [.deadlines] + lanes.map { Loop.lane($0) }

    /// A failed pass is repeated less often than in a server, because a full disk lasts.
    private static let pauseAfterFailure = LoopPauses.afterFailure * 5

    private struct State {
        var sleep = LoopSleep()
        /// The true time at which the current sleep ends; nil while the loop is awake.
        var end: Date?
        /// The true time at which the sleep would end without news.
        var plannedEnd: Date = .distantPast
        /// The server's time of the last pass.
        var workedAt: Date?
        /// The server's time that the last pass planned.
        var due: Date = .distantPast
        /// Whether the next pass may not be left out.
        var mustWork = true
        /// Whether the last pass failed, or left rows because all places were taken.
        var isHeldUp = false
        /// The first row that is due at the last pass or later, and when it should be handled.
        var row: Date?
        var lateFrom: Date?

        /// Whether a pass before `due` may find something.
        var mayHaveWork: Bool { mustWork || row.map { $0 < due } ?? false }
    }

    private struct Content {
        var states = Dictionary(uniqueKeysWithValues: ServerLoops.all.map { ($0, State()) })
        /// Whether rows may have changed since `note`.
        var isStale = true

        /// Changes a loop that a call has woken if `wakes` says so.
        mutating func wake(_ loop: Loop, if wakes: (inout LoopSleep) -> Bool) {
            guard var state = states[loop] else { return }
            if wakes(&state.sleep) { state.end = nil }
            states[loop] = state
        }
    }

    private let time: SimulatedTime
    private let origin = ContinuousClock.now
    private let content = Mutex(Content())

    init(time: SimulatedTime) { self.time = time }

    /// The time on the clock of sleeps. It advances as the simulated time does.
    private var moment: ContinuousClock.Instant { origin + time.monotonic }

    // MARK: Wake-ups

    /// Called after each commit.
    func call(_ calls: LoopCalls) {
        let moment = self.moment
        content.withLock { content in
            content.isStale = true
            if let due = calls.deadlines { content.wake(.deadlines) { $0.wake(at: due) } }
            if calls.deliveries {
                for lane in Self.lanes {
                    content.states[.lane(lane)]?.mustWork = true
                    content.wake(.lane(lane)) { $0.wake() }
                }
            }
            guard calls.isNews else { return }
            for loop in Self.all where loop.pauses.awaitsNews {
                let longest = loop.pauses.longest
                content.wake(loop) { $0.noteNews(at: moment, sleepingAtMost: longest) }
            }
        }
    }

    func wake(_ loop: Loop) {
        content.withLock { content in
            content.states[loop]?.mustWork = true
            content.wake(loop) { $0.wake() }
        }
    }

    /// Called when the clock was set.
    func wakeAll() { for loop in Self.all { wake(loop) } }

    /// The true time at which a loop has to be looked at.
    var nextEnd: Date {
        content.withLock { content in
            Self.all.compactMap { content.states[$0] }.map { state in
                guard let end = state.end else { return Date.distantPast }
                return state.mayHaveWork ? end : state.plannedEnd
            }.min() ?? .distantFuture
        }
    }

    // MARK: Passes

    func isAwake(_ loop: Loop) -> Bool {
        let now = time.now
        return content.withLock { content in
            if let end = content.states[loop]?.end, end > now { return false }
            content.states[loop]?.sleep.finish()
            content.states[loop]?.end = nil
            return true
        }
    }

    /// Returns whether a loop that is awake has to make a pass. Otherwise lets it sleep on.
    /// - Parameter isEven: whether the server's clock runs as the true time does.
    func mustWork(_ loop: Loop, at serverNow: Date, isEven: Bool) -> Bool {
        let (now, moment) = (time.now, self.moment)
        return content.withLock { content in
            guard var state = content.states[loop] else { return false }
            defer { content.states[loop] = state }
            if state.mayHaveWork || state.due <= serverNow {
                state.mustWork = false
                return true
            }
            // The first sleep may end at once, because of a wake-up before it.
            for _ in 0..<2 where state.end == nil {
                let pause = Self.pause(of: loop, until: state.due, at: serverNow, isEven)
                Self.begin(&state, loop, pause, (now, serverNow, moment))
            }
            return false
        }
    }

    /// Lets a loop sleep after a pass.
    /// - Parameters:
    ///   - due: what the pass has planned.
    ///   - isHeldUp: whether the pass has left due rows, because all places were taken.
    func rest(
        _ loop: Loop, until due: Date?, at serverNow: Date, isEven: Bool, isHeldUp: Bool = false
    ) {
        let (now, moment) = (time.now, self.moment)
        content.withLock { content in
            guard var state = content.states[loop] else { return }
            (state.due, state.isHeldUp) = (due ?? .distantFuture, isHeldUp)
            state.workedAt = serverNow
            let pause = Self.pause(of: loop, until: due, at: serverNow, isEven)
            Self.begin(&state, loop, pause, (now, serverNow, moment))
            content.states[loop] = state
            content.isStale = true
        }
    }

    func restAfterFailure(_ loop: Loop, at serverNow: Date) {
        let (now, moment) = (time.now, self.moment)
        content.withLock { content in
            guard var state = content.states[loop] else { return }
            (state.due, state.isHeldUp, state.mustWork) = (.distantPast, true, true)
            Self.begin(&state, loop, Self.pauseAfterFailure, (now, serverNow, moment))
            content.states[loop] = state
        }
    }

    private static func pause(
        of loop: Loop, until due: Date?, at serverNow: Date, _ isEven: Bool
    ) -> Duration {
        let pause = loop.pauses.pause(until: due, at: serverNow)
        // A server looks every second while its clock is uneven. Its time runs at most 5 % fast.
        return isEven ? pause : .milliseconds(max(1, pause.milliseconds * 94 / 100))
    }

    private static func begin(
        _ state: inout State, _ loop: Loop, _ pause: Duration,
        _ times: (now: Date, server: Date, moment: ContinuousClock.Instant)
    ) {
        let length = state.sleep.begin(
            for: pause, orAfterNews: loop.pauses.longest, until: times.server.adding(pause),
            at: times.moment)
        state.end = length.map { times.now.adding($0) }
        state.plannedEnd = times.now.adding(pause)
    }

    // MARK: Rows

    /// For each loop, the server's time of the last pass; nil if the rows that were noted are
    /// present.
    func takeStale() -> [Loop: Date]? {
        content.withLock { content in
            guard content.isStale else { return nil }
            content.isStale = false
            return content.states.mapValues { $0.workedAt ?? .distantPast }
        }
    }

    /// Enters the first row of each loop that is due at its last pass or later.
    func note(_ rows: [Loop: Date], at serverNow: Date) {
        content.withLock { content in
            for loop in Self.all where content.states[loop]?.row != rows[loop] {
                content.states[loop]?.row = rows[loop]
                content.states[loop]?.lateFrom = rows[loop].map { max($0, serverNow) }
            }
        }
    }

    /// Returns for how long the loop's first row has been due; zero if that has a reason.
    func delay(of loop: Loop, at serverNow: Date) -> Duration {
        content.withLock { content in
            guard let state = content.states[loop], !state.isHeldUp, let from = state.lateFrom,
                let last = state.workedAt, state.row != last
            else { return .zero }
            return serverNow.since(from)
        }
    }
}
