import Foundation

/// Runs an operation with all tasks that belong to no actor on the main thread, one piece at a time in the order of their coming.
///
/// For tests of code that starts tasks by itself; a ``TestStore`` needs none of it. It holds for the whole process while the operation runs, so tests that
/// use it are to be serialized. Where the Swift runtime gives no hold, the operation is run as it is.
@MainActor
public func withMainSerialExecutor<R>(
    @_implicitSelfCapture operation: @MainActor @Sendable () async throws -> R
) async rethrows -> R {
    let before = uncheckedUseMainSerialExecutor
    defer { uncheckedUseMainSerialExecutor = before }
    uncheckedUseMainSerialExecutor = true
    return try await operation()
}

/// Runs an operation with all tasks that belong to no actor on the main thread: for `invokeTest` of a test case.
public func withMainSerialExecutor<R>(
    @_implicitSelfCapture operation: () throws -> R
) rethrows -> R {
    let before = uncheckedUseMainSerialExecutor
    defer { uncheckedUseMainSerialExecutor = before }
    uncheckedUseMainSerialExecutor = true
    return try operation()
}

/// Whether all tasks that belong to no actor run on the main thread. Unchecked: it is to be set while no other thread starts tasks.
public var uncheckedUseMainSerialExecutor: Bool {
    get { GlobalEnqueue.hook?.pointee != nil }
    set { GlobalEnqueue.hook?.pointee = newValue ? { job, _ in MainActor.shared.enqueue(job) } : nil }
}

/// The place where the Swift runtime looks for what is to take the tasks of the global executor.
private enum GlobalEnqueue {
    typealias Original = @convention(thin) (UnownedJob) -> Void
    typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    // Unsafe by what it is for: the runtime's own variable, found once.
    nonisolated(unsafe) static let hook: UnsafeMutablePointer<Hook?>? = {
        #if os(Windows) || os(WASI)
        return nil
        #else
        return dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")?.assumingMemoryBound(to: Hook?.self)
        #endif
    }()
}
