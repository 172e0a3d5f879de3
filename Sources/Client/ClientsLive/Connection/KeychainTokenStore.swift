import Domain
import Foundation

/// This app's items in the system's keychain, by name. Tests use a fake.
public protocol Keychain: Sendable {
    func item(_ name: String) throws(KeychainError) -> Data?
    func set(_ bytes: Data, _ name: String) throws(KeychainError)
    /// Removes an item. A missing item is not an error.
    func remove(_ name: String) throws(KeychainError)
}

public enum KeychainError: Error, Equatable, Sendable {
    /// The device has not been unlocked since its start. The item can be read later.
    case locked
    /// The system's status code.
    case failed(Int)
}

/// Tokens in the keychain of this device.
///
/// A restarted device can't read its keychain before it is unlocked. Meanwhile `load` waits,
/// because a locked keychain doesn't mean that the user is signed out.
public struct KeychainTokenStore: TokenStore {
    static let pause: Duration = .seconds(1)

    private let keychain: any Keychain
    private let lock: InterProcessLock?
    private let clock: ClientClock
    private let session = "session"
    private let device = "device"
    private let pass = "alert-pass"

    /// - Parameter lock: required if an app and its extensions share the session.
    public init(
        keychain: any Keychain, lock: InterProcessLock? = nil, clock: ClientClock = .continuous
    ) {
        self.keychain = keychain
        self.lock = lock
        self.clock = clock
    }

    /// Loads the tokens. Waits while the keychain is locked. Throws `TokenStoreError`, or
    /// `CancellationError`.
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

    public func save(_ tokens: SessionTokens) throws {
        let bytes = try JSONEncoder().encode(tokens)
        do { try keychain.set(bytes, session) } catch { throw failure(error) }
    }

    public func delete() throws {
        do { try keychain.remove(session) } catch { throw failure(error) }
    }

    /// Returns the device's key, made at first use; nil while the keychain can't be read.
    public func deviceKey() async -> DeviceKey? {
        do {
            let known = try keychain.item(device).flatMap {
                DeviceKey(String(decoding: $0, as: UTF8.self))
            }
            if let known { return known }
            let key = DeviceKey(.random())
            try keychain.set(Data("\(key)".utf8), device)
            return key
        } catch {
            return nil
        }
    }

    /// Returns the stored pass; nil while the keychain can't be read.
    public func alertPass() async -> StoredAlertPass? {
        let bytes = (try? keychain.item(pass)) ?? nil
        return bytes.flatMap { try? JSONDecoder().decode(StoredAlertPass.self, from: $0) }
    }

    /// Stores a pass. If that fails, the app requests a new one later.
    public func save(alertPass: StoredAlertPass) async {
        guard let bytes = try? JSONEncoder().encode(alertPass) else { return }
        try? keychain.set(bytes, pass)
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
