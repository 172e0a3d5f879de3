import Foundation

/// A person without the app, whom the owner asked by one message to be a responder.
public struct Invitation: Codable, Equatable, Sendable, Identifiable {
    public enum State: String, Codable, Sendable, CaseIterable {
        /// Without an answer; the owner is not told whether a message went out.
        case pending
        /// They are a contact.
        case accepted
        case declined
    }

    public var id: InvitationID
    /// The name that the owner gave.
    public var name: String
    /// Empty for somebody who was asked by e-mail: earlier clients need the field.
    public var phoneNumber: String
    /// nil for somebody who was asked by text message.
    public var emailAddress: String?
    public var state: State
    public var createdAt: Date
    public var answeredAt: Date?
    /// The contact they have become.
    public var contactID: UserID?

    /// Where the message went.
    public var recipient: String { emailAddress ?? phoneNumber }

    public init(
        id: InvitationID, name: String, recipient: InvitationRecipient, createdAt: Date
    ) {
        self.init(
            id: id, name: name, phoneNumber: recipient.number?.text ?? "", state: .pending,
            createdAt: createdAt)
        emailAddress = recipient.address?.text
    }

    public init(
        id: InvitationID, name: String, phoneNumber: String, state: State, createdAt: Date,
        answeredAt: Date? = nil, contactID: UserID? = nil
    ) {
        self.id = id
        self.name = name
        self.phoneNumber = phoneNumber
        self.state = state
        self.createdAt = createdAt
        self.answeredAt = answeredAt
        self.contactID = contactID
    }
}

public enum InvitationRules {
    /// Invitations of one user, answered or not.
    public static let limit = 20
    /// Invitations that one user makes in a day, taken back or not.
    public static let perDay = 10
    /// Messages of different users to one number or mailbox in a day. Only people who have an
    /// account, or have said yes to somebody, get more than one.
    public static let messagesPerNumber = 3
    public static let window: Duration = .days(1)
    /// How long a "yes" counts: the number may have another owner afterwards.
    public static let lifetime: Duration = .days(30)
    static let nameLength = 1...40

    /// How long to wait before another invitation; nil when it may be now.
    /// - Parameter made: when the user has made others, in any order.
    public static func wait(after made: [Date], at now: Date) -> Duration? {
        SlidingWindow.wait(after: made, limit: perDay, in: window, at: now)
    }

    /// True if a message may go out. Nobody without an account is written to twice without a
    /// "yes", and nobody at all twice by the same user.
    public static func mayWrite(after past: PastInvitations, at now: Date) -> Bool {
        guard !past.hasWrittenBefore, !past.isBlocked else { return false }
        guard past.hasAgreed || past.messages.isEmpty else { return false }
        return SlidingWindow.wait(
            after: past.messages, limit: messagesPerNumber, in: window, at: now) == nil
    }

    /// True if a "yes" counts now.
    public static func canBeAccepted(since createdAt: Date, at now: Date) -> Bool {
        now < createdAt.adding(lifetime)
    }

    /// A name that strangers may read in a message: letters, and what stands between them. A name
    /// with digits, a link or an advertisement is none. Throws `invalidArgument`.
    public static func name(_ text: String) throws(CommandError) -> String {
        let name = try ProfileRules.name(text)
        guard isName(name) else {
            throw .invalidArgument(
                field: "name",
                "Use at most 40 letters for a name, without digits, links or symbols.")
        }
        return name
    }

    /// The name of the one who invites. Throws `permissionDenied` for one that is no name.
    public static func sender(_ name: String) throws(CommandError) -> String {
        guard isName(name) else {
            throw .permissionDenied(
                """
                To invite people, use at most 40 letters for your name in your profile, without \
                digits, links or symbols.
                """)
        }
        return name
    }

    private static func isName(_ name: String) -> Bool {
        guard nameLength.contains(name.count), name.unicodeScalars.count <= 80,
            name.contains(where: \.isLetter)
        else { return false }
        let scalars = Array(name.unicodeScalars)
        return scalars.indices.allSatisfy { index in
            let scalar = scalars[index]
            if scalar == "." {
                // "J. Doe" is a name, "j.example" is a link.
                return index + 1 == scalars.count || scalars[index + 1] == " "
            }
            return scalar.properties.isAlphabetic
                || marks.contains(scalar.properties.generalCategory)
                || " '’-".unicodeScalars.contains(scalar)
        }
    }

    private static let marks: Set<Unicode.GeneralCategory> = [.nonspacingMark, .spacingMark]
}

/// The earlier messages to a number.
public struct PastInvitations: Equatable, Sendable {
    /// The same user has had this number written to.
    public var hasWrittenBefore = false
    /// They have an account, or have said yes to somebody.
    public var hasAgreed = false
    /// They have blocked the user.
    public var isBlocked = false
    /// When anybody had the number written to.
    public var messages: [Date] = []

    public init() {}
}
