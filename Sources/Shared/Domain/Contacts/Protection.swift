extension Protection {
    /// The protection of the person with these contacts.
    public init(of contacts: some Sequence<ContactData>) {
        self.init(
            hasAccepted: contacts.contains(where: \.isResponder),
            hasAsked: contacts.contains { $0.request(.responder)?.isMine == true })
    }

    /// Returns the protection that is left after the removal of a contact; nil if the contact isn't
    /// a responder.
    public static func without(
        _ contact: ContactData, among contacts: some Sequence<ContactData>
    ) -> Protection? {
        contact.isResponder ? Protection(of: contacts.filter { $0.id != contact.id }) : nil
    }
}
