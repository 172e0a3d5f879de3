/// What a message says about the state of a person's alerts. The reader believes it until the next
/// message.
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
        case .reminder, .ping, .drill, .test, .other: return nil
        }
    }

    /// The purposes of messages with this claim.
    public var purposes: [DeliveryPurpose] {
        DeliveryPurpose.allCases.filter { AlertClaim($0) == self }
    }
}

/// What happens to a message that exceeds a limit. Together, the cases ensure that the last message
/// on each channel is true, or that a true one will follow it (product.md, "Storms").
public enum ExcessHandling: Equatable, Sendable {
    /// Send it despite the limit, because it corrects what the reader believes.
    case send
    /// Send it when the limit allows, unless a newer message replaces it.
    case wait
    /// Skip it, because the reader already believes what it says.
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
