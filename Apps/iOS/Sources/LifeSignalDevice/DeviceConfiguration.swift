import Foundation

/// The build's settings for the app and its extensions, from their Info.plist.
public struct DeviceConfiguration: Sendable {
    /// The server's URL.
    public let server: URL
    /// The folder that the app shares with its extensions. Only for files that are written as a
    /// whole: iOS kills a suspended app that holds a lock or an open database here (0xDEAD10CC).
    public let sharedFolder: URL
    /// The app's own folder, for its database, its locks and its outgoing requests.
    public let ownFolder: URL
    /// The keychain access group that stores the session.
    public let keychainGroup: String?

    /// True if Apple has entitled the app to alerts that sound on a silenced phone.
    public let allowsCritical: Bool

    /// Nil if the build sets no server, or lacks the entitlement for its app group.
    public init?(bundle: Bundle = .main) {
        guard let server = bundle.text("LifeSignalServer").flatMap({ URL(string: $0) }),
            let group = bundle.text("LifeSignalAppGroup"),
            let sharedFolder = Self.container(of: group)
        else { return nil }
        self.server = server
        self.sharedFolder = sharedFolder
        ownFolder = URL.applicationSupportDirectory.appending(path: "LifeSignal")
        allowsCritical = bundle.text("LifeSignalCritical") != nil
        keychainGroup = bundle.text("LifeSignalKeychainGroup")
    }

    /// Creates the app's own folder, because the system doesn't create it for a new app. Excludes
    /// it from backups: on a phone set up from a backup, an old queue could undo later edits, and
    /// the phone that still has the queue sends it.
    public func prepareOwnFolder() {
        var folder = ownFolder
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? folder.setResourceValues(values)
    }

    private static func container(of group: String) -> URL? {
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
    }
}

extension Bundle {
    fileprivate func text(_ key: String) -> String? {
        (object(forInfoDictionaryKey: key) as? String).flatMap { $0.isEmpty ? nil : $0 }
    }
}
