#if canImport(Combine)
import Combine
import Dispatch
import Foundation
import IssueReporting

extension DependencyValues {
    /// The main queue as a Combine scheduler. Prefer ``continuousClock``, which doesn't need
    /// Combine.
    ///
    /// Reports an issue in a test until it is set: `$0.mainQueue = .immediate`.
    public var mainQueue: AnySchedulerOf<DispatchQueue> {
        get { self[MainQueueKey.self] }
        set { self[MainQueueKey.self] = newValue }
    }

    private enum MainQueueKey: DependencyKey {
        static var liveValue: AnySchedulerOf<DispatchQueue> { .main }
        static var testValue: AnySchedulerOf<DispatchQueue> {
            AnyScheduler(DispatchQueue.main) {
                reportIssue(#"Unimplemented: @Dependency(\.mainQueue)"#)
            }
        }
    }
}

/// A type-erased scheduler with the time and options of `S`.
public typealias AnySchedulerOf<S: Scheduler> = AnyScheduler<
    S.SchedulerTimeType, S.SchedulerOptions
>

public struct AnyScheduler<SchedulerTimeType: Strideable, SchedulerOptions>: Scheduler,
    @unchecked Sendable  // Combine's protocol is not Sendable, though any thread may use it.
where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
    private let currentTime: () -> SchedulerTimeType
    private let tolerance: () -> SchedulerTimeType.Stride
    private let run: (SchedulerOptions?, @escaping () -> Void) -> Void
    private let runLater:
        (SchedulerTimeType, SchedulerTimeType.Stride, SchedulerOptions?, @escaping () -> Void) ->
            Void
    private let runAgain:
        (
            SchedulerTimeType, SchedulerTimeType.Stride, SchedulerTimeType.Stride,
            SchedulerOptions?, @escaping () -> Void
        ) -> any Cancellable

    public init<S: Scheduler>(_ scheduler: S)
    where S.SchedulerTimeType == SchedulerTimeType, S.SchedulerOptions == SchedulerOptions {
        self.init(scheduler, onUse: {})
    }

    /// - Parameter onUse: Called at each scheduling, but not when the time is read.
    init<S: Scheduler>(
        _ scheduler: S, onUse: @escaping () -> Void
    ) where S.SchedulerTimeType == SchedulerTimeType, S.SchedulerOptions == SchedulerOptions {
        currentTime = { scheduler.now }
        tolerance = { scheduler.minimumTolerance }
        run = { options, action in
            onUse()
            scheduler.schedule(options: options, action)
        }
        runLater = { date, tolerance, options, action in
            onUse()
            scheduler.schedule(after: date, tolerance: tolerance, options: options, action)
        }
        runAgain = { date, interval, tolerance, options, action in
            onUse()
            return scheduler.schedule(
                after: date, interval: interval, tolerance: tolerance, options: options, action)
        }
    }

    public var now: SchedulerTimeType { currentTime() }
    public var minimumTolerance: SchedulerTimeType.Stride { tolerance() }

    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        run(options, action)
    }

    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) {
        runLater(date, tolerance, options, action)
    }

    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        runAgain(date, interval, tolerance, options, action)
    }
}

extension Scheduler {
    public func eraseToAnyScheduler() -> AnyScheduler<SchedulerTimeType, SchedulerOptions> {
        AnyScheduler(self)
    }
}

extension AnyScheduler
where
    SchedulerTimeType == DispatchQueue.SchedulerTimeType,
    SchedulerOptions == DispatchQueue.SchedulerOptions
{
    public static var main: Self { DispatchQueue.main.eraseToAnyScheduler() }

    public static var immediate: Self { AnyScheduler(ImmediateDispatchScheduler()) }
}

/// Performs all work at once. Its time never advances.
private struct ImmediateDispatchScheduler: Scheduler {
    let now = DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1))
    let minimumTolerance = DispatchQueue.SchedulerTimeType.Stride.zero

    func schedule(options: DispatchQueue.SchedulerOptions?, _ action: @escaping () -> Void) {
        action()
    }

    func schedule(
        after date: DispatchQueue.SchedulerTimeType,
        tolerance: DispatchQueue.SchedulerTimeType.Stride, options: DispatchQueue.SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        action()
    }

    func schedule(
        after date: DispatchQueue.SchedulerTimeType,
        interval: DispatchQueue.SchedulerTimeType.Stride,
        tolerance: DispatchQueue.SchedulerTimeType.Stride, options: DispatchQueue.SchedulerOptions?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        action()
        return AnyCancellable {}
    }
}
#endif
