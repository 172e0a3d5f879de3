import Foundation

/// Settings of the build for this app and its extensions, from their Info.plist.
public struct DeviceConfiguration: Sendable {
    /// Where the server is.
    public let server: URL
    /// The folder that the app shares with its extensions.
    public let folder: URL
    /// The access group of the session in the keychain.
    public let keychainGroup: String?

    /// nil when the build has set no server, or the group is not entitled.
    public init?(bundle: Bundle = .main) {
        guard let server = bundle.text("LifeSignalServer").flatMap({ URL(string: $0) }),
            let group = bundle.text("LifeSignalAppGroup"),
            let folder = Self.container(of: group)
        else { return nil }
        self.server = server
        self.folder = folder
        keychainGroup = bundle.text("LifeSignalKeychainGroup")
    }

    private static func container(of group: String) -> URL? {
        #if canImport(Darwin)
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
        #else
        nil
        #endif
    }
}

extension Bundle {
    fileprivate func text(_ key: String) -> String? {
        (object(forInfoDictionaryKey: key) as? String).flatMap { $0.isEmpty ? nil : $0 }
    }
}
