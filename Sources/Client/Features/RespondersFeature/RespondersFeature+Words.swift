import Domain

extension RespondersFeature.State {
    /// The heading of the pings to answer; nil without any.
    public var pingsTitle: String? {
        switch pendingPingsCount {
        case ...0: nil
        case 1: "1 responder asks whether you are fine"
        default: "\(pendingPingsCount) responders ask whether you are fine"
        }
    }
}

extension ContactData {
    /// The role of somebody on the list of responders, or the one they have been asked for.
    public var responderWords: String {
        if let request = request(.responder) {
            return request.isMine
                ? "You asked them to be your responder" : "Asks to be your responder"
        }
        return isDependent
            ? "Is told when you need help; you watch over each other"
            : "Is told when you need help"
    }

    /// The same for a request on the list of dependents; nil without one.
    public var dependentRequestWords: String? {
        request(.dependent).map {
            $0.isMine ? "You asked to be their responder" : "Asks you to be their responder"
        }
    }
}

extension RespondersFeature.State.AlertState {
    /// The result of adding a contact; nil without one.
    public var words: String? {
        if contactAdded { return "The contact was added. Both of you were told." }
        return contactExists
            ? "You are contacts already. Open their card to change roles." : nil
    }
}
