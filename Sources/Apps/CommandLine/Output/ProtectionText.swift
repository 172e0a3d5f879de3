import Domain

/// Warnings about missing protection: no responder, or none who has accepted.
enum ProtectionText {
    static func lines(_ protection: Protection?) -> [String] {
        switch protection {
        case .accepted, nil: []
        case .asked: ["No one has accepted yet."]
        case .nobody: ["Nobody is watching over you. Add someone: lifesignal qr show"]
        }
    }

    static func lines(_ audience: Audience?) -> [String] {
        switch audience {
        case .proven, nil: []
        case .unproven:
            [
                "No message to your responders was confirmed in the last 30 days."
            ]
        case .unreachable:
            ["Your responders can't be reached while LifeSignal is closed."]
        }
    }

    /// The warning after a contact was removed, blocked or demoted.
    /// - Parameter left: the protection without them; nil if they were no responder.
    static func loss(_ name: String, left: Protection?) -> [String] {
        switch left {
        case .accepted, nil: []
        case .asked:
            [
                """
                \(name) was the last responder who had accepted: the others are alerted by push \
                only.
                """
            ]
        case .nobody: ["\(name) was your last responder. No one will be alerted."]
        }
    }
}

extension Snapshot {
    /// nil before the contacts are known.
    var protection: Protection? {
        connectivity.lastSynced == nil ? nil : Protection(of: contacts)
    }

    /// nil before the contacts are known.
    var audience: Audience? {
        connectivity.lastSynced == nil ? nil : Audience(of: contacts)
    }

    /// The warning for when this contact stops being a responder.
    func loss(of contact: ContactData) -> [String] {
        ProtectionText.loss(Plain.name(contact.name), left: .without(contact, among: contacts))
    }

    /// Contacts who wait for the reader's answer.
    var requestsToAnswer: [(contact: ContactData, request: RoleRequest)] {
        contactsInOrder.flatMap { contact in
            contact.requests.filter { !$0.isMine }.map { (contact, $0) }
        }
    }
}
