import Domain
import Foundation

/// Why the tokens could not be stored or read. Never contains a token.
public enum TokenStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Other users may read or change the file.
    case othersMayRead(path: String, mode: Int)
    case notOwned(path: String)
    /// The content of the file is not a session.
    case damaged(path: String)
    case failed(path: String, reason: String)

    public var description: String {
        switch self {
        case .othersMayRead(let path, let mode):
            """
            Others may read \(path) (its mode is \(String(mode, radix: 8))). Anyone who can read \
            it can act as you. Run `chmod 600 \(path)`, and if someone else uses this computer, \
            sign out and in again.
            """
        case .notOwned(let path):
            "\(path) belongs to another user of this computer. Use a file of your own."
        case .damaged(let path): "\(path) does not hold a session. Remove it and sign in again."
        case .failed(let path, let reason): "\(path): \(reason)"
        }
    }
}

/// Tokens in a file that only its owner can read. Every error is a `TokenStoreError`. `save` writes
/// and flushes a second file, then renames it. A kill therefore leaves either the old or the new
/// tokens.
public struct FileTokenStore: TokenStore {
    private let path: String

    /// - Parameter path: the file. Its folder is created if missing, for its owner only.
    public init(path: String) { self.path = path }

    public func load() throws -> SessionTokens? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure()
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw failure() }
        guard information.st_uid == geteuid() else { throw TokenStoreError.notOwned(path: path) }
        let mode = Int(information.st_mode & 0o777)
        guard mode & 0o077 == 0 else { throw TokenStoreError.othersMayRead(path: path, mode: mode) }
        let bytes: Data
        do {
            bytes =
                try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).read(
                    upToCount: 65_536) ?? Data()
        } catch {
            throw TokenStoreError.failed(path: path, reason: "it can't be read")
        }
        guard let tokens = try? JSONDecoder().decode(SessionTokens.self, from: bytes) else {
            throw TokenStoreError.damaged(path: path)
        }
        return tokens
    }

    public func save(_ tokens: SessionTokens) throws {
        try makeFolder()
        let bytes: Data
        do { bytes = try JSONEncoder().encode(tokens) } catch {
            throw TokenStoreError.failed(path: path, reason: "the tokens can't be saved")
        }
        let beside = path + ".new"
        // A killed process may have left this file, `beside`, with other permissions.
        unlink(beside)
        let descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        var isOpen = true
        defer { if isOpen { close(descriptor) } }
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == bytes.count, fsync(descriptor) == 0 else {
            let error = failure()
            unlink(beside)
            throw error
        }
        close(descriptor)
        isOpen = false
        guard rename(beside, path) == 0 else { throw failure() }
        syncFolder()
    }

    public func delete() throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure() }
        syncFolder()
    }

    /// Returns the device's key from a file beside the tokens; nil if the key can't be stored.
    public func deviceKey() async -> DeviceKey? {
        let file = path + ".device"
        if let known = (try? String(contentsOfFile: file, encoding: .utf8)).flatMap({
            DeviceKey($0)
        }) {
            return known
        }
        guard (try? makeFolder()) != nil else { return nil }
        let key = DeviceKey(.random())
        // Replaces a file without a valid key.
        unlink(file)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let text = Array("\(key)".utf8)
        guard write(descriptor, text, text.count) == text.count, fsync(descriptor) == 0 else {
            return nil
        }
        return key
    }

    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value)
        async throws -> Value
    {
        try makeFolder()
        return try await InterProcessLock(path: path + ".lock").exclusively(body)
    }

    private var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    private func makeFolder() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw TokenStoreError.failed(path: folder, reason: "the folder can't be made")
        }
    }

    /// Flushes the folder, so that the new name of a file survives a power cut.
    private func syncFolder() {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func failure() -> TokenStoreError {
        .failed(path: path, reason: String(cString: strerror(errno)))
    }
}
