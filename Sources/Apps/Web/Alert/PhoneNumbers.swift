import Domain
import Features
import LivePages

extension MainTabFeature {
    /// Never shown: the script keeps a copy of the names and numbers for when there is no
    /// connection. Responders come first, and the emergency number last.
    static func phoneNumbers(_ state: State) -> HTML<Action> {
        guard state.home.alert.hasResponders != nil else { return .empty }
        let contacts = state.responders.contacts.contacts.filter { $0.phoneNumber != nil }
        let inOrder = contacts.filter(\.isResponder) + contacts.filter { !$0.isResponder }
        return ul(.id("phone-numbers"), .hidden) {
            for contact in inOrder {
                li {
                    a(.href(.telephone(contact.phoneNumber?.text ?? ""))) {
                        ProfileRules.displayName(contact.name)
                    }
                }
                .key("\(contact.id)")
            }
            if let number = state.home.emergencyNumber {
                li {
                    a(.href(.telephone(number.text))) { "emergency services" }
                }
                .key("emergency")
            }
        }
        .key("phone-numbers")
    }
}
