extension Migration {
    /// Guests who are alerted by e-mail. Without a phone number, `users.phone_number` holds
    /// `PhoneNumber.noNumber` and 12 digits, an impossible number. `invitations.phone_number` holds
    /// a phone number or an e-mail address.
    static let invitedAddresses = Migration(
        version: 15,
        statements: [
            "CREATE INDEX email_addresses_by_address ON email_addresses (lower(address))"
        ],
        oldestProgram: 5)
}
