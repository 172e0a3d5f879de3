import Domain
import Foundation

/// The items of this app in a system's keychain, by name. A small seam: the logic above it is the
/// same with a double.
public protocol Keychain: Sendable {
    /// nil when there is none.
    func item(_ name: String) throws(KeychainError) -> Data?
    func set(_ bytes: Data, _ name: String) throws(KeychainError)
    /// No error when there is none.
    func remove(_ name: String) throws(KeychainError)
}

public enum KeychainError: Error, Equatable, Sendable {
    /// The device was started and has not been unlocked since. It can be read later.
    case locked
    /// The system's status.
    case failed(Int)
}

/// Tokens in the keychain of this device.
///
/// A device that was restarted shows nothing of its keychain before it is unlocked. That is no
/// sign-out: whoever asks for the tokens waits.
public struct KeychainTokenStore: TokenStore {
    /// Between two looks at a locked keychain.
    static let pause: Duration = .seconds(1)

    private let keychain: any Keychain
    private let lock: InterProcessLock?
    private let clock: ClientClock
    private let session = "session"
    private let device = "device"

    /// - Parameter lock: for an app whose extensions use the same session; nil for one process.
    public init(
        keychain: any Keychain, lock: InterProcessLock? = nil, clock: ClientClock = .continuous
    ) {
        self.keychain = keychain
        self.lock = lock
        self.clock = clock
    }

    /// Waits while the keychain is locked. Throws `TokenStoreError`, or `CancellationError`.
    public func load() async throws -> SessionTokens? {
        while true {
            do {
                guard let bytes = try keychain.item(session) else { return nil }
                guard let tokens = try? JSONDecoder().decode(SessionTokens.self, from: bytes) else {
                    throw TokenStoreError.damaged(path: Self.path)
                }
                return tokens
            } catch KeychainError.locked {
                try await clock.sleep(Self.pause)
            } catch let error as KeychainError {
                throw failure(error)
            }
        }
    }

    /// Throws `TokenStoreError`.
    public func save(_ tokens: SessionTokens) throws {
        let bytes = try JSONEncoder().encode(tokens)
        do { try keychain.set(bytes, session) } catch { throw failure(error) }
    }

    /// Throws `TokenStoreError`.
    public func delete() throws {
        do { try keychain.remove(session) } catch { throw failure(error) }
    }

    /// nil, and no new one, while the keychain can't be read.
    public func deviceKey() async -> DeviceKey? {
        do {
            let known = try keychain.item(device).flatMap {
                DeviceKey(String(decoding: $0, as: UTF8.self))
            }
            if let known { return known }
            let key = DeviceKey(UUID())
            try keychain.set(Data("\(key)".utf8), device)
            return key
        } catch {
            return nil
        }
    }

    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value)
        async throws -> Value
    {
        guard let lock else { return try await body() }
        return try await lock.exclusively(body)
    }

    private static let path = "keychain"

    private func failure(_ error: KeychainError) -> TokenStoreError {
        switch error {
        case .locked: .failed(path: Self.path, reason: "it is locked")
        case .failed(let status):
            .failed(path: Self.path, reason: "keychain status \(status)")
        }
    }
}
