import Foundation

/// Lets one process at a time use a home, so that one process sends the queue and writes the copy.
/// A long-running process releases the lock when another process waits. The system releases the
/// locks of a killed process, but a stopped process keeps its lock. A call for help then works
/// without the lock: SQLite and the token store have locks of their own, and an action that two
/// processes send takes effect once.
final class HomeLock: Sendable {
    private let held: Int32
    private let queue: Int32

    private init(held: Int32, queue: Int32) {
        self.held = held
        self.queue = queue
    }

    deinit {
        close(held)
        close(queue)
    }

    /// How long a command waits for the lock.
    static let patience: Duration = .seconds(30)

    /// Waits for the lock. Throws `CommandFailure` after `patience`.
    static func acquire(
        _ home: Home, patience: Duration = HomeLock.patience
    ) async throws -> HomeLock {
        if let lock = try await wait(for: try open(home), patience) { return lock }
        throw CommandFailure(
            .busy, "busy", title: "Another command is running",
            "It holds \(home.folder.path).", "Wait for it, or end it, and try again.")
    }

    /// Waits for the lock. After `patience`, returns nil: the command then works beside the process
    /// that holds the lock. Also returns nil if the home can't be written to, because a failing
    /// disk must not block a call for help. Throws `CommandFailure` like `acquire` if `patience` is
    /// nil.
    static func acquireOrShare(_ home: Home, after patience: Duration?) async throws -> HomeLock? {
        guard let patience else { return try await acquire(home) }
        guard let lock = try? open(home) else { return nil }
        return try await wait(for: lock, patience)
    }

    /// Waits for the lock. Returns nil after `patience`.
    private static func wait(
        for lock: HomeLock, _ patience: Duration
    ) async throws -> HomeLock? {
        if lock.tryLock() { return lock }
        // Each waiting process holds `queue` in shared mode, so several can wait.
        defer { flock(lock.queue, LOCK_UN) }
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            flock(lock.queue, LOCK_SH | LOCK_NB)
            try await Task.sleep(for: .milliseconds(20))
            if lock.tryLock() { return lock }
        }
        return nil
    }

    /// Takes the lock for work that only one process of a home may do. The process holds the lock
    /// until it ends. Throws `CommandFailure` if another process holds the lock.
    static func only(_ name: String, _ home: Home) throws -> HomeLock {
        let lock = try open(home, name)
        guard lock.tryLock() else {
            throw CommandFailure(
                .busy, "busy", title: "A \(name) is running already",
                "It shows what happens in \(home.folder.path).", "Use that one, or stop it first.")
        }
        return lock
    }

    /// Whether another command waits for the lock.
    var isWanted: Bool {
        guard flock(queue, LOCK_EX | LOCK_NB) == 0 else { return true }
        flock(queue, LOCK_UN)
        return false
    }

    func release() { flock(held, LOCK_UN) }

    /// Waits until no other command wants the lock, then takes it.
    func retake() async throws {
        repeat { try await Task.sleep(for: .milliseconds(50)) } while isWanted || !tryLock()
    }

    private func tryLock() -> Bool { flock(held, LOCK_EX | LOCK_NB) == 0 }

    private static func open(_ home: Home, _ name: String = "home") throws -> HomeLock {
        try home.make()
        let descriptors = [".\(name).lock", ".\(name).queue"].map {
            Foundation.open(home.path($0), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard descriptors.allSatisfy({ $0 >= 0 }) else {
            for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
            throw CommandFailure(
                .failed, "storage", title: "LifeSignal's folder can't be used",
                "\(home.folder.path) can't be written to.",
                "Check its rights and the space on the disk, or give another --home.")
        }
        return HomeLock(held: descriptors[0], queue: descriptors[1])
    }
}
