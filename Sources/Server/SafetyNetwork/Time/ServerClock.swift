import Domain
import Foundation
import Persistence
import Synchronization

/// The server's time (product.md, "The server's clock").
///
/// It advances by `boot`, a clock that can't be set and that counts during sleep. It follows the
/// wall clock only for a reason:
///
/// - If the kernel says that the wall clock is synchronised, the time follows it at once.
/// - While the wall clock runs without a step, the time follows its drift, but at most 5 %.
/// - If the wall clock is set without confirmation, the time runs 5 % faster or slower towards it.
///   If the wall clock is set back to where it was, it is trusted again.
/// - If the wall clock shows a time before one that is known to have passed, it is wrong. It is
///   ignored until it shows a possible time.
/// - If a server starts without a remembered time, the time follows every step of the wall clock
///   during the first minute. A machine that has just started usually corrects its clock then.
///
/// A new process continues the time of the last one if the machine hasn't rebooted (`start`).
/// Several servers on one database follow the database's clock instead (`Shared`).
public final class ServerClock: Sendable {
    /// A larger gap between the machine's clock and the server's time causes a warning.
    public static let notableGap: Duration = .seconds(5)
    /// For this long after a start without a remembered time, the time follows steps of the wall
    /// clock.
    public static let settling: Duration = .seconds(60)
    private static let slew = 0.05
    /// A smaller gap between the wall clock and the server's time is normal. It is closed
    /// gradually.
    private static let smallGap: Duration = .seconds(1)
    /// If the wall clock shows a time before one that is known to have passed, only smaller gaps
    /// are closed gradually. A clock that was slightly ahead and is now right looks the same as a
    /// wrong one.
    private static let slewedLowerBound: Duration = .minutes(10)
    /// A gap up to this size delays a deadline at most that long, so it needs no frequent looks.
    private static let harmlessGap: Duration = .milliseconds(100)
    /// A smaller change isn't a step. The two clocks are read less than this apart.
    private static let smallestStep: Duration = .milliseconds(500)
    private static let pauseBetweenQuestions: Duration = .seconds(1)
    /// The longest interval at which the usual time daemons compare the clock
    /// (`systemd-timesyncd`). Until then, the kernel may call a wrong clock synchronised.
    static let longestPoll: Duration = .seconds(2048)

    struct Steady {
        var time: Date
        var since: Date
    }

    struct State {
        var time: Date
        var wall: Date
        var boot: Duration
        /// While the wall clock isn't trusted: the time counted without it, and since when.
        var steady: Steady?
        /// True if the wall clock shows a time before one that is known to have passed.
        var isDisproved = false
        /// The time since boot from which the server's time ignores jumps of the wall clock.
        var settledAt: Duration
        /// When the present way of counting the time began.
        var since: Date
        /// When the kernel called the clock synchronised and the server's time agreed with it.
        var confirmedAt: Date?
        /// The server's time was right until here, because the kernel still confirmed it
        /// `longestPoll` later.
        var provenUntil: Date?
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
    private let state: Mutex<State>

    /// Creates a clock that knows only the wall clock. `start` adds the remembered time.
    /// - Parameters:
    ///   - wall: the machine's clock, which may be set at any time.
    ///   - monotonic: the time since boot, including sleep.
    ///   - bootID: identifies this boot of the machine; nil if unknown.
    ///   - isSynchronised: returns true if the kernel says that its wall clock is right.
    ///   - shared: set if several servers share the clock.
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

    /// Continues from the remembered state. Call this once, before anything uses the clock.
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

    /// Returns true if the servers' common clock may have been set since a server stored `memory`.
    func mayHaveJumped(since memory: ClockMemory) -> Bool {
        shared?.mayHaveJumped(since: memory, to: wall()) ?? false
    }

    /// Continues within the same boot, regardless of the wall clock.
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

