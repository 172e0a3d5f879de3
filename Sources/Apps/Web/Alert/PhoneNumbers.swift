import Domain
import Features
import LivePages

extension MainTabFeature {
    /// A hidden list of names, numbers and dependents' states. The script copies the list for
    /// offline use. Responders come first, the emergency number last.
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
                    known(
                        contact, state.troubleWords(for: contact), state.helperWords(for: contact))
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

private func known(
    _ contact: ContactData, _ trouble: String, _ helper: String?
) -> HTML<MainTabFeature.Action> {
    guard let watch = contact.watch else { return .empty }
    return div(.class("known")) {
        p(.class("row")) {
            strong { contact.displayName }
            statusPill(of: watch)
        }
        if contact.needsHelp {
            p { [trouble, helper].compactMap(\.self).joined(separator: ". ") }
        }
        if let journey = watch.journey {
            p {
                "\(JourneyWords.onAJourney): \(JourneyWords.watched(journey)) "
                moment(journey.expectedReturn, .absolute)
            }
        }
        if let next = watch.nextCheckInTime {
            p {
                "Next check-in: "
                moment(next, .deadline)
            }
        }
        if let last = watch.lastCheckInTime {
            p {
                "Last check-in: "
                when(last)
            }
        }
    }
}
