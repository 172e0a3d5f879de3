import Domain
import Foundation
import Persistence
import Synchronization

/// The server's time (product.md, "The server's clock").
///
/// It advances by a clock that nobody can set and that counts while the machine sleeps (`boot`).
/// The wall clock is followed as far as there is a reason to believe it:
///
/// - The kernel says that it is synchronised: it wins, in both directions and at once.
/// - It runs on without a step: its drift is followed, by at most 5 % of the time that passes.
/// - It was set, and nobody says that it is right: the time goes on by `boot`, 5 % faster or slower
///   towards the wall clock. When the wall clock comes back to where it was, it is right again.
/// - It lies before a time that is known to have been: it is wrong and not followed at all until it
///   is set to something possible.
/// - Nothing is known but the wall clock itself: during the first minute it is followed wherever it
///   is set. That is when a machine that has just started is corrected.
///
/// Within one boot of the machine a new process goes on with the time of the last one (`start`).
/// Several servers on one database follow that one's clock instead (`ServerClock+Shared`).
public final class ServerClock: Sendable {
    /// An error of more than this is reported.
    public static let notableGap: Duration = .seconds(5)
    /// How long a start without any knowledge believes a wall clock that is being set.
    public static let settling: Duration = .seconds(60)
    private static let slew = 0.05
    /// An error up to this size is left to slewing, whatever its source: an everyday correction.
    private static let smallGap: Duration = .seconds(1)
    /// The gap up to which a wall clock before a known time is slewed: a clock that was a little
    /// ahead and is right now looks the same as one that is wrong.
    private static let slewedLowerBound: Duration = .minutes(10)
    /// More than the time between two readings of the same moment.
    private static let smallestStep: Duration = .milliseconds(500)
    private static let pauseBetweenQuestions: Duration = .seconds(1)

    struct Steady {
        var time: Date
        var since: Date
    }

    struct State {
        var time: Date
        var wall: Date
        var boot: Duration
        /// While the wall clock is not believed: the time without it, and since when.
        var steady: Steady?
        /// The wall clock lies before a time that has been.
        var isDisproved = false
        /// Until then a step of the wall clock is followed.
        var settledAt: Duration
        /// When the present way of counting began.
        var since: Date
        var gap: Duration = .zero
        var isSynchronised: Bool
        var askedAt: Duration
        var corrections: [ClockCorrection] = []
        var lastSignOfLife: Date?
    }

    private let wall: @Sendable () -> Date
    private let boot: @Sendable () -> Duration
    let bootID: Int64?
    let shared: Shared?
    private let askKernel: @Sendable () -> Bool
    let state: Mutex<State>

    /// A clock that knows nothing but the wall clock; see `start`.
    /// - Parameters:
    ///   - wall: the machine's clock, which may be set at any time.
    ///   - monotonic: time since the machine started; never set, counts while it sleeps.
    ///   - bootID: which start of the machine that is; nil when nobody knows.
    ///   - isSynchronised: whether the kernel says that its wall clock is right.
    ///   - shared: the clock is one that several servers share.
    public init(
        wall: @escaping @Sendable () -> Date, monotonic: @escaping @Sendable () -> Duration,
        bootID: Int64? = nil, isSynchronised: @escaping @Sendable () -> Bool = { false },
        shared: Shared? = nil
    ) {
        self.wall = wall
        boot = monotonic
        self.bootID = bootID
        self.shared = shared
        askKernel = isSynchronised
        let (time, moment) = (wall(), monotonic())
        state = Mutex(
            State(
                time: time, wall: time, boot: moment, settledAt: moment + Self.settling,
                since: time,
                isSynchronised: isSynchronised(), askedAt: moment))
    }

    /// Goes on from what was remembered. Called once, before anything is done by this clock.
    public func start(remembering memory: ClockMemory?) {
        guard let memory else { return }
        state.withLock { state in
            (state.wall, state.boot, state.isSynchronised) = (wall(), boot(), askKernel())
            (state.time, state.since) = (state.wall, state.wall)
            state.settledAt = state.boot + Self.settling
            if let shared {
                shared.goOn(from: memory, &state)
            } else if let bootID, memory.bootID == bootID, memory.boot <= state.boot {
                goOn(from: memory, &state)
            } else {
                beginAnew(after: memory, &state)
            }
            state.gap = state.wall.since(state.time)
        }
    }

