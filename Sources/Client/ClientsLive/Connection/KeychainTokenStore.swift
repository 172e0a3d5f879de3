#if canImport(Security)
import Domain
import Foundation
import Security

/// Tokens in the keychain of this device, readable after the first unlock, in no backup and on no
/// other device.
public struct KeychainTokenStore: TokenStore {
    private let service: String
    private let account = "session"
    private let deviceAccount = "device"

    public init(service: String = "LifeSignal") { self.service = service }

    private var query: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
    }

    public func load() throws -> SessionTokens? {
        var found: CFTypeRef?
        let status = SecItemCopyMatching(
            query.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 }
                as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let bytes = found as? Data else { throw failure(status) }
        guard let tokens = try? JSONDecoder().decode(SessionTokens.self, from: bytes) else {
            throw TokenStoreError.damaged(path: service)
        }
        return tokens
    }

    public func save(_ tokens: SessionTokens) throws {
        let bytes = try JSONEncoder().encode(tokens)
        var status = SecItemUpdate(query as CFDictionary, [kSecValueData: bytes] as CFDictionary)
        if status == errSecItemNotFound {
            let item = query.merging([
                kSecValueData: bytes,
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]) { $1 }
            status = SecItemAdd(item as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw failure(status) }
    }

    public func delete() throws {
        let status = SecItemDelete(query as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw failure(status) }
    }

    public func deviceKey() async -> DeviceKey? {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service,
            kSecAttrAccount: deviceAccount,
        ]
        var found: CFTypeRef?
        let request = query.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) {
            $1
        }
        if SecItemCopyMatching(request as CFDictionary, &found) == errSecSuccess,
            let bytes = found as? Data,
            let known = DeviceKey(String(decoding: bytes, as: UTF8.self))
        {
            return known
        }
        let key = DeviceKey(UUID())
        let item = query.merging([
            kSecValueData: Data("\(key)".utf8),
            kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]) { $1 }
        return SecItemAdd(item as CFDictionary, nil) == errSecSuccess ? key : nil
    }

    private func failure(_ status: OSStatus) -> TokenStoreError {
        .failed(path: service, reason: "keychain status \(status)")
    }
}
#endif
