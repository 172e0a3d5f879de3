import Domain

/// The row of a message that a provider reports about.
public enum MessageOrigin: Equatable, Sendable {
    case delivery(DeliveryOrigin)
    case invitation(InvitationMessageID)
}

/// Identifies one attempt of a delivery.
public struct DeliveryOrigin: Equatable, Sendable {
    public var user: UserID
    public var delivery: DeliveryID
    public var attempt: Int

    public init(user: UserID, delivery: DeliveryID, attempt: Int) {
        self.user = user
        self.delivery = delivery
        self.attempt = attempt
    }
}
