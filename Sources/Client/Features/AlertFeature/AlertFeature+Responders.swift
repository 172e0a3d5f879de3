import ComposableArchitecture
import Domain

extension AlertFeature.State {
    /// Sets the number and the names of the responders.
    mutating func setResponders(among contacts: IdentifiedArrayOf<ContactData>) {
        hasResponders = contacts.contains { $0.isWanted(.responder) }
        responderNames = contacts.filter(\.isResponder).map { ProfileRules.displayName($0.name) }
    }
}
