import Domain
import Foundation

/// A failed message to a mailbox that is reported as nonexistent.
public struct EmailFailure: Sendable {
    public var reason: DeliveryReason
    /// The address that was tried. Its owner may have replaced it meanwhile.
    public var address: String
    /// The number of attempts for this message, including this one.
    public var attempts: Int
    public var time: Date

    public init(
        _ reason: DeliveryReason, address: String, attempts: Int, at time: Date
    ) {
        self.reason = reason
        self.address = address
        self.attempts = attempts
        self.time = time
    }
}

extension Transaction {
    /// Records a success. Without a recorded failure, writes at most once a minute.
    public func noteEmailSuccess(of user: UserID, address: String, at time: Date) throws {
        let changed = try execute(
            """
            UPDATE email_addresses SET last_success_at = $1, failing_since = NULL,
                last_failure = NULL
            WHERE user_id = $2 AND address = $3 AND (failing_since IS NOT NULL
                OR last_success_at IS NULL OR last_success_at <= $4)
            """,
            [.date(time), .id(user), .text(address), .date(time.adding(.zero - .minutes(1)))])
        if changed > 0 { noteReach(of: user) }
    }

    /// Records that a mailbox doesn't exist. Returns the news for its owner: `gone` for the first
    /// failure since the last success, `givenUp` if the address was removed, otherwise nil.
    public func noteEmailFailure(
        of user: UserID, _ failure: EmailFailure
    ) throws -> EndpointNews? {
        let key: [SQLValue] = [.id(user), .text(failure.address)]
        let before = try first(
            "SELECT failing_since FROM email_addresses WHERE user_id = $1 AND address = $2", key
        ) { (since: try $0["failing_since"] as Date?, exists: true) }
        guard let before else { return nil }
        if let since = before.since,
            EndpointRules.isGivenUp(
                failingSince: since, attempts: failure.attempts, isFinal: false, at: failure.time)
        {
            return try removeConfirmedEmail(of: user) ? .givenUp : nil
        }
        try execute(
            """
            UPDATE email_addresses SET failing_since = COALESCE(failing_since, $1),
                last_failure = $2
            WHERE user_id = $3 AND address = $4
            """, [.date(failure.time), .text("\(failure.reason)")] + key)
        return before.since == nil ? .gone : nil
    }
}
