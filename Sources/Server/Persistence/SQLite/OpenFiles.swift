import Foundation

/// The files of an open database, to notice that one was moved, deleted or replaced. SQLite doesn't
/// notice it: it writes on to the open files, and the next start doesn't find what it wrote.
struct OpenFiles: Sendable {
    private let files: [OpenFile]

    /// - Parameter path: an open database in WAL mode.
    init(of path: String) {
        files = ["", "-wal", "-shm"].compactMap { OpenFile(path + $0) }
    }

    /// The path of the first moved, deleted or replaced file; nil if all are in place.
    var lost: String? { files.first { !$0.isInPlace }?.path }
}

/// A file's path and identity.
struct OpenFile: Sendable {
    let path: String
    private let device: UInt64
    private let inode: UInt64

    /// Returns nil without a file at the path.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(path, status)
    }

    /// Returns nil if the descriptor isn't open.
    init?(_ path: String, openAs descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(path, status)
    }

    private init(_ path: String, _ status: stat) {
        self.path = path
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// False if the path leads to no file or to another one.
    var isInPlace: Bool {
        var status = stat()
        // Another error, such as a missing permission, doesn't tell.
        guard stat(path, &status) == 0 else { return errno != ENOENT && errno != ENOTDIR }
        return UInt64(truncatingIfNeeded: status.st_dev) == device
            && UInt64(truncatingIfNeeded: status.st_ino) == inode
    }
}
