import Cryptography
import Foundation
import Persistence
import Settings

enum KeySource: Sendable {
    /// A file readable by its owner only.
    case file(String)
    case environment(ServerKey)

    /// Throws `Failure` if `LIFESIGNAL_KEY` is invalid.
    init(path: String, isPathGiven: Bool, environment: SettingValues) throws {
        guard !isPathGiven, let text = environment["LIFESIGNAL_KEY"], !text.isEmpty else {
            self = .file(path)
            return
        }
        guard let bytes = Data(base64Encoded: text), let key = ServerKey(bytes: bytes) else {
            throw Failure(
                """
                LIFESIGNAL_KEY must be at least \(ServerKey.length) bytes in base64, as of: \
                base64 -w 0 KEYFILE
                """)
        }
        self = .environment(key)
    }

    var isInEnvironment: Bool { if case .environment = self { true } else { false } }

    /// The warning of a server without the key that the other servers of its database have.
    static let missingKey = """
        the servers of this database have a new key, and this one does not: copy it here, and \
        restart this server
        """

    /// Whether there is a key, also if this process can't read it.
    var isThere: Bool {
        switch self {
        case .environment: true
        case .file(let path): !SecretFile.isMissing(path)
        }
    }

    /// Why other users can read the key file, and the command against it; nil if they can't.
    var exposure: String? {
        guard case .file(let path) = self else { return nil }
        do {
            try SecretFile.checkOthersCannotRead(path, named: "--key-file")
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// What a server that can't start advises if its key file is too short.
    static let adviceIfShort = """
         If the server has never started, remove this file. Otherwise replace it with the copy \
        beside a backup.
        """

    /// Returns nil if the key is missing. Throws `Failure` if the key file exists but can't
    /// be used.
    func read(adviceIfShort: String = "") throws -> ServerKey? {
        switch self {
        case .environment(let key): key
        case .file(let path):
            isThere ? try KeyFile.read(path, adviceIfShort: adviceIfShort) : nil
        }
    }

    /// Returns the present key and the next one beside it; none if the key is missing. Throws
    /// `Failure` if the key file exists but can't be used.
    func all() throws -> [ServerKey] {
        guard let present = try read() else { return [] }
        guard case .file(let path) = self, let next = try? KeyFile.read(KeyFile.next(path)) else {
            return [present]
        }
        return [present, next]
    }

    /// Returns the key. Creates a missing key, unless the database has been used with a key. Throws
    /// `Failure` or `DatabaseError`.
    func load(for database: any DatabaseEngine, acceptsNewKey: Bool) async throws -> ServerKey {
        switch self {
        case .environment(let key): return key
        case .file(let path):
            if !isThere {
                let isUsed = try await database.read {
                    try $0.serverState().keyFingerprint != nil || $0.hasPeople()
                }
                guard acceptsNewKey || !isUsed else {
                    let others =
                        database.isShared
                        ? "other servers of this database have one" : "this database had one"
                    throw Failure(
                        """
                        there is no key at \(path), and \(others). Put that key file there: a \
                        copy lies beside each backup, and on each server of the database. Only if \
                        it is lost, start with --accept-new-key.
                        """)
                }
                try KeyFile.create(path)
            }
            let key = try KeyFile.read(path, adviceIfShort: Self.adviceIfShort)
            let known = try await database.read { try $0.serverState().keyFingerprint }
            guard let known, known != key.fingerprint else { return key }
            // A rotation was interrupted before it renamed the file.
            return find(known) ?? key
        }
    }

    /// Returns the key with this fingerprint, from the key file or the next one beside it.
    func find(_ fingerprint: Int64) -> ServerKey? {
        switch self {
        case .environment(let key): key.fingerprint == fingerprint ? key : nil
        case .file(let path):
            [path, KeyFile.next(path)].lazy.compactMap { try? KeyFile.read($0) }
                .first { $0.fingerprint == fingerprint }
        }
    }

    var name: String {
        switch self {
        case .file(let path): path
        case .environment: "LIFESIGNAL_KEY"
        }
    }
}

enum KeyFile {
    /// The path of a new key while it replaces the one at `path`.
    static func next(_ path: String) -> String { path + ".next" }

    /// Returns where the key with this fingerprint is: `path`, or the next one beside it.
    static func place(of fingerprint: Int64?, at path: String) -> String {
        guard let fingerprint, (try? read(path))?.fingerprint != fingerprint,
            (try? read(next(path)))?.fingerprint == fingerprint
        else { return path }
        return next(path)
    }

    static func read(_ path: String, adviceIfShort advice: String = "") throws -> ServerKey {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Failure("the key file \(path) can't be read.")
        }
        guard let key = ServerKey(bytes: bytes) else {
            throw Failure(
                """
                the key file \(path) must hold at least \(ServerKey.length) bytes, and has \
                \(bytes.count).\(advice)
                """)
        }
        return key
    }

    static func create(_ path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw Failure("the folder \(folder.path) can't be made: \(error.localizedDescription)")
        }
        let lock = try lockFolder(of: path)
        // Closing ends the lock.
        defer { close(lock) }
        // Another server may have made it meanwhile.
        guard SecretFile.isMissing(path) else { return }
        try place(RandomBytes.system(ServerKey.length), at: path)
    }

