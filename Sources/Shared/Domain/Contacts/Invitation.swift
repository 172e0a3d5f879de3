import Foundation

/// One message in which its owner asks a person without the app to be a responder.
public struct Invitation: Codable, Equatable, Sendable, Identifiable {
    public enum State: String, Codable, Sendable, CaseIterable {
        /// No answer yet. The owner doesn't learn whether a message was sent.
        case pending
        case accepted
        case declined
    }

    public var id: InvitationID
    public var name: String
    /// Empty for people invited by e-mail. Not optional, because earlier clients require a value.
    public var phoneNumber: String
    /// nil for people invited by text message.
    public var emailAddress: String?
    public var state: State
    public var createdAt: Date
    public var answeredAt: Date?
    /// The contact who accepted. The server keeps this id after they stop the messages, because
    /// they can undo the stop.
    public var contactID: UserID?

    public var recipient: String { emailAddress ?? phoneNumber }

    /// Until when an accepted contact who stopped the messages can undo the stop; nil for others.
    public var undoEnd: Date? {
        guard state == .declined, contactID != nil else { return nil }
        return answeredAt?.adding(InvitationRules.timeToUndo)
    }

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

/// The earlier messages to a number or an e-mail address.
public struct PastInvitations: Equatable, Sendable {
    /// True if the same user has already sent a message to the present holder.
    public var hasWrittenBefore = false
    /// True if the person has an account, or has accepted an invitation.
    public var hasAgreed = false
    /// True if the person has blocked the user.
    public var isBlocked = false
    /// True if a person without an account has sent STOP from the number.
    public var isStopped = false
    /// The times of the messages from all users.
    public var messages: [Date] = []
    /// The times of the messages to former holders of the number or mailbox. They count for the
    /// limit of a day alone.
    public var formerMessages: [Date] = []

    public init() {}
}
