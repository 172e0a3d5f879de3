/// A setting that an option, an environment variable or the settings file can give.
public struct Setting: Sendable, Equatable, ExpressibleByStringLiteral {
    /// The programs that read a setting. A settings file has only the server's.
    public enum Reader: Sendable { case server, client, tool }

    /// The name of the long option and in the file, such as `requests-per-user`.
    public let name: String
    public let reader: Reader
    /// Whether the file may give a list. Elsewhere, commas separate the values.
    public let isList: Bool
    /// Whether to hide the value. Another setting, with `-file` after the name, names a file that
    /// holds the secret.
    public let isSecret: Bool
    /// Whether a running server applies a change.
    public let isReread: Bool

    public init(
        _ name: String, of reader: Reader = .server, isList: Bool = false, isSecret: Bool = false,
        isReread: Bool = false
    ) {
        self.name = name
        self.reader = reader
        self.isList = isList
        self.isSecret = isSecret
        self.isReread = isReread
    }

    public init(stringLiteral name: String) { self.init(name) }
}

/// A problem with a setting. The description names the setting and the fix.
public struct SettingError: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
