extension Migration {
    /// When the last attempt of a delivery began. NULL in rows from before this migration, which
    /// count from their creation. An older server beside this one doesn't write it.
    static let sentMessages = Migration(
        version: 36,
        statements: ["ALTER TABLE deliveries ADD COLUMN sent_at BIGINT"],
        oldestProgram: 32)
}
