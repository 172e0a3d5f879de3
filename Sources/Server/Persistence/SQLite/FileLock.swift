import Foundation
import Synchronization

/// Held for as long as a server has the database open; the system lets go of it when the process
/// dies, however it dies. A file of its own, because SQLite keeps locks of another kind on the
/// database itself.
final class FileLock: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Throws `inUse` when another process holds it.
    init(for path: String) throws(DatabaseError) {
        // The same file by another name is the same database.
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

    /// Lets the next one in.
    func release() {
        descriptor.withLock { descriptor in
            if let held = descriptor { close(held) }
            descriptor = nil
        }
    }

    deinit { release() }
}
