import Domain

extension BlockedPeopleFeature.State {
    public func unblockWords(_ person: UserID) -> String {
        unblocking == person ? "Unblocking …" : "Unblock"
    }
}
