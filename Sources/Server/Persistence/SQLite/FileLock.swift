import Foundation
import Synchronization

/// A lock that a server holds while it has the database open. The system releases it when the
/// process ends. The lock is on a separate file, because SQLite has its own locks on the database.
/// The file also keeps the last `LifeNote`.
final class FileLock: Sendable {
    /// In bytes. With less free space, `leave` fails: an idle server must notice a full disk, and
    /// only a transaction tells the operator.
    private static let leastFreeDisk: Int64 = 1024 * 1024

    private struct Held {
        var descriptor: Int32
        var file: OpenFile?
        /// The note in the file's content, once this process has written one.
        var written: LifeNote?
    }

    private let held: Mutex<Held?>

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
        held = Mutex(
            Held(descriptor: opened, file: OpenFile(resolved + ".lock", openAs: opened)))
    }

    /// Keeps a note, if possible as the file's time: the system then writes 4 KB about once a
    /// minute. New content costs 4 KB more, every half minute. Returns false if the disk doesn't
    /// take the note.
    func leave(_ note: LifeNote) -> Bool {
        held.withLock { held in
            var disk = statvfs()
            guard let descriptor = held?.descriptor, fstatvfs(descriptor, &disk) == 0,
                FreeDisk.bytes(disk) >= Self.leastFreeDisk
            else { return false }
            if let written = held?.written, let time = note.fileTime(after: written),
                Self.setTime(time, of: descriptor)
            {
                return true
            }
            let bytes = note.bytes
            let isWritten = pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
            held?.written = isWritten ? note : nil
            return isWritten
        }
    }

    /// The path of the file if it was moved or deleted, which lets another process lock a new file;
    /// else nil.
    var lostPath: String? {
        held.withLock { held in
            guard let file = held?.file, !file.isInPlace else { return nil }
            return file.path
        }
    }

    /// The last note that was left, also by an earlier process; nil without one.
    var note: LifeNote? {
        held.withLock { held in
            guard let descriptor = held?.descriptor else { return nil }
            var bytes = [UInt8](repeating: 0, count: LifeNote.length)
            guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count,
                let written = LifeNote(bytes)
            else { return nil }
            return Self.time(of: descriptor).flatMap { written.extended(by: $0) } ?? written
        }
    }

    /// Returns false if the file system doesn't keep nanoseconds, or takes no change.
    private static func setTime(_ time: LifeNote.FileTime, of descriptor: Int32) -> Bool {
        let new = timespec(tv_sec: time.seconds, tv_nsec: time.nanoseconds)
        return futimens(descriptor, [new, new]) == 0 && Self.time(of: descriptor) == time
    }

    private static func time(of descriptor: Int32) -> LifeNote.FileTime? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return LifeNote.FileTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }

    func release() {
        held.withLock { held in
            if let descriptor = held?.descriptor { close(descriptor) }
            held = nil
        }
    }

    deinit { release() }
}
