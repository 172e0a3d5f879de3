import Foundation

/// A lock shared by processes of one user: two commands, or an app and its extensions. The kernel
/// releases the lock when its holder dies.
public struct InterProcessLock: Sendable {
    private let path: String

    /// - Parameter path: a file for this lock only, created if missing. Its folder must exist.
    public init(path: String) { self.path = path }

    /// Holds the lock while `body` runs. Throws `TokenStoreError`, or what `body` throws.
    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value)
        async throws -> Value
    {
        guard let descriptor = try openFile() else { return try await withoutSuspension(body) }
        defer { close(descriptor) }
        // Waits on a separate thread, because `flock` would block a thread that all tasks share.
        let isHeld = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: flock(descriptor, LOCK_EX) == 0)
            }
        }
        guard isHeld else {
            throw TokenStoreError.failed(path: path, reason: "it can't be locked")
        }
        return try await withoutSuspension(body)
    }

    /// Returns nil if the file is missing and the folder can't be written to. Other processes can't
    /// lock or save there either, and a failing disk must not block a call for help.
    private func openFile() throws -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { return descriptor }
        var code = errno
        if [EROFS, EACCES].contains(code) {
            let readable = open(path, O_RDONLY | O_CLOEXEC)
            if readable >= 0 { return readable }
            if errno == ENOENT { return nil }
            code = errno
        }
        throw TokenStoreError.failed(path: path, reason: String(cString: strerror(code)))
    }

    /// Delays suspension by iOS. iOS kills an app that is suspended while it holds a lock in a
    /// folder shared with its extensions.
    private func withoutSuspension<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        #if os(iOS)
        let isDone = DispatchSemaphore(value: 0)
        ProcessInfo.processInfo.performExpiringActivity(withReason: "Renewing the session") {
            isExpired in
            if isExpired { isDone.signal() } else { isDone.wait() }
        }
        defer { isDone.signal() }
        #endif
        return try await body()
    }
}
