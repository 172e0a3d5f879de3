extension Protection {
    /// Of the person whose contacts these are.
    public init(of contacts: some Sequence<ContactData>) {
        self.init(
            hasAccepted: contacts.contains(where: \.isResponder),
            hasAsked: contacts.contains { $0.request(.responder)?.isMine == true })
    }

    /// What is left without a contact who is a responder; nil for anybody else.
    public static func without(
        _ contact: ContactData, among contacts: some Sequence<ContactData>
    ) -> Protection? {
        contact.isResponder ? Protection(of: contacts.filter { $0.id != contact.id }) : nil
    }
}
