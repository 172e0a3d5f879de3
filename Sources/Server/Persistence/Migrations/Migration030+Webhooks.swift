extension Migration {
    /// Templates of webhooks. An older server beside this one sends these webhooks signed JSON.
    static let webhookTemplates = Migration(
        version: 30,
        statements: [
            // NULL for signed JSON.
            "ALTER TABLE devices ADD COLUMN template TEXT",
            "ALTER TABLE devices ADD COLUMN chat TEXT",
            // The access token, sealed with the server's key.
            "ALTER TABLE devices ADD COLUMN token BYTEA",
        ],
        oldestProgram: 5)
}
