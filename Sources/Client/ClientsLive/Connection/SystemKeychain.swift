#if canImport(Security)
import Foundation
import Security

/// This device's keychain. Items are readable after the first unlock. They never get into a backup
/// or onto another device.
public struct SystemKeychain: Keychain {
    private let service: String
    private let accessGroup: String?

    /// - Parameter accessGroup: a keychain group that the app shares with its extensions.
    public init(service: String = "LifeSignal", accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }

    public func item(_ name: String) throws(KeychainError) -> Data? {
        var found: CFTypeRef?
        let status = SecItemCopyMatching(
            query(name).merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 }
                as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        try check(status)
        return found as? Data
    }

    public func set(_ bytes: Data, _ name: String) throws(KeychainError) {
        let value: [CFString: Any] = [kSecValueData: bytes]
        var status = SecItemUpdate(query(name) as CFDictionary, value as CFDictionary)
        if status == errSecItemNotFound {
            let item = query(name).merging([
                kSecValueData: bytes,
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]) { $1 }
            status = SecItemAdd(item as CFDictionary, nil)
        }
        try check(status)
    }

    public func remove(_ name: String) throws(KeychainError) {
        let status = SecItemDelete(query(name) as CFDictionary)
        if status != errSecItemNotFound { try check(status) }
    }

    private func query(_ name: String) -> [CFString: Any] {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: name,
            kSecUseDataProtectionKeychain: true,
        ]
        if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
        return query
    }

    private func check(_ status: OSStatus) throws(KeychainError) {
        switch status {
        case errSecSuccess: return
        case errSecInteractionNotAllowed: throw .locked
        default: throw .failed(Int(status))
        }
    }
}

extension KeychainTokenStore {
    /// - Parameters:
    ///   - accessGroup: a keychain group that the app shares with its extensions.
    ///   - lock: a lock in a folder that the app shares with its extensions.
    public init(
        service: String = "LifeSignal", accessGroup: String? = nil, lock: InterProcessLock? = nil
    ) {
        self.init(
            keychain: SystemKeychain(service: service, accessGroup: accessGroup), lock: lock)
    }
}
#endif
