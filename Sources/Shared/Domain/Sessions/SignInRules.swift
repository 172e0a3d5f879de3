import Foundation

/// The limits of signing in (product.md, "Sign-in").
public enum SignInRules {
    public static let codeLength = 6
    public static let codeLifetime: Duration = .minutes(5)
    public static let triesPerCode = 5
    /// The number of a code's tries that require its request's id. Applies if only the network
    /// address links the device to the code.
    public static let triesOfRequest = 2
    /// Codes per hour to one number, for one requester.
    public static let codesPerNumber = 5
    public static let codesPerAddress = 20
    public static let codesPerHour = 1_000
    /// Codes per hour to numbers without an account. That is enough for a village of 500 people in
    /// which most sign up once.
    public static let codesToNewNumbers = 100
    public static let codesToNewNumbersPerCountry = 50
    /// How many devices of a user the server recognizes by their keys.
    public static let knownDevices = 20
    public static let codeWindow: Duration = .hours(1)
    /// How long codes are stored. The daily limit needs them.
    public static let codeMemory: Duration = .days(1)
    public static let accessTokenLifetime: Duration = .minutes(15)
    /// A device must sign in again after this time without use.
    public static let refreshTokenLifetime: Duration = .days(90)
    /// How long before a session's end its user gets the two warnings. Only sessions with push
    /// endpoints cause warnings.
    public static let expiryWarnings: (first: Duration, second: Duration) = (.days(14), .days(3))
    public static let deviceNameLength = 1...100
    /// The most sessions of an account. A further session ends the one unused for longest.
    public static let sessions = 100
    /// A passkey begins no session after this many of the account in an hour. A program can use a
    /// passkey as often as it likes, and each session is stored for months.
    public static let sessionsPerHour = 20

    /// How long a changed number can't confirm the account's deletion. Somebody with a stolen
    /// session could move the account to a number of their own, and get the code there.
    public static let waitForDeletion: Duration = .days(7)

    /// Returns when a code can delete the account; nil if it can do so now.
    /// - Parameter change: the last change of the number; nil without one.
    public static func endOfWaitForDeletion(
        afterNumberChange change: Date?, at now: Date
    ) -> Date? {
        // A change in the future comes from a wrong clock.
        guard let change, change <= now else { return nil }
        let end = change.adding(waitForDeletion)
        return now < end ? end : nil
    }

    public static func code(_ text: String) throws(CommandError) -> String {
        guard text.utf8.count == codeLength,
            text.utf8.allSatisfy(\.isASCIIDigit)
        else {
            throw .invalidArgument(field: "code", RefusalWords.codeLength.message)
        }
        return text
    }

    /// The length of the code for the operator's canary, an account that tests the server. The code
    /// stays valid for months, and six digits could be guessed in that time.
    public static let canaryCodeLength = 20...100

    public static func canaryCode(_ text: String) throws(CommandError) -> String {
        guard canaryCodeLength.contains(text.utf8.count),
            text.utf8.allSatisfy({
                $0 < 128 && Character(UnicodeScalar($0)).isLetter || $0.isASCIIDigit
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
            ProfileRules.isOnOneLine(name), ProfileRules.hasPlainCharacters(name)
        else {
            throw .invalidArgument(field: "deviceName", RefusalWords.deviceName.message)
        }
        return name
    }

    /// Returns true if the user should be warned that a session ends.
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

    /// Returns the days until a session ends, rounded, at least one.
    public static func days(until end: Date, from now: Date) -> Int {
        max(1, Int((end.since(now) / .days(1)).rounded()))
    }

    /// Returns the wait before the next code; nil if it may be sent now.
    /// - Parameter sent: the times when codes were sent, in any order.
    public static func wait(sent: [Date], limit: Int, at now: Date) -> Duration? {
        SlidingWindow.wait(after: sent, limit: limit, in: codeWindow, at: now)
    }

    /// Returns the wait before a passkey can begin a session; nil if it can now.
    /// - Parameter begun: when the account's latest sessions began, in any order.
    public static func wait(afterSessions begun: [Date], at now: Date) -> Duration? {
        SlidingWindow.wait(after: begun, limit: sessionsPerHour, in: .hours(1), at: now)
    }

    public static func isUsable(expiresAt: Date, triesLeft: Int, at now: Date) -> Bool {
        now < expiresAt && triesLeft > 0
    }

    /// The wait before a person can request another code on the same screen.
    public static let resendDelay: Duration = .seconds(30)

    /// Returns the first six digits of typed or pasted text: "123 456", or a whole message.
    public static func code(typed text: String) -> String {
        var digits = ""
        for scalar in text.unicodeScalars where scalar.properties.numericType == .decimal {
            digits += scalar.properties.numericValue.map { String(Int($0)) } ?? ""
        }
        return String(digits.prefix(codeLength))
    }
}
