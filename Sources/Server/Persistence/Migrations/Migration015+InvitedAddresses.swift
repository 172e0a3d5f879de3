extension Migration {
    /// Responders without the app who are told by e-mail. They have no number: `users.phone_number`
    /// holds `PhoneNumber.noNumber` and 12 digits, which earlier programs take for a number that no
    /// telephone has. `invitations.phone_number` holds a number or an address.
    static let invitedAddresses = Migration(
        version: 15,
        statements: [
            "CREATE INDEX email_addresses_by_address ON email_addresses (lower(address))"
        ],
        oldestProgram: 5)
}
