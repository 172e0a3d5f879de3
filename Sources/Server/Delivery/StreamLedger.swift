import Domain
import Synchronization

/// Collects notifications sent on streams, so that many share one write.
public final class StreamLedger: Sendable {
    private struct Key: Hashable {
        var user: UserID
        var notification: NotificationID
    }

    private let waiting = Mutex<Set<Key>>([])
    private let write:
        @Sendable ([(user: UserID, notification: NotificationID)]) async throws -> Void

    public init(
        write:
            @escaping @Sendable ([(user: UserID, notification: NotificationID)]) async throws ->
            Void
    ) {
        self.write = write
    }

    /// Adds a notification. Returns true if no other notification is waiting.
    public func note(_ notification: NotificationID, user: UserID) -> Bool {
        waiting.withLock { waiting in
            waiting.insert(Key(user: user, notification: notification)).inserted
                && waiting.count == 1
        }
    }

    /// Writes the collected notifications. If the write fails, throws and keeps them.
    public func flush() async throws {
        let batch = waiting.withLock { waiting in
            defer { waiting.removeAll() }
            return Array(waiting)
        }
        guard !batch.isEmpty else { return }
        do {
            for start in stride(from: 0, to: batch.count, by: 200) {
                try await write(
                    batch[start..<min(start + 200, batch.count)].map {
                        (user: $0.user, notification: $0.notification)
                    })
            }
        } catch {
            waiting.withLock { $0.formUnion(batch) }
            throw error
        }
    }
}
