import Foundation
import Synchronization

/// A lock that a server holds while it has the database open. The system releases it when the
/// process ends. The lock is on a separate file, because SQLite has its own locks on the database.
/// The file's content is a `LifeNote`.
final class FileLock: Sendable {
    /// In bytes. With less free space, `write` fails: an idle server must notice a full disk, and
    /// only a transaction tells the operator.
    private static let leastFreeDisk: Int64 = 1024 * 1024

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

    /// Replaces the file's content with as many bytes as it always has. Returns false if the disk
    /// doesn't take them.
    func write(_ bytes: [UInt8]) -> Bool {
        descriptor.withLock { descriptor in
            var disk = statvfs()
            guard let held = descriptor, fstatvfs(held, &disk) == 0,
                FreeDisk.bytes(disk) >= Self.leastFreeDisk
            else { return false }
            return pwrite(held, bytes, bytes.count, 0) == bytes.count
        }
    }

    /// Returns the first `count` bytes; nil if there are fewer.
    func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = descriptor.withLock { descriptor in
            descriptor.map { pread($0, &bytes, count, 0) } ?? 0
        }
        return read == count ? bytes : nil
    }

    func release() {
        descriptor.withLock { descriptor in
            if let held = descriptor { close(held) }
            descriptor = nil
        }
    }

    deinit { release() }
}
