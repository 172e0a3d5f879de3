import HummingbirdCore
import Logging
import NIOCore

/// Runs the tasks of a connection on the thread of its event loop. A request then changes threads
/// for the database only, not for each part that is read or written.
///
/// Other connections share the thread. Work that blocks must leave these tasks, as `PictureWork`
/// does. So must work of milliseconds, by `LifeSignalContext.longWork`. `Task.yield` isn't enough,
/// because NIO reads and writes only when no job waits.
struct LoopBoundChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// Runs tasks on the thread of an event loop.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs tasks on the threads that all tasks share.
private final class SharedThreads: TaskExecutor {
    static let executor = SharedThreads()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Not `globalConcurrentExecutor`, which could pass by the hooks of a simulation.
        Task.detached { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension LifeSignalContext {
    /// Where work of milliseconds runs. nil leaves a request of this process on its threads.
    var longWork: (any TaskExecutor)? { isInProcess ? nil : SharedThreads.executor }
}
