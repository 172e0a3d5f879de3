import Foundation

/// The limits of signing in (product.md, "Sign-in").
public enum SignInRules {
    public static let codeLength = 6
    public static let codeLifetime: Duration = .minutes(5)
    public static let triesPerCode = 5
    /// The number of codes in an hour that one requester may request for one number.
    public static let codesPerNumber = 5
    public static let codesPerAddress = 20
    public static let codesPerHour = 1_000
    /// Codes an hour to numbers without an account: enough for a village of 500 people, if most
    /// sign up only once.
    public static let codesToNewNumbers = 100
    public static let codesToNewNumbersPerCountry = 50
    /// The number of one user's devices that the server recognizes by their keys.
    public static let knownDevices = 20
    public static let codeWindow: Duration = .hours(1)
    /// How long codes are stored, for the daily limit.
    public static let codeMemory: Duration = .days(1)
    public static let accessTokenLifetime: Duration = .minutes(15)
    /// The time without use after which a device must sign in again.
    public static let refreshTokenLifetime: Duration = .days(90)
    /// If a session has push endpoints, its user is warned twice, this long before it ends.
    public static let expiryWarnings: (first: Duration, second: Duration) = (.days(14), .days(3))
    public static let deviceNameLength = 1...100

    public static func code(_ text: String) throws(CommandError) -> String {
        guard text.utf8.count == codeLength,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            throw .invalidArgument(field: "code", RefusalWords.codeLength.message)
        }
        return text
    }

    /// The length of the code for the operator's canary number. The code stays the same for months,
    /// and six digits could be guessed in that time.
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
            throw .invalidArgument(field: "deviceName", RefusalWords.deviceName.message)
        }
        return name
    }

    /// - Parameter warnedAt: the time of the last warning; nil before the first.
    public static func isExpiryWarningDue(
        expiresAt end: Date, warnedAt: Date?, at now: Date
    ) -> Bool {
        guard now < end else { return false }
        return [expiryWarnings.first, expiryWarnings.second].contains { lead in
            let moment = end.adding(.zero - lead)
            return now >= moment && warnedAt.map { $0 < moment } ?? true
        }
    }

    /// Returns the days until a session ends, for a warning: rounded, and at least one.
    public static func days(until end: Date, from now: Date) -> Int {
        max(1, Int((end.since(now) / .days(1)).rounded()))
    }

    /// Returns the wait before another code may be requested; nil if one may be sent now.
    /// - Parameter sent: the times when codes were sent, in any order.
    public static func wait(sent: [Date], limit: Int, at now: Date) -> Duration? {
        SlidingWindow.wait(after: sent, limit: limit, in: codeWindow, at: now)
    }

    /// Returns whether a code is still valid. It must not have expired, and attempts must be left.
    public static func isUsable(expiresAt: Date, triesLeft: Int, at now: Date) -> Bool {
        now < expiresAt && triesLeft > 0
    }

    /// The wait before another code may be requested on the same screen.
    public static let resendDelay: Duration = .seconds(30)

    /// Returns the digits of typed or pasted text, at most as many as a code has: "123 456" is a
    /// code, and so is a whole message that contains one.
    public static func code(typed text: String) -> String {
        var digits = ""
        for scalar in text.unicodeScalars where scalar.properties.numericType == .decimal {
            digits += scalar.properties.numericValue.map { String(Int($0)) } ?? ""
        }
        return String(digits.prefix(codeLength))
    }
}
