import Domain

extension HomeFeature.State {
    /// The deadline has passed, or an alert about it is still open: only a check-in ends it.
    public var hasMissed: Bool { checkIn.isOverdue || alert.missedCheckIn != nil }
}

extension HomeFeature.State {
    /// Those whom the user can call in need: responders who have accepted.
    public var respondersToCall: [ContactData] {
        (cards.contacts ?? []).filter { $0.isResponder && $0.phoneNumber != nil }
    }
}

extension HomeCardsFeature.Request {
    private var name: String { ProfileRules.displayName(contact.name) }

    public var title: String {
        role == .dependent
            ? "\(name) asked you to help." : "\(name) wants to be your responder."
    }

    /// The meaning of a yes.
    public var effect: String {
        role == .dependent
            ? "You’ll be told if they miss a check-in."
            : "They’ll be told if you miss a check-in, and can read your emergency note."
    }
}

extension HomeCardsFeature.State {
    /// Somebody has accepted and is not known to be out of reach. False before the contacts are
    /// known.
    public var isProtected: Bool { protection == .accepted && audienceCard?.tone != .warning }

    /// Nobody would be told, or no one has accepted: what that means. nil when there is nothing to
    /// say.
    public var protectionCard: HomeCardsFeature.Card? {
        switch protection {
        case .accepted, nil: nil
        case .nobody:
            HomeCardsFeature.Card(
                title: "Nobody is watching over you. Add someone.",
                text: "If you miss a check-in or raise an alert, no one will be alerted.",
                tone: .critical)
        case .asked:
            HomeCardsFeature.Card(
                title: "No one has accepted yet",
                text: """
                    You asked \(listed(askedNames)). Until someone accepts, they are alerted \
                    by push only: no text messages, no calls.
                    """,
                tone: .warning)
        }
    }

    /// Nobody is proven to be reached; nil when somebody is, or nothing is known.
    public var audienceCard: HomeCardsFeature.Card? {
        switch audience {
        case .proven, nil: nil
        case .unproven(let names):
            HomeCardsFeature.Card(
                title: "Would anyone hear you?",
                text: """
                    No message to \(listed(names, last: "or")) was confirmed in the last 30 days. \
                    Ask them to turn on notifications in LifeSignal’s settings.
                    """,
                tone: .normal)
        case .unreachable(let names):
            HomeCardsFeature.Card(
                title: "Your responders may not hear you",
                text: """
                    \(listed(names)) can’t be reached while LifeSignal is closed. Ask them to turn \
                    on notifications in its settings.
                    """,
                tone: .warning)
        }
    }
}

extension HomeCardsFeature {
    /// A card about the user's protection.
    public struct Card: Equatable, Sendable {
        public var title: String
        public var text: String
        public var tone: Tone
    }
}
