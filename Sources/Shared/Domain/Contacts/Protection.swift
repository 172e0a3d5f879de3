extension Protection {
    public init(of contacts: some Sequence<ContactData>) {
        self.init(
            hasAccepted: contacts.contains(where: \.isResponder),
            hasAsked: contacts.contains { $0.request(.responder)?.isMine == true })
    }

    /// Returns the protection after the removal of a responder; nil if the contact isn't one.
    public static func without(
        _ contact: ContactData, among contacts: some Sequence<ContactData>
    ) -> Protection? {
        contact.isResponder ? Protection(of: contacts.filter { $0.id != contact.id }) : nil
    }
}
