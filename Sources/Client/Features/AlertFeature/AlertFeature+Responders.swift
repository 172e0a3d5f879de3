import ComposableArchitecture
import Domain

extension AlertFeature.State {
    /// Whether there is anybody to be told, and how they are called.
    mutating func setResponders(among contacts: IdentifiedArrayOf<ContactData>) {
        hasResponders = contacts.contains { $0.isWanted(.responder) }
        responderNames = contacts.filter(\.isResponder).map { ProfileRules.displayName($0.name) }
    }
}
