import Cryptography
import Foundation

/// The file with the server's key, readable by its owner only.
enum KeyFile {
    /// Reads the key, or makes one when there is no file. Throws `Failure`.
    static func load(_ path: String) throws -> ServerKey {
        if !FileManager.default.fileExists(atPath: path) { try create(path) }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Failure("the key file \(path) can't be read.")
        }
        guard let key = ServerKey(bytes: bytes) else {
            throw Failure("the key file \(path) must hold at least \(ServerKey.length) bytes.")
        }
        return key
    }

    private static func create(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure("the key file \(path) can't be made: \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: RandomBytes.system(ServerKey.length))
        try file.synchronize()
    }
}
