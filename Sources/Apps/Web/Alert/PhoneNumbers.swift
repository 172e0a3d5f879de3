import ComposableArchitecture
import Domain
import Features
import LivePages

extension MainTabFeature {
    /// A hidden list of names, numbers and dependents' states, with the user's own state in its
    /// attributes. The script copies the list for offline use. Responders come first, in the order
    /// of calls, the emergency number last.
    static func phoneNumbers(_ state: State) -> HTML<Action> {
        guard state.home.alert.hasResponders != nil else { return .empty }
        let contacts = state.responders.contacts.contacts.filter { $0.phoneNumber != nil }
        let responders = contacts.filter(\.isResponder).sorted { $0.isCalledBefore($1) }
        let inOrder = responders + contacts.filter { !$0.isResponder }
        let list: HTML<Action> = ul(.id("phone-numbers"), .hidden) {
            for contact in inOrder {
                part(
                    "\(contact.id)",
                    of: ListedNumber(
                        contacts: state.responders.contacts.contacts, id: contact.id,
                        trouble: troubleWords(contact, state)),
                    content: line)
            }
            if let number = state.home.emergencyNumber {
                li {
                    a(.href(.telephone(number.text))) { "emergency services" }
                }
                .key("emergency")
            }
        }
        .key("phone-numbers")
        return ownState(state.home).reduce(list) { $0.attribute($1) }
    }

    /// The user's own open alerts and running journey, for the offline page. `data-alone`
    /// marks a user without responders for the question before a call for help.
    private static func ownState(_ home: HomeFeature.State) -> [Attribute] {
        var attributes: [Attribute] = []
        let (alert, journey) = (home.alert, home.journey)
        if alert.hasResponders == false { attributes.append(.data("alone")) }
        if alert.isAlertActive, alert.alertEndTime == nil, let id = alert.alertID {
            attributes.append(.data("own-alert", "\(id)"))
            if let start = alert.alertStartTime {
                attributes.append(.data("own-since", Timestamp.text(start)))
            }
            if let words = alert.currentAlert.flatMap(helperWords) {
                attributes.append(.data("own-helper", words))
            }
        }
        if let missed = alert.missedCheckIn {
            attributes.append(.data("own-missed", AlertFeature.missedCheckInTitle))
            attributes.append(.data("own-missed-since", Timestamp.text(missed.shownStart)))
            if let words = helperWords(missed) {
                attributes.append(.data("own-missed-helper", words))
            }
        }
        if let late = alert.overdueJourney {
            attributes.append(.data("own-late", JourneyWords.notBack(from: late.journey)))
            attributes.append(.data("own-late-since", Timestamp.text(late.startTime)))
            if let words = helperWords(late) {
                attributes.append(.data("own-late-helper", words))
            }
        }
        if let running = journey.journey, journey.waiting != .arrival {
            attributes.append(.data("own-journey", "\(running.id)"))
            attributes.append(.data("own-name", running.name))
            attributes.append(.data("own-back", Timestamp.text(running.expectedReturn)))
        }
        return attributes
    }

    private static func helperWords(_ alert: AlertRecord) -> String? {
        alert.acknowledgement.map { "\(ProfileRules.displayName($0.name)) is on it" }
    }

    private static func troubleWords(_ contact: ContactData, _ state: State) -> String? {
        guard contact.needsHelp else { return nil }
        return [state.troubleWords(for: contact), state.helperWords(for: contact)]
            .compactMap(\.self).joined(separator: ". ")
    }

    private static func line(_ listed: ListedNumber) -> HTML<Action> {
        guard let contact = listed.contact else { return .empty }
        return li {
            a(.href(.telephone(contact.phoneNumber?.text ?? ""))) {
                ProfileRules.displayName(contact.name)
            }
            known(contact, listed.trouble)
        }
    }
}

/// A contact in the list of contacts, whose memory the state already holds.
private struct ListedNumber: Equatable {
    var contacts: IdentifiedArrayOf<ContactData>
    var id: UserID
    /// nil unless the contact needs help.
    var trouble: String?

    var contact: ContactData? { contacts[id: id] }

    static func == (first: Self, second: Self) -> Bool {
        first.id == second.id && first.trouble == second.trouble
            && first.contact == second.contact
    }
}

private func known(_ contact: ContactData, _ trouble: String?) -> HTML<MainTabFeature.Action> {
    guard let watch = contact.watch else { return .empty }
    return div(.class("known")) {
        p(.class("row")) {
            strong { contact.displayName }
            statusPill(of: watch)
        }
        if let trouble { p { trouble } }
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
