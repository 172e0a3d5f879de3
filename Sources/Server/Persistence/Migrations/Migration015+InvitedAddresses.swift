extension Migration {
    /// Responders without the app who are alerted by e-mail. They have no phone number:
    /// `users.phone_number` holds `PhoneNumber.noNumber` and 12 digits, which older servers treat
    /// as a number that can't exist. `invitations.phone_number` holds a number or an address.
    static let invitedAddresses = Migration(
        version: 15,
        statements: [
            "CREATE INDEX email_addresses_by_address ON email_addresses (lower(address))"
        ],
        oldestProgram: 5)
}
