import Domain

extension ContactDetailsSheetViewFeature.State {
    public var waitingWords: String? {
        isWaitingToBeSent ? "The change of roles is waiting to be sent." : nil
    }

    /// A request that waits for the user's answer.
    public func requestWords(_ role: ContactRole) -> String {
        role == .responder
            ? "May \(displayName) be your responder?"
            : "Will you be the responder of \(displayName)?"
    }

    /// A request that waits for the other person's answer.
    public func ownRequestWords(_ role: ContactRole) -> String {
        role == .responder
            ? "You asked \(displayName) to be your responder."
            : "You asked to be \(displayName)’s responder."
    }

    /// The name of the button that takes it back, for those who hear one button at a time.
    public func withdrawLabel(_ role: ContactRole) -> String {
        role == .responder
            ? "Take back: \(displayName) as your responder"
            : "Take back: \(displayName) as your dependent"
    }

    /// The meaning of a role, and that it is not accepted yet.
    public func roleHint(_ role: ContactRole) -> String {
        let effect =
            role == .responder ? "Is told when I need help." : "I am told when they need help."
        return contact?.request(role)?.isMine == true
            ? "\(effect) \(displayName) has not accepted yet." : effect
    }

    /// Shown only if there is anything to ask, to clear or to answer.
    public var showsPings: Bool { canPing || canClearPing || canRespondToPing }
    public var pingQuestion: String { "\(displayName) asks whether you are fine." }
}
