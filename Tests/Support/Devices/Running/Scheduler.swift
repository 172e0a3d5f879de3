import Foundation
import Synchronization

/// Runs all tasks of the process on one thread, in simulated time. The time advances when no task
/// has work left. So equal seeds give equal runs, even with actors, and nothing waits for real
/// time.
///
/// Hooks of the runtime pass the scheduler the jobs of the default executor and the main actor.
/// Another hook passes it the sleeps of `Task.sleep`. Hooks apply to the whole process, so a run
/// needs its own process.
final class Scheduler: Sendable {
    /// The scheduler of the process. Only one run at a time may use it.
    static let shared = Scheduler()

    private struct State {
        var jobs: [UnownedJob] = []
        var head = 0
        var timers = TimerHeap()
        var now: Duration = .zero
        var order: UInt64 = 0
        var jobCount = 0
        /// Whether something has run since the main queue was last drained.
        var hasRun = false
        var isDirty = false
        var onQuiet: (@Sendable () -> Void)?
        var thread: pthread_t?
        var foreignJobs = 0
    }

    private let state = Mutex(State())

    private init() {}

    /// The simulated time since the process began.
    var now: Duration { state.withLock { $0.now } }
    /// The number of jobs from other threads, whose order is left to chance.
    var foreignJobs: Int { state.withLock { $0.foreignJobs } }
    var jobCount: Int { state.withLock { $0.jobCount } }

    // MARK: What is to be done

    func enqueue(_ job: UnownedJob) {
        state.withLock { state in
            state.jobs.append(job)
            if let thread = state.thread, pthread_equal(thread, pthread_self()) == 0 {
                state.foreignJobs += 1
            }
        }
    }

    func enqueue(_ job: UnownedJob, after delay: Duration) {
        at(now + delay) { [self] in enqueue(job) }
    }

    /// Runs `work` at a moment. This can't be cancelled, so `work` must check whether it is still
    /// needed.
    func at(_ moment: Duration, _ work: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.order += 1
            state.timers.add(.init(moment: max(moment, state.now), order: state.order, work: work))
        }
    }

    /// Records a change. `onQuiet` follows once no work is left.
    func touch() { state.withLock { $0.isDirty = true } }

    // MARK: Doing it

    /// Runs a task, and all others, until this task has ended. Blocks; only for the main thread.
    /// - Parameter onQuiet: called after a change, when no work is left at the current moment.
    func run(onQuiet: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async -> Void)
    {
        state.withLock { state in
            state.thread = pthread_self()
            state.onQuiet = onQuiet
        }
        Hooks.install()
        let done = Done()
        Task {
            await body()
            done.set()
        }
        while !done.isSet { step() }
        state.withLock { $0.onQuiet = nil }
    }

    private final class Done: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    private enum Next {
        case job(UnownedJob)
        case quiet(@Sendable () -> Void)
        case timer(@Sendable () -> Void)
        /// The main actor's jobs. The runtime puts them into the main queue without calling a hook.
        case main
        /// No job is ready. Another thread may be working.
        case nothing
    }

    private func next() -> Next {
        state.withLock { state in
            if state.head < state.jobs.count {
                let job = state.jobs[state.head]
                state.hasRun = true
                state.head += 1
                state.jobCount += 1
                if state.head == state.jobs.count {
                    state.jobs.removeAll(keepingCapacity: true)
                    state.head = 0
                }
                return .job(job)
            }
            if state.hasRun {
                state.hasRun = false
                return .main
            }
            if state.isDirty, let onQuiet = state.onQuiet {
                state.isDirty = false
                state.hasRun = true
                return .quiet(onQuiet)
            }
            guard let timer = state.timers.removeFirst() else { return .nothing }
            state.now = max(state.now, timer.moment)
            state.hasRun = true
            return .timer(timer.work)
        }
    }

    private func step() {
        switch next() {
        case .job(let job): job.runSynchronously(on: Hooks.anyExecutor)
        case .main: Hooks.drainMainQueue()
        case .quiet(let work), .timer(let work): work()
        case .nothing: usleep(100)
        }
    }
}

/// Jobs for later, earliest first. Jobs for the same moment keep their order.
private struct TimerHeap {
    struct Timer {
        var moment: Duration
        var order: UInt64
        var work: @Sendable () -> Void

        static func < (one: Timer, other: Timer) -> Bool {
            (one.moment, one.order) < (other.moment, other.order)
        }
    }

    private var timers: [Timer] = []

    mutating func add(_ timer: Timer) {
        timers.append(timer)
        var child = timers.count - 1
        while child > 0, timers[child] < timers[(child - 1) / 2] {
            timers.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() -> Timer? {
        guard let first = timers.first else { return nil }
        let last = timers.removeLast()
        guard !timers.isEmpty else { return first }
        timers[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < timers.count && timers[child] < timers[least] { least = child }
            guard least != parent else { return first }
            timers.swapAt(parent, least)
            parent = least
        }
    }
}

/// The runtime's hooks. Swift knows them only by their symbols.
private enum Hooks {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Enqueue = @convention(thin) (UnownedJob, Original) -> Void
    private typealias DelayOriginal = @convention(thin) (UInt64, UnownedJob) -> Void
    private typealias Delay = @convention(thin) (UInt64, UnownedJob, DelayOriginal) -> Void
    private typealias DeadlineOriginal =
        @convention(thin) (Int64, Int64, Int64, Int64, CInt, UnownedJob) -> Void
    private typealias Deadline =
        @convention(thin) (Int64, Int64, Int64, Int64, CInt, UnownedJob, DeadlineOriginal) -> Void

    /// The executor of jobs that belong to no actor.
    static var anyExecutor: UnownedSerialExecutor {
        unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
    }

    /// Runs the jobs in the main queue. Run loops call the same function.
    static func drainMainQueue() {
        typealias Drain = @convention(c) (UnsafeMutableRawPointer?) -> Void
        unsafeBitCast(drain, to: Drain.self)(nil)
    }

    private nonisolated(unsafe) static let drain = dlsym(nil, "_dispatch_main_queue_callback_4CF")

    static func install() {
        set("swift_task_enqueueGlobal_hook", Enqueue.self) { job, _ in
            Scheduler.shared.enqueue(job)
        }
        set("swift_task_enqueueGlobalWithDelay_hook", Delay.self) { nanoseconds, job, _ in
            Scheduler.shared.enqueue(job, after: .nanoseconds(Int64(clamping: nanoseconds)))
        }
    }

    private static func set<Hook>(_ name: String, _: Hook.Type, _ hook: Hook) {
        // Without a handle, `dlsym` searches everything that is loaded.
        guard let symbol = dlsym(nil, name) else {
            return assertionFailure("The runtime has no \(name).")
        }
        symbol.assumingMemoryBound(to: Hook?.self).pointee = hook
    }
}
