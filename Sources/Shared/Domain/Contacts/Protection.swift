extension Protection {
    /// The protection of the person whose contacts these are.
    public init(of contacts: some Sequence<ContactData>) {
        self.init(
            hasAccepted: contacts.contains(where: \.isResponder),
            hasAsked: contacts.contains { $0.request(.responder)?.isMine == true })
    }

    /// The protection left without a contact; nil unless the contact is a responder.
    public static func without(
        _ contact: ContactData, among contacts: some Sequence<ContactData>
    ) -> Protection? {
        contact.isResponder ? Protection(of: contacts.filter { $0.id != contact.id }) : nil
    }
}
