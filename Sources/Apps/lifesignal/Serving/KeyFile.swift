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

    var isThere: Bool {
        switch self {
        case .environment: true
        case .file(let path): FileManager.default.fileExists(atPath: path)
        }
    }

    /// Returns nil if the key is missing. Throws `Failure` if the key file exists but can't
    /// be used.
    func read() throws -> ServerKey? {
        switch self {
        case .environment(let key): key
        case .file(let path): isThere ? try KeyFile.read(path) : nil
        }
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
            return try KeyFile.read(path)
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
    static func read(_ path: String) throws -> ServerKey {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Failure("the key file \(path) can't be read.")
        }
        guard let key = ServerKey(bytes: bytes) else {
            throw Failure("the key file \(path) must hold at least \(ServerKey.length) bytes.")
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
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure("the key file \(path) can't be made: \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: RandomBytes.system(ServerKey.length))
        try file.synchronize()
    }
}
