import Synchronization

/// Runs the jobs of one session one after the other, in order of arrival.
///
/// News passes through a dozen tasks of a session. Shared threads would run the first of these
/// tasks for all sessions, then the second for all, and so on, and load each session's memory into
/// the processor's cache a dozen times. This executor runs the tasks of a session in a row.
public final class SessionExecutor: TaskExecutor {
    private enum Work {
        case job(UnownedJob)
        case resume(CheckedContinuation<Void, Never>)
    }

    private struct State {
        var waiting: [Work] = []
        /// True from the first waiting job until no job waits.
        var isBusy = false
    }

    /// The number of jobs after which other sessions get the thread.
    static let turn = 64

    private let state = Mutex(State())

    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    /// Suspends the current task until the jobs that wait now have run.
    func yield() async { await withCheckedContinuation { add(.resume($0)) } }

    func yield(times: Int) async { for _ in 0..<times { await yield() } }

    private func add(_ work: Work) {
        let isFirst = state.withLock { state in
            state.waiting.append(work)
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isFirst { takeTurn() }
    }

    private func takeTurn() { Task.detached { self.run() } }

    private func run() {
        var left = Self.turn
        while left > 0 {
            let works = takeWaiting(atMost: left)
            guard !works.isEmpty else { return }
            left -= works.count
            for work in works { run(work) }
        }
        takeTurn()
    }

    /// Returns the first waiting jobs. Ends the turn if there are none.
    private func takeWaiting(atMost limit: Int) -> [Work] {
        state.withLock { state in
            var works = state.waiting
            state.waiting = Array(works.dropFirst(limit))
            works.removeLast(state.waiting.count)
            state.isBusy = !works.isEmpty
            return works
        }
    }

    private func run(_ work: Work) {
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .resume(let continuation): continuation.resume()
        }
    }
}
