import Foundation

/// A device that is signed in, as its user sees it.
public struct Session: Codable, Equatable, Sendable, Identifiable {
    public var id: SessionID
    public var deviceName: String
    public var createdAt: Date
    public var lastUsedAt: Date
    /// The session that asks.
    public var isCurrent: Bool

    public init(
        id: SessionID, deviceName: String, createdAt: Date, lastUsedAt: Date, isCurrent: Bool
    ) {
        self.id = id
        self.deviceName = deviceName
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.isCurrent = isCurrent
    }
}

/// The caller, proven by an access token, never by a request's body.
public struct Caller: Equatable, Hashable, Sendable {
    public var userID: UserID
    public var sessionID: SessionID

    public init(userID: UserID, sessionID: SessionID) {
        self.userID = userID
        self.sessionID = sessionID
    }
}

/// The limits of signing in (product.md, "Sign-in").
public enum SignInRules {
    public static let codeLength = 6
    public static let codeLifetime: Duration = .minutes(5)
    public static let triesPerCode = 5
    /// Codes an hour for one number and requester.
    public static let codesPerNumber = 5
    public static let codesPerAddress = 20
    public static let codesPerHour = 1_000
    /// Devices of one user that are known by their keys.
    public static let knownDevices = 20
    public static let codeWindow: Duration = .hours(1)
    /// So long codes are remembered, for the limit of a day.
    public static let codeMemory: Duration = .days(1)
    public static let accessTokenLifetime: Duration = .minutes(15)
    /// A device that was not used for this long signs in again.
    public static let refreshTokenLifetime: Duration = .days(90)
    public static let deviceNameLength = 1...100

    public static func code(_ text: String) throws(CommandError) -> String {
        guard text.utf8.count == codeLength,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            throw .invalidArgument(field: "code", "The code has 6 digits.")
        }
        return text
    }

    /// Characters in the code of a number of the operator's canary. It stays the same for months,
    /// in which six digits could be guessed.
    public static let canaryCodeLength = 20...100

    public static func canaryCode(_ text: String) throws(CommandError) -> String {
        guard canaryCodeLength.contains(text.utf8.count),
            text.utf8.allSatisfy({
                $0 < 128 && Character(UnicodeScalar($0)).isLetter
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            })
        else {
            throw .invalidArgument(
                field: "code", "The code of a canary has 20 to 100 letters and digits.")
        }
        return text
    }

    public static func deviceName(_ text: String) throws(CommandError) -> String {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard deviceNameLength.contains(name.count),
            name.unicodeScalars.count <= 4 * deviceNameLength.upperBound,
            ProfileRules.isOnOneLine(name)
        else {
            throw .invalidArgument(
                field: "deviceName",
                "A device name has 1 to 100 characters, without control characters.")
        }
        return name
    }

    /// How long to wait before another code may be asked for; nil when one may be sent now.
    /// - Parameter sent: the moments of the codes that were sent, in any order.
    public static func wait(sent: [Date], limit: Int, at now: Date) -> Duration? {
        SlidingWindow.wait(after: sent, limit: limit, in: codeWindow, at: now)
    }

    /// A code can be used once, in time, and while it has tries left.
    public static func isUsable(expiresAt: Date, triesLeft: Int, at now: Date) -> Bool {
        now < expiresAt && triesLeft > 0
    }
}
