import Foundation
import Synchronization

/// A lock that a server holds while it has the database open. The system releases it when the
/// process ends. The lock is on a separate file, because SQLite has its own locks on the database.
final class FileLock: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Throws `inUse` if another process holds the lock.
    init(for path: String) throws(DatabaseError) {
        // Two paths may lead to the same file.
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let opened = open(resolved + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            let reason = String(cString: strerror(errno))
            throw errno == EROFS || errno == EACCES
                ? .readOnly(path: path) : .cannotOpen(path: path, reason: reason)
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            close(opened)
            throw .inUse(path: path)
        }
        descriptor = Mutex(opened)
    }

    func release() {
        descriptor.withLock { descriptor in
            if let held = descriptor { close(held) }
            descriptor = nil
        }
    }

    deinit { release() }
}
