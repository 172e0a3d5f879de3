import Domain
import Foundation

/// A handled request of a user, by its idempotency key.
public struct RequestKeyRow: Sendable, Equatable {
    /// The route and its subject.
    public var request: String
    /// The id of the result, if it differs from the key.
    public var outcome: UUID?

    public init(request: String, outcome: UUID? = nil) {
        self.request = request
        self.outcome = outcome
    }

    /// A text message about the sign-in lock. The key is random.
    public static let signInLockText = "signInLockText"
    /// The end of the sign-in lock. The outcome is the id of the session that began it, and the key
    /// is random.
    public static let signInLockEnd = "signInLockEnd"
    /// An unclear answer to a text message. The key is the id of that message.
    public static let unclearTextAnswer = "unclearTextAnswer"

    /// A reply by text message that named another alert for the same answer. The outcome is the
    /// alert's id, and the key is random.
    public static func offer(for answer: TextAnswer) -> String { "textOffer.\(answer)" }

    /// A reply by text message that named another alert for "1" and "2". Outcome and key are the
    /// same as for one answer.
    public static let offerForEither = "textOffer.either"

    /// An answer by text message, with the hash of the provider's id. The key is random, because a
    /// gateway may give the id to another message on a later day.
    public static func text(_ answer: TextAnswer, hash: Data) -> String {
        "text.\(answer).\(hash.base64EncodedString())"
    }

    /// A reply to an answer by text message to the user's invitation. The key is random.
    public static func reply(to invitation: InvitationID) -> String {
        "invitationReply.\(invitation)"
    }

    /// A press that has changed or confirmed the person's pause, or that they have none, with the
    /// time of the press. The key is random.
    public static let pausePress = "pausePress"

    /// A refusal of another person's name. The key is random.
    /// - Parameter number: distinguishes the refusals of a day.
    public static func refusedName(_ number: Int) -> String { "refusedName.\(number)" }

    /// News of another name. The key is random.
    /// - Parameter number: distinguishes the names of a day.
    public static func announcedName(_ number: Int) -> String { "announcedName.\(number)" }

    /// The SQL condition for answers by text message, and for offers of other alerts.
    fileprivate static let isText = "(request LIKE 'text.%' OR request LIKE 'textOffer.%')"

    /// The SQL condition for the requests of devices. The server forgets the older requests of a
    /// client that makes many. The few rows that limit texts and refusals must stay.
    fileprivate static let isOfDevice = """
        (request NOT IN ('\(signInLockText)', '\(signInLockEnd)', '\(unclearTextAnswer)')
            AND request NOT LIKE 'invitationReply.%' AND request NOT LIKE 'refusedName.%'
            AND request NOT LIKE 'announcedName.%'
            AND NOT \(isText))
        """

    /// The condition for the rows that this row can displace, and how many of them are kept.
    fileprivate var group: (condition: String, limit: Int) {
        request.hasPrefix("text.") || request.hasPrefix("textOffer.")
            ? (Self.isText, RequestKeyRules.limitOfTexts)
            : (Self.isOfDevice, RequestKeyRules.limit)
    }
}

extension SQLConnection {
    public func requestKey(_ key: UUID, of user: UserID) throws -> RequestKeyRow? {
        try first(
            "SELECT request, outcome_id FROM request_keys WHERE user_id = $1 AND key = $2",
            [.id(user), .uuid(key)]
        ) { row in
            RequestKeyRow(request: try row["request"], outcome: try row["outcome_id"])
        }
    }

    /// Returns true if this request of the person was recorded after `time`, under any key.
    public func hasRequest(_ request: String, of user: UserID, since time: Date) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM request_keys
            WHERE user_id = $1 AND request = $2 AND happened_at > $3 LIMIT 1
            """, [.id(user), .text(request), .date(time)])
    }

    /// Returns the outcome and the time of the person's newest request of this name.
    public func newestRequest(
        _ request: String, of user: UserID
    ) throws -> (outcome: UUID?, time: Date)? {
        try first(
            """
            SELECT outcome_id, happened_at FROM request_keys WHERE user_id = $1 AND request = $2
            ORDER BY happened_at DESC, key LIMIT 1
            """, [.id(user), .text(request)]
        ) { (outcome: try $0["outcome_id"], time: try $0["happened_at"]) }
    }
}

extension Transaction {
    /// Records a request, and forgets all but the newest of its group. Throws `uniqueViolation` for
    /// a known key.
    /// - Parameter time: nil for now.
    public func insert(
        _ row: RequestKeyRow, key: UUID, of user: UserID, at time: Date? = nil
    ) throws {
        try execute(
            """
            INSERT INTO request_keys (user_id, key, request, outcome_id, happened_at)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .id(user), .uuid(key), .text(row.request), row.outcome.map { .uuid($0) } ?? .null,
                .date(time ?? now),
            ]
        )
        let (condition, limit) = row.group
        try execute(
            """
            DELETE FROM request_keys
            WHERE user_id = $1 AND \(condition)
                AND happened_at <
                    (SELECT happened_at FROM request_keys
                        WHERE user_id = $1 AND \(condition)
                        ORDER BY happened_at DESC LIMIT 1 OFFSET $2)
            """, [.id(user), .int(limit - 1)])
    }
}