    /// Starts after a reboot, or on another machine. Only the wall clock is known, and the time
    /// never goes back.
    private func beginAnew(after memory: ClockMemory, _ state: inout State) {
        let wasAhead = memory.time.since(state.wall)
        state.lastSignOfLife = min(memory.time, state.wall)
        guard wasAhead > Self.notableGap else { return }
        if case .steady = memory.trust {
            // The remembered time may be wrong. The times that it recorded are then corrected.
            state.corrections = [
                .init(by: .zero - wasAhead, since: memory.since, until: memory.time)
            ]
        } else {
            // The rows up to the saved time are right, unless the clock was already behind then.
            let since = memory.trust == .atLeast ? memory.since : memory.time
            (state.time, state.since, state.isDisproved) = (memory.time, since, true)
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

    private func read(_ state: inout State) {
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
        // After a step, the kernel's earlier answer is stale.
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
            // If the wall clock turns out to be wrong, it has been wrong since it was set.
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

    /// Returns true if the wall clock shows the time that it would show without having been set.
    private func agrees(_ state: State) -> Bool {
        guard let steady = state.steady else { return false }
        let drift = steady.time.since(steady.since).size / 1000
        return state.wall.since(steady.time).size <= Self.smallGap + drift
    }

    /// Trusts the wall clock. A small gap stays and is closed gradually.
    private func believe(_ state: inout State) {
        // If the wall clock agrees with the time counted without it, the time has been wrong since
        // the wall clock was set.
        let since = agrees(state) ? state.steady?.since : nil
        let gap = state.wall.since(state.time)
        (state.steady, state.isDisproved) = (nil, false)
        guard gap.size > Self.smallGap else { return confirm(&state) }
        let start = max(since ?? state.since, state.provenUntil ?? .distantPast)
        state.corrections.append(.init(by: gap, since: start, until: state.time))
        (state.time, state.since) = (state.wall, state.wall)
        (state.confirmedAt, state.provenUntil) = (nil, nil)
    }

    /// Notes that the kernel confirms the time. A pause of a virtual machine stops all its clocks
    /// and leaves the kernel's answer as it is, so one answer alone proves nothing.
    private func confirm(_ state: inout State) {
        guard state.isSynchronised else { return }
        guard let last = state.confirmedAt else {
            state.confirmedAt = state.time
            return
        }
        guard state.time.since(last) >= Self.longestPoll else { return }
        (state.provenUntil, state.confirmedAt) = (last, state.time)
    }
}

extension ServerClock {
    /// The machine's clock minus the server's time.
    public var gap: Duration { state.withLock { $0.gap } }

    /// The gap if it exceeds 5 seconds, which means that one of the two clocks is wrong; otherwise
    /// zero.
    public var knownError: Duration {
        let gap = gap
        return gap.size > Self.notableGap ? gap : .zero
    }

    /// True while the server's time runs faster or slower than real time, or may jump soon. Sleeps
    /// until a time of the server must then be short.
    public var isUneven: Bool { gap.size > Self.harmlessGap || correction != nil }

    /// True if the kernel says that the machine's clock is right; false if unknown.
    public var isSynchronised: Bool { state.withLock { $0.isSynchronised } }

    /// The warning for the operator; nil without a known error.
    public var warning: String? {
        let error = knownError
        guard error != .zero else { return nil }
        if let shared { return shared.warning(error) }
        let direction = error > .zero ? "ahead of" : "behind"
        return """
            the machine's clock is \(error.size.components.seconds) s \(direction) the server's \
            time, and nothing says \
            that it is right; synchronise it, or start the server with --trust-clock if it is right
            """
    }

    /// The oldest correction whose rows aren't corrected yet. `settle` removes it.
    public var correction: ClockCorrection? { state.withLock { $0.corrections.first } }

    /// Returns false if another call has settled it meanwhile.
    @discardableResult
    public func settle(_ correction: ClockCorrection) -> Bool {
        state.withLock { state in
            guard state.corrections.first == correction else { return false }
            state.corrections.removeFirst()
            return true
        }
    }

    /// When the last process recorded that it was running, converted to this process's time.
    public var lastSignOfLife: Date? { state.withLock { $0.lastSignOfLife } }

    /// The state for the next process.
    public var memory: ClockMemory {
        state.withLock { state in
            read(&state)
            return remembered(state)
        }
    }

    /// Returns the state to store in place of `stored`, never with an earlier time than another
    /// server's. If the machine was paused with all its clocks, this server's time is behind
    /// by the pause, and first jumps to the time of the others.
    func memory(replacing stored: ClockMemory?) -> ClockMemory {
        state.withLock { state in
            read(&state)
            guard let shared, let stored, stored.bootID == Shared.bootID, stored.time > state.time
            else { return remembered(state) }
            guard stored.time.since(state.time) > Self.smallGap else { return stored }
            shared.join(stored, &state)
            return remembered(state)
        }
    }

    /// Returns the state for the next process once the rows of this correction are corrected. Nil
    /// if other corrections wait: the next process has to find them again.
    func memory(after correction: ClockCorrection) -> ClockMemory? {
        state.withLock { state in
            read(&state)
            return state.corrections == [correction] ? remembered(state) : nil
        }
    }

    private func remembered(_ state: State) -> ClockMemory {
        if let shared { return shared.memory(of: state) }
        let trust: ClockMemory.Trust =
            if state.isDisproved { .atLeast } else if let steady = state.steady {
                .steady(steady.time, since: steady.since)
            } else { .full }
        return ClockMemory(
            time: state.time, since: state.since, trust: trust, boot: state.boot, bootID: bootID)
    }
}

extension Duration {
    var size: Duration { self < .zero ? .zero - self : self }
}

extension ServerClock {
    /// Follows the database's clock, as all servers of that database do. A jump of the database's
    /// clock never makes the time jump while the servers run: each would notice the jump at another
    /// moment. After such a jump, for example in a failover, all servers approach the clock by 5 %
    /// of the elapsed time. Only a server that is behind the others jumps to their time (`join`).
    public struct Shared: Sendable {
        /// True if the servers start with the database's clock. The first one then corrects the
        /// rows that were written by another time.
        public var isTrusted: Bool

        public init(isTrusted: Bool) { self.isTrusted = isTrusted }

        /// Replaces the machine's boot id, because the stored times come from the database's clock.
        static let bootID: Int64 = 0

        /// Keeps the distance to the database's clock that another server recorded seconds ago. All
        /// servers then have the same time.
        func goOn(from memory: ClockMemory, _ state: inout State) {
            state.lastSignOfLife = min(memory.time, state.wall)
            let pause = Self.moment(of: state.wall) - memory.boot
            let goesOn = memory.bootID == Self.bootID && pause >= .zero
            let time = goesOn ? memory.time.adding(pause) : max(memory.time, state.wall)
            let gap = state.wall.since(time)
            if isTrusted {
                // The time jumps. Rows that the servers wrote by the former time are corrected.
                if goesOn { state.lastSignOfLife = state.wall.adding(.zero - pause) }
                guard gap.size > ServerClock.smallGap else { return }
                state.corrections = [.init(by: gap, since: memory.since, until: time)]
            } else {
                state.time = time
                if goesOn { state.lastSignOfLife = memory.time }
                guard gap.size > ServerClock.smallGap else { return }
                // If the database's clock was set back while no server ran, the rows up to the
                // saved time are right. Otherwise, or if the time was already doubtful when it was
                // saved, it may have been wrong since `memory.since`.
                let wasRight = !goesOn && memory.trust == .full
                state.since = wasRight ? memory.time : memory.since
            }
        }

        /// Returns true if the database's clock was set since a server stored `memory`, or if no
        /// server ran.
        func mayHaveJumped(since memory: ClockMemory, to wall: Date) -> Bool {
            !isTrusted && memory.bootID == Self.bootID
                && Self.moment(of: wall) - memory.boot > Outage.threshold
        }

        /// Jumps to the time of the server that stored `memory`.
        func join(_ memory: ClockMemory, _ state: inout State) {
            // Each server stores its time every few seconds. A longer time since then is a jump of
            // the database's clock.
            let passed = Self.moment(of: state.wall) - memory.boot
            let elapsed = min(max(passed, .zero), ServerLife.pauseBetweenSignsOfLife * 2)
            (state.time, state.since) = (memory.time.adding(elapsed), memory.since)
            (state.steady, state.gap) = (nil, state.wall.since(state.time))
        }

        func memory(of state: State) -> ClockMemory {
            ClockMemory(
                time: state.time, since: state.since,
                trust: state.gap.size > ServerClock.smallGap ? .atLeast : .full,
                boot: Self.moment(of: state.wall), bootID: Self.bootID)
        }

        func warning(_ error: Duration) -> String {
            let direction = error > .zero ? "ahead of" : "behind"
            return """
                the database's clock is \(error.size.components.seconds) s \(direction) the \
                servers' time, which follows it slowly; if the database's clock is right, stop all \
                servers and start them with --trust-clock
                """
        }

        private static func moment(of wall: Date) -> Duration {
            .milliseconds(wall.milliseconds)
        }
    }
}
