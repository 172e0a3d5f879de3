import Foundation

/// Who may open an account on a server.
public enum SignUpMode: String, GrowingEnum, Sendable, CaseIterable {
    case open
    /// People with a token of the operator, or with an invitation from a person with an account.
    case invited
    /// No one.
    case closed

    public static let fallback = open
}

/// What the sign-in page must know about its server.
public struct SignInOptions: Codable, Equatable, Sendable {
    public var signUp: SignUpMode
    /// False if the server sends no text messages.
    public var sendsCodes: Bool
    /// How to reach the people who run the server; nil if they have not said so.
    public var operatorContact: String?
    /// True if new numbers of some countries get no codes; nil if all get them.
    public var limitsCountries: Bool?

    public init(
        signUp: SignUpMode, sendsCodes: Bool, operatorContact: String? = nil,
        limitsCountries: Bool? = nil
    ) {
        self.signUp = signUp
        self.sendsCodes = sendsCodes
        self.operatorContact = operatorContact
        self.limitsCountries = limitsCountries
    }
}

/// The operator's permission to open accounts. The server stores only the hash of its secret.
public struct SignUpToken: Equatable, Sendable, Identifiable {
    public enum State: Equatable, Sendable {
        case usable, usedUp, expired, revoked
    }

    public var id: SignUpTokenID
    public var note: String
    /// The number that the token signs in once without a code; nil for a token for new accounts.
    public var phoneNumber: PhoneNumber?
    /// How often the token can be used in all.
    public var uses: Int
    /// How often it was used.
    public var used: Int
    public var createdAt: Date
    public var expiresAt: Date
    public var revokedAt: Date?

    public init(
        id: SignUpTokenID, note: String, phoneNumber: PhoneNumber? = nil, uses: Int,
        used: Int = 0, createdAt: Date, expiresAt: Date, revokedAt: Date? = nil
    ) {
        self.id = id
        self.note = note
        self.phoneNumber = phoneNumber
        self.uses = uses
        self.used = used
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }

    public func state(at now: Date) -> State {
        if revokedAt != nil { return .revoked }
        if used >= uses { return .usedUp }
        return now < expiresAt ? .usable : .expired
    }
}

/// The limits of tokens and invitations for new accounts (product.md, "Sign-up").
public enum SignUpRules {
    public static let uses = 1...10_000
    public static let days = 1...365
    public static let standardLifetime: Duration = .days(7)
    public static let noteLength = 0...100
    /// How long a token is listed after its expiry.
    public static let kept: Duration = .days(30)
    /// The most accounts that one person's code can open in a day.
    public static let perCode = 10
    public static let codeWindow: Duration = .days(1)
    /// The most codes in a day for each use of a token. They replace the limits on addresses and on
    /// new numbers, so that a village can sign up in one hall.
    public static let codesPerUse = 3
    /// The note of the token that a server prints while it has no account.
    public static let firstNote = "First start"
    /// The characters of a secret.
    public static let secretLength = 43

    static let folder = "join"
    public static let notALink = CommandError.invalidArgument(
        field: "token", RefusalWords.tokenUnknown.message)
    private static let notALifetime = CommandError.invalidArgument(
        field: "expires", "A token is valid for 1 to 365 days.")

    public static func uses(_ uses: Int) throws(CommandError) -> Int {
        guard Self.uses.contains(uses) else {
            throw .invalidArgument(field: "uses", "A token has 1 to 10,000 uses.")
        }
        return uses
    }

    /// Returns a token's lifetime. Throws `invalidArgument` for days outside of the limits, because
    /// the multiplication of a huge number would end the process.
    public static func lifetime(days count: Int) throws(CommandError) -> Duration {
        guard days.contains(count) else { throw notALifetime }
        return .days(count)
    }

    /// Returns a token's expiry. Throws `invalidArgument` for a lifetime outside of the limits.
    public static func expiry(
        after lifetime: Duration, from now: Date
    ) throws(CommandError) -> Date {
        guard lifetime > .zero, lifetime <= .days(days.upperBound) else { throw notALifetime }
        return now.adding(lifetime)
    }

    public static func note(_ text: String) throws(CommandError) -> String {
        let note = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard noteLength.contains(note.count),
            note.unicodeScalars.count <= 4 * noteLength.upperBound,
            note.isEmpty || ProfileRules.isOnOneLine(note)
        else {
            throw .invalidArgument(
                field: "note", "A token’s note has at most 100 characters on one line.")
        }
        return note
    }

    /// Returns the link that leads through sign-up.
    public static func link(for secret: String, server: URL) -> URL {
        server.appendingPathComponent(folder).appendingPathComponent(secret)
    }

    /// Returns the secret in a token's link, or in the secret itself; nil for any other text.
    public static func secret(in text: String) -> String? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if isSecret(text) { return text }
        guard text.utf8.count <= 4_096, let url = URL(string: text),
            let secret = PathPrefix.name(in: folder, of: url), isSecret(secret)
        else { return nil }
        return secret
    }

    /// Returns whether a link is meant as a token's, valid or not.
    public static func isLink(_ url: URL) -> Bool { url.pathComponents.contains(folder) }

    private static func isSecret(_ text: String) -> Bool {
        text.utf8.count == secretLength
            && text.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                    || $0 == "-" || $0 == "_"
            }
    }
}
