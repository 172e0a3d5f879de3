import Cryptography
import Foundation
import Persistence

/// The place that the server's key is read from.
enum KeySource: Sendable {
    /// A file readable by its owner only.
    case file(String)
    /// `LIFESIGNAL_KEY`.
    case environment(ServerKey)

    /// Throws `Failure` for a `LIFESIGNAL_KEY` that can't be read.
    init(path: String, isPathGiven: Bool, environment: [String: String]) throws {
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

    /// The key. One is made where there is none, unless the rows were made by a key already. Throws
    /// `Failure`, or `DatabaseError`.
    func load(for database: any DatabaseEngine, acceptsNewKey: Bool) async throws -> ServerKey {
        switch self {
        case .environment(let key): return key
        case .file(let path):
            if !FileManager.default.fileExists(atPath: path) {
                if database.isShared, !acceptsNewKey,
                    try await database.read({ try $0.serverState() }).keyFingerprint != nil
                {
                    throw Failure(
                        """
                        there is no key at \(path), and other servers of this database have one. \
                        Copy their key file there; only if it is lost, start with --accept-new-key.
                        """)
                }
                try KeyFile.create(path)
            }
            return try KeyFile.read(path)
        }
    }

    /// Words for the operator.
    var name: String {
        switch self {
        case .file(let path): path
        case .environment: "LIFESIGNAL_KEY"
        }
    }
}

/// The file with the server's key, readable by its owner only.
enum KeyFile {
    /// Throws `Failure`.
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
