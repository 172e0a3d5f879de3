import Foundation

/// How a person's account is protected against somebody who gets their codes.
public struct SignInSecurity: Codable, Equatable, Sendable {
    public var isLocked: Bool
    /// When the sign-in lock ends; nil if it is off, or stays on.
    public var lockEndsAt: Date?
    /// The wait that a code has begun; nil without one.
    public var wait: SignInWait?
    /// How many recovery codes are unused.
    public var recoveryCodes: Int

    public init(
        isLocked: Bool = false, lockEndsAt: Date? = nil, wait: SignInWait? = nil,
        recoveryCodes: Int = 0
    ) {
        self.isLocked = isLocked
        self.lockEndsAt = lockEndsAt
        self.wait = wait
        self.recoveryCodes = recoveryCodes
    }
}

/// The time that a code has to wait for while the sign-in lock is on.
public struct SignInWait: Codable, Equatable, Sendable {
    /// The name that the waiting device has given itself.
    public var deviceName: String
    public var startedAt: Date
    public var endsAt: Date

    public init(deviceName: String, startedAt: Date, endsAt: Date) {
        self.deviceName = deviceName
        self.startedAt = startedAt
        self.endsAt = endsAt
    }
}

/// Recovery codes, which the server shows once.
public struct RecoveryCodes: Codable, Equatable, Sendable {
    public var codes: [String]

    public init(codes: [String]) { self.codes = codes }
}

/// The rules of the sign-in lock (product.md, "Sign-in").
public enum SignInLockRules {
    /// How long a code waits, and how long the lock stays on after it was turned off.
    public static let wait: Duration = .days(7)
    /// After this time from its end, an unused wait has to begin again.
    public static let use: Duration = .days(7)
    /// No wait can begin in this time after a session has stopped one.
    public static let rest: Duration = .days(7)

    /// What a right code does.
    public enum Outcome: Equatable, Sendable {
        case signsIn
        case begins(endsAt: Date)
        case waits(until: Date)
        /// A session has stopped the last wait.
        case refused(until: Date)
    }

    /// - Parameters:
    ///   - endsAt: the end of the last wait; nil before the first one.
    ///   - stoppedAt: when a session stopped it; nil if none did.
    public static func outcome(
        endsAt: Date?, stoppedAt: Date?, at now: Date
    ) -> Outcome {
        if let stoppedAt, now < stoppedAt.adding(rest) {
            return .refused(until: stoppedAt.adding(rest))
        }
        guard stoppedAt == nil, let endsAt, now < endsAt.adding(use) else {
            return .begins(endsAt: now.adding(wait))
        }
        return now < endsAt ? .waits(until: endsAt) : .signsIn
    }

    /// Returns whether recovery codes turn the lock off at once, and protect themselves from being
    /// replaced. Somebody with the unlocked phone may have made newer ones.
    /// - Parameter madeAt: when codes were last made without an old one; nil if that was long ago
    ///   or never.
    public static func codesUnlock(madeAt: Date?, at now: Date) -> Bool {
        madeAt.map { now >= $0.adding(wait) } ?? true
    }

    /// Returns whether a change takes a number back that the account has left, perhaps by somebody
    /// with the unlocked phone. Compares how often the account has left both numbers lately, so
    /// that the change can't be undone in the same way.
    /// - Parameters:
    ///   - left: when the account has left the new number.
    ///   - leftPresent: when the account has left its present number before.
    public static func takesNumberBack(
        left: [Date], leftPresent: [Date], at now: Date
    ) -> Bool {
        let begin = now.adding(.zero - wait)
        return left.count { begin < $0 } > leftPresent.count { begin < $0 }
    }

    /// - Parameter endsAt: when the lock ends; nil if it stays on.
    public static func isOn(endsAt: Date?, at now: Date) -> Bool {
        endsAt.map { now < $0 } ?? true
    }
}

/// The rules of recovery codes (product.md, "Sign-in").
public enum RecoveryCodeRules {
    public static let count = 10
    /// 80 random bits can't be guessed, so a fast keyed hash is enough.
    public static let bytes = 10
    /// The length of a code without hyphens.
    public static let length = 16
    /// Without letters that look like digits.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// Returns a code in groups: `7KQ2-M9XD-03TB-WZ5E`.
    /// - Parameter random: `bytes` random bytes.
    public static func code(random: Data) -> String {
        var (code, bits, buffer) = ("", 0, 0)
        for byte in random {
            buffer = (buffer & 0x1F) << 8 | Int(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                if code.count % 5 == 4 { code.append("-") }
                code.append(alphabet[buffer >> bits & 0x1F])
            }
        }
        return code
    }

    /// Returns the 16 characters of a typed code. Accepts lower case, spaces, and the letters O, I
    /// and L for digits. Throws `invalidArgument`.
    public static func characters(typed text: String) throws(CommandError) -> String {
        var characters = ""
        if text.utf8.count <= 100 {
            for character in text.uppercased() where !character.isWhitespace {
                switch character {
                case "-", "–": break
                case "O": characters.append("0")
                case "I", "L": characters.append("1")
                default: characters.append(character)
                }
            }
        }
        guard characters.count == length, characters.allSatisfy({ alphabet.contains($0) }) else {
            throw .invalidArgument(
                field: "recoveryCode", RefusalWords.recoveryCodeLength.detail,
                reason: .recoveryCodeWrong)
        }
        return characters
    }
}