    /// The same boot: the time goes on, whatever the wall clock says.
    private func goOn(from memory: ClockMemory, _ state: inout State) {
        let pause = state.boot - memory.boot
        let time = memory.time.adding(pause)
        (state.time, state.since, state.settledAt) = (time, memory.since, state.boot)
        switch memory.trust {
        case .full:
            if state.wall.since(time).size > Self.smallGap {
                state.steady = Steady(time: time, since: time)
            }
        case .steady(let steady, let since):
            state.steady = Steady(time: steady.adding(pause), since: since)
        case .atLeast: state.isDisproved = true
        }
        if state.isSynchronised { believe(&state) }
        state.lastSignOfLife = state.time.adding(.zero - pause)
    }

    /// Another boot, or another machine: the wall clock is all there is, but time has not gone
    /// back.
    private func beginAnew(after memory: ClockMemory, _ state: inout State) {
        let wasAhead = memory.time.since(state.wall)
        state.lastSignOfLife = min(memory.time, state.wall)
        guard wasAhead > Self.notableGap else { return }
        if case .steady = memory.trust {
            // The remembered time was doubtful itself.
            state.corrections = [
                .init(by: .zero - wasAhead, since: memory.since, until: memory.time)
            ]
        } else {
            (state.time, state.since, state.isDisproved) = (memory.time, memory.since, true)
            if state.isSynchronised { believe(&state) }
            state.lastSignOfLife = state.time
        }
    }

    public func now() -> Date {
        state.withLock { state in
            read(&state)
            return Date(milliseconds: state.time.milliseconds)
        }
    }

    func read(_ state: inout State) {
        let (moment, wall) = (boot(), wall())
        let elapsed = moment - state.boot
        guard elapsed > .zero else { return }
        let seconds = elapsed / .seconds(1)
        let most = Self.slew * seconds
        let step = wall.timeIntervalSince(state.wall) - seconds
        let isStep = abs(step) > max(Self.smallestStep / .seconds(1), most)
        (state.boot, state.wall) = (moment, wall)
        state.time.addTimeInterval(seconds)
        state.steady?.time.addTimeInterval(seconds)
        // After a step the word from before it is worth nothing.
        if isStep || moment - state.askedAt >= Self.pauseBetweenQuestions {
            (state.isSynchronised, state.askedAt) = (askKernel(), moment)
        }
        if isBelieved(after: isStep, state) {
            believe(&state)
        } else if isStep, state.steady == nil, !state.isDisproved {
            state.steady = Steady(time: state.time, since: state.time)
        }
        let gap = wall.timeIntervalSince(state.time)
        if abs(gap) <= most {
            state.time = wall
            // Should the wall clock turn out wrong, then since it was set, and not since ever.
            if let steady = state.steady { state.since = steady.since }
            state.steady = nil
        } else if !state.isDisproved || abs(gap) <= Self.slewedLowerBound / .seconds(1) {
            state.time.addTimeInterval(gap > 0 ? most : -most)
        }
        state.gap = .seconds(wall.timeIntervalSince(state.time))
    }

    private func isBelieved(after isStep: Bool, _ state: State) -> Bool {
        if shared != nil { return false }
        if state.isSynchronised { return true }
        if state.isDisproved { return state.wall.since(state.time) >= .zero - Self.notableGap }
        return agrees(state) || (isStep && state.boot < state.settledAt)
    }

    /// The wall clock is where it would be had nobody set it. Clocks drift apart meanwhile.
    private func agrees(_ state: State) -> Bool {
        guard let steady = state.steady else { return false }
        let drift = steady.time.since(steady.since).size / 1000
        return state.wall.since(steady.time).size <= Self.smallGap + drift
    }

    /// The wall clock is right. A small gap is left to the slewing.
    private func believe(_ state: inout State) {
        // Without the wall clock the time would have been right: only what it did to it was wrong.
        let since = agrees(state) ? state.steady?.since : nil
        let gap = state.wall.since(state.time)
        (state.steady, state.isDisproved) = (nil, false)
        guard gap.size > Self.smallGap else { return }
        state.corrections.append(.init(by: gap, since: since ?? state.since, until: state.time))
        (state.time, state.since) = (state.wall, state.wall)
    }
}
