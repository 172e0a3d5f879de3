import Foundation

/// A key on a person's device that signs in without a code (WebAuthn).
public struct Passkey: Codable, Equatable, Sendable, Identifiable {
    public var id: PasskeyID
    public var name: String
    public var createdAt: Date
    /// nil before the first sign-in.
    public var lastUsedAt: Date?

    public init(id: PasskeyID, name: String, createdAt: Date, lastUsedAt: Date? = nil) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// What a device needs to make or use a passkey. Bytes are base64url, as in WebAuthn.
public struct PasskeyRequest: Codable, Equatable, Sendable {
    /// Valid once, for 5 minutes.
    public var challenge: String
    /// The host name that the passkey belongs to.
    public var site: String
    /// The account of a new passkey; nil at sign-in.
    public var account: Account?

    public struct Account: Codable, Equatable, Sendable {
        public var handle: String
        /// What the device shows for the passkey.
        public var name: String
        /// The ids of the person's other passkeys. A device makes no second one.
        public var otherPasskeys: [String]

        public init(handle: String, name: String, otherPasskeys: [String]) {
            self.handle = handle
            self.name = name
            self.otherPasskeys = otherPasskeys
        }
    }

    public init(challenge: String, site: String, account: Account? = nil) {
        self.challenge = challenge
        self.site = site
        self.account = account
    }
}

/// A new passkey, as a device has made it. Bytes are base64url.
public struct PasskeyRegistration: Codable, Equatable, Sendable {
    public var clientDataJSON: String
    public var attestationObject: String

    public init(clientDataJSON: String, attestationObject: String) {
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
    }
}

/// The use of a passkey, as a device has signed it. Bytes are base64url.
public struct PasskeyAssertion: Codable, Equatable, Sendable {
    public var credentialID: String
    public var userHandle: String
    public var clientDataJSON: String
    public var authenticatorData: String
    public var signature: String

    public init(
        credentialID: String, userHandle: String, clientDataJSON: String,
        authenticatorData: String, signature: String
    ) {
        self.credentialID = credentialID
        self.userHandle = userHandle
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
    }
}

/// The rules of passkeys (product.md, "Sign-in").
public enum PasskeyRules {
    /// The most passkeys of one person.
    public static let limit = 20
    public static let challengeLifetime: Duration = .minutes(5)
    /// How long a used challenge is kept after its expiry. A clock that was set back, or the one of
    /// another server, may make it valid again.
    public static let challengeKept: Duration = .days(1)
    public static let nameLength = SourceRules.nameLength

    public static func name(_ text: String) throws(CommandError) -> String {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard nameLength.contains(name.count),
            name.unicodeScalars.count <= 4 * nameLength.upperBound,
            ProfileRules.isOnOneLine(name), ProfileRules.hasPlainCharacters(name)
        else {
            throw .invalidArgument(field: "name", RefusalWords.passkeyName.detail)
        }
        return name
    }

    /// Returns the name for a new passkey: the device's, shortened.
    public static func name(ofDevice device: String) -> String {
        String(device.prefix(nameLength.upperBound))
    }

    /// A counter that doesn't grow means that somebody has copied the passkey. Authenticators that
    /// don't count send 0.
    public static func isPlausible(counter: UInt32, after last: UInt32) -> Bool {
        counter == 0 && last == 0 || counter > last
    }
}
