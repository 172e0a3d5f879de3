/// The state of a person's alerts as a message describes it.
public enum AlertClaim: Equatable, Sendable {
    /// Help is needed, and no responder is on it.
    case needsHelp
    case isInHand
    case isOver

    /// Returns nil for messages that aren't about alerts.
    public init?(_ purpose: DeliveryPurpose) {
        switch purpose {
        case .alertBegin, .alertRepeat, .alertUntaken: self = .needsHelp
        case .alertNews: self = .isInHand
        case .alertEnd: self = .isOver
        case .reminder, .lastCall, .journey, .ping, .drill, .test, .other: return nil
        }
    }

    public var purposes: [DeliveryPurpose] {
        DeliveryPurpose.allCases.filter { AlertClaim($0) == self }
    }
}

/// How a message that exceeds a limit is handled. The last message on each channel must be true, or
/// a true one must follow (product.md, "Storms").
public enum ExcessHandling: Equatable, Sendable {
    /// Send the message despite the limit, because it corrects the reader's belief.
    case send
    /// Send the message when the limit allows, unless a newer message replaces it.
    case wait
    /// Skip the message, because the last one says the same.
    case spare

    /// - Parameter last: the claim of the last message on the channel, sent or pending.
    public init(_ claim: AlertClaim, after last: AlertClaim?) {
        self =
            switch claim {
            case .needsHelp: last == .needsHelp ? .spare : .send
            case .isInHand, .isOver: .wait
            }
    }
}
