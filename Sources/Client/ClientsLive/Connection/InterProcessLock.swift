import Foundation

/// A lock that the processes of one user share: a command and another, or an app and its
/// extensions. The kernel opens it when its holder dies.
public struct InterProcessLock: Sendable {
    private let path: String

    /// - Parameter path: of a file of its own, made when it is not there; its folder exists.
    public init(path: String) { self.path = path }

    /// Keeps others away while `body` runs. Throws `TokenStoreError`, or what `body` throws.
    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value)
        async throws -> Value
    {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw TokenStoreError.failed(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        // The wait has a thread of its own: waiting for another process must not hold up the tasks
        // of this one.
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

    /// iOS kills an app that it suspends while the app holds a lock in a folder that it shares with
    /// its extensions.
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
