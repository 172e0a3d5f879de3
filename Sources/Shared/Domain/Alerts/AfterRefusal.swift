/// What a responder who has said "I can't" reads about the other responders.
public enum AfterRefusal: Equatable, Sendable {
    /// A responder is on it, or has reported and not refused since. The server stops asking.
    case isInHand
    /// Everyone who can be reached has refused.
    case noOneIsLeft
    case othersAreAsked
    /// The reader hasn't accepted the role. They don't learn of reports, so the text is true with
    /// and without one.
    case othersHaveTheAlert

    /// - Parameter hasAccepted: true if the reader has accepted the role of responder.
    public init(isInHand: Bool, isRefusedByAll: Bool, hasAccepted: Bool) {
        // An alert that all have refused can only be in hand by a report.
        if isRefusedByAll, hasAccepted || !isInHand {
            self = .noOneIsLeft
        } else if isInHand {
            self = .isInHand
        } else {
            self = hasAccepted ? .othersAreAsked : .othersHaveTheAlert
        }
    }
}

extension AlertRecord {
    /// - Parameter hasAccepted: true if the reader has accepted the role of responder.
    public func afterRefusal(hasAccepted: Bool) -> AfterRefusal {
        AfterRefusal(
            isInHand: acknowledgement != nil || report != nil,
            isRefusedByAll: isRefusedByAll == true, hasAccepted: hasAccepted)
    }
}
