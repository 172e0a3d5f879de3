import Domain
import Foundation

/// A message to an address whose mailbox is said not to be there.
public struct EmailFailure: Sendable {
    public var reason: DeliveryReason
    /// The address that was tried. Its owner may have changed it meanwhile.
    public var address: String
    /// Tries for this message, with this one.
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
    /// Written at most once a minute while all is well.
    public func noteEmailSuccess(of user: UserID, address: String, at time: Date) throws {
        try execute(
            """
            UPDATE email_addresses SET last_success_at = $1, failing_since = NULL,
                last_failure = NULL
            WHERE user_id = $2 AND address = $3 AND (failing_since IS NOT NULL
                OR last_success_at IS NULL OR last_success_at <= $4)
            """,
            [.date(time), .id(user), .text(address), .date(time.adding(.zero - .minutes(1)))])
    }

    /// The mailbox is not there. Returns what its owner has to hear of it: `gone` once, and
    /// `givenUp` when the address was removed.
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
            return try deleteEmailAddress(of: user) ? .givenUp : nil
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
