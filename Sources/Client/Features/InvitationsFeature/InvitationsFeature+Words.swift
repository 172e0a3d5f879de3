import Domain

extension Invitation {
    public var words: String {
        switch state {
        case .pending: "no answer yet"
        case .accepted: "said yes"
        case .declined: "said no"
        }
    }
}

extension InvitationsFeature.State {
    public var sendWords: String { isLoading ? "Sending …" : "Send one message" }
}
