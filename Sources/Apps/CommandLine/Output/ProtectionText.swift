import Domain

enum ProtectionText {
    static func lines(_ protection: Protection?) -> [String] {
        switch protection {
        case .accepted, nil: []
        case .asked: ["No one has accepted yet."]
        case .nobody: ["No one is watching over you. Add someone: lifesignal qr show"]
        }
    }

    static func lines(_ audience: Audience?) -> [String] {
        switch audience {
        case .proven, nil: []
        case .partly(let names):
            names.map { "No message reaches \(Plain.name($0))." }
        case .unproven:
            [
                "No message to your responders was confirmed in the last 30 days."
            ]
        case .unreachable:
            ["No message reaches your responders."]
        }
    }

    /// Returns why the user's alert reaches none of their responders; nil if one may get it.
    static func silence(of alert: AlertRecord, in snapshot: Snapshot) -> String? {
        if snapshot.protection == .nobody { return "you have no responders" }
        return snapshot.audience?.isUnreachable == true || alert.isUnheard == true
            ? "no message reaches your responders" : nil
    }

    /// The warning after the user removes or blocks a responder, or ends their role.
    /// - Parameters:
    ///   - left: the remaining protection; nil if the contact was not a responder.
    ///   - isWaiting: true if the change waits to be sent. The contact is alerted until then.
    static func loss(_ name: String, left: Protection?, isWaiting: Bool = false) -> [String] {
        switch left {
        case .accepted, nil: []
        case .asked where isWaiting:
            [
                """
                \(name) is the last responder who has accepted. Once this is sent, the others are \
                alerted by push only.
                """
            ]
        case .nobody where isWaiting:
            ["\(name) is your last responder. Once this is sent, no one will be alerted."]
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
    /// The protection; nil before the contacts are known.
    var protection: Protection? {
        connectivity.lastSynced == nil ? nil : Protection(of: contacts)
    }

    /// The audience; nil before the contacts are known.
    var audience: Audience? {
        connectivity.lastSynced == nil ? nil : Audience(of: contacts)
    }

    /// Returns the warning to show if this contact stops being a responder.
    /// - Parameter isWaiting: true if the change waits to be sent.
    func loss(of contact: ContactData, isWaiting: Bool = false) -> [String] {
        ProtectionText.loss(
            Plain.name(contact.name), left: .without(contact, among: contacts),
            isWaiting: isWaiting)
    }

    var requestsToAnswer: [(contact: ContactData, request: RoleRequest)] {
        contactsInOrder.flatMap { contact in
            contact.requests.filter { !$0.isMine }.map { (contact, $0) }
        }
    }
}
