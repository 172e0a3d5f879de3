import Foundation
import TestDatabase
import Testing

@testable import Persistence

/// On PostgreSQL, the fifth migration drops keys instead of rebuilding tables.
@Suite(.enabled(if: TestDatabase.isPostgreSQL)) struct PostgreSQLMigrationTests {
    private let server = ProcessInfo.processInfo.environment["LIFESIGNAL_TEST_DATABASE"] ?? ""

    @Test func fifthMigrationLosesNoRowOnPostgreSQL() async throws {
        let name = "lifesignal_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        let administrator = try PostgreSQLAdministrator(PostgreSQLAddress("\(server)/postgres"))
        try administrator.run("CREATE DATABASE \(name)")
        defer { try? administrator.run("DROP DATABASE \(name) WITH (FORCE)") }
        let address = try PostgreSQLAddress("\(server)/\(name)")
        let old = try writeVersionFour(address)

        let engine = try PostgreSQLEngine(address, options: .init(), now: { noon })
        let new = try await engine.read { try rows($0) }
        var expected = old
        for table in ["contacts", "pings"] { expected[table, default: 0] *= 2 }
        expected["schema_versions", default: 0] += Migrator.newest - 4
        expected["event_numbers"] = 0
        let added = [
            "acquaintances": 7, "alert_ids": 1, "app_endpoints": 0, "drill_answers": 0, "drills": 0,
            "email_addresses": 0, "email_codes": 0, "invitation_messages": 0, "invitations": 0,
            "admin_acts": 0, "announcements": 0, "name_entries": 3, "number_moves": 0,
            "firestore_changes": 0, "journeys": 0, "invited_sign_ups": 0, "sign_up_tokens": 0,
            "phone_numbers": 3, "picture_ids": 3, "proofs": 0, "recovery_codes": 0,
            "passkeys": 0, "passkey_challenges": 0, "sign_in_locks": 0, "sign_in_waits": 0,
            "provider_ids": 1, "push_addresses": 0, "push_subscriptions": 0, "qr_code_ids": 3,
            "server_secrets": 0, "source_hashes": 0, "sources": 0, "spending": 0, "token_hashes": 7,
            "user_spending": 0, "lock_slots": 1025,
        ]
        #expect(new == expected.merging(added) { $1 })
        let hash = Data(repeating: 31, count: 32)
        #expect(try await engine.read { try $0.session(webSecretHash: hash) }?.caller.userID == ada)
        #expect(try await engine.read { try $0.contacts(of: ben) }.map(\.contact) == [cleo, ada])
        try engine.close()
    }

    private func writeVersionFour(_ address: PostgreSQLAddress) throws -> [String: Int] {
        let connection = try PostgreSQLConnection(address, limits: .init())
        connection.startReading(by: { noon })
        try connection.execute(
            "CREATE TABLE lock_slots (slot BIGINT NOT NULL PRIMARY KEY)", [])
        try connection.execute(
            "INSERT INTO lock_slots (slot) VALUES ($1)", [.int(Subjects.migrationSlot)])
        try VersionFour.write(to: connection, .postgreSQL)
        return try rows(connection)
    }

    private func rows(_ connection: any SQLConnection) throws -> [String: Int] {
        let tables: [String] = try connection.values(
            """
            SELECT table_name::text FROM information_schema.tables
            WHERE table_schema = current_schema()
            """, [])
        return try tables.reduce(into: [:]) { rows, table in
            rows[table] = try connection.count("SELECT COUNT(*) FROM \(table)", [])
        }
    }
}