    /// Whether the file itself is a mount point, as some containers have it. No file can be renamed
    /// to it.
    static func isMountPoint(_ path: String) -> Bool {
        guard let table = FileHandle(forReadingAtPath: "/proc/self/mountinfo"),
            let bytes = try? table.readToEnd()
        else { return false }
        let place = path.split(separator: " ", omittingEmptySubsequences: false)
            .joined(separator: "\\040")
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains {
            $0.split(separator: " ").dropFirst(4).first.map(String.init) == place
        }
    }

    /// Waits until no other command works on the key, and keeps others away until this process
    /// ends.
    static func lock(_ path: String) throws { _ = try lockFolder(of: path) }

    /// Returns the descriptor that holds the lock.
    private static func lockFolder(of path: String) throws -> Int32 {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
            throw Failure("\(folder) can't be locked: \(String(cString: strerror(errno))).")
        }
        return descriptor
    }

    /// Makes the next key beside the key file, for the same readers, unless it is there. Needs
    /// `lock`.
    static func createNext(to path: String) throws {
        // A killed command may have left one, with a key that is or was in use.
        unlink(part(path))
        unlink(part(next(path)))
        guard !FileManager.default.fileExists(atPath: next(path)) else { return }
        var owner = stat()
        guard stat(path, &owner) == 0 else { throw Failure("the key file \(path) can't be read.") }
        try place(RandomBytes.system(ServerKey.length), at: next(path), for: owner)
    }

    /// Makes a key file, which must not exist yet. Its name leads to a whole file only, also after
    /// a full disk or a kill. Throws `Failure`.
    /// - Parameter owner: the present key; nil for a file of this process's user alone.
    static func place(_ key: Data, at path: String, for owner: stat? = nil) throws {
        let part = part(path)
        unlink(part)
        defer { unlink(part) }
        do {
            let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw failure(path, errno) }
            defer { close(descriptor) }
            if let owner { try give(descriptor, path, to: owner) }
            let written = key.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written == key.count, fsync(descriptor) == 0 else {
                // A disk that becomes full takes a part without an error.
                throw failure(path, (0..<key.count).contains(written) ? ENOSPC : errno)
            }
        }
        guard link(part, path) == 0 || renameWithoutLinks(part, path) else {
            throw failure(path, errno)
        }
        try synchronizeFolder(of: path)
    }

    private static func part(_ path: String) -> String { path + ".part" }

    /// Renames a file if its disk, such as a FAT stick for backups, has no links.
    private static func renameWithoutLinks(_ part: String, _ path: String) -> Bool {
        let error = errno
        guard [EPERM, ENOTSUP, ENOSYS].contains(error), SecretFile.isMissing(path) else {
            errno = error
            return false
        }
        return rename(part, path) == 0
    }

    private static func failure(_ path: String, _ error: Int32) -> Failure {
        guard [ENOSPC, EDQUOT, EFBIG].contains(error) else {
            let reason = String(cString: strerror(error))
            return Failure("the key file \(path) can't be made: \(reason)")
        }
        return Failure("\(DatabaseError.noRoomForCopy(path: path))")
    }

    /// Puts the next key in the place of the key file. Does nothing without one.
    static func replace(_ path: String) throws {
        guard rename(next(path), path) == 0 || errno == ENOENT else {
            throw Failure(
                "\(next(path)) can't be renamed to \(path): \(String(cString: strerror(errno))).")
        }
        try synchronizeFolder(of: path)
    }

    /// Gives a new file to those who can read the present one. Otherwise the server couldn't start
    /// again.
    private static func give(_ descriptor: Int32, _ path: String, to owner: stat) throws {
        let groupReads = owner.st_mode & 0o040 != 0
        if owner.st_uid != geteuid() || groupReads,
            fchown(descriptor, owner.st_uid, owner.st_gid) != 0
        {
            throw Failure("the key file \(path) can't be given to the owner of the present one.")
        }
        guard !groupReads || fchmod(descriptor, 0o640) == 0 else {
            throw Failure("the key file \(path) can't be given to the group of the present one.")
        }
    }

    private static func synchronizeFolder(of path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Some shared folders can't be flushed.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw Failure("\(folder) can't be written: \(String(cString: strerror(errno))).")
        }
    }
}
