import Domain
import Foundation
import Testing

@testable import Persistence

/// Inspects a database with a role without special rights.
@Suite(
    "Inspection of PostgreSQL", .enabled(if: PostgreSQLDatabase.isAvailable),
    .timeLimit(.minutes(5)))
struct InspectionTests {
    let database: PostgreSQLDatabase
    let role: String

    init() throws {
        database = try PostgreSQLDatabase()
        role = "role_\(database.name)"
        try database.engine().close()
        try database.run(
            "CREATE ROLE \(role) LOGIN", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
    }

    private func dropRole() {
        try? database.run("DROP OWNED BY \(role)", "DROP ROLE \(role)")
    }

    @Test("Connections of other roles are counted as used")
    func connections() throws {
        defer { dropRole() }
        let held = try (0..<5).map { _ in try database.connection() }
        defer { withExtendedLifetime(held) {} }
        let most = try database.count(
            """
            SELECT current_setting('max_connections')::bigint
                - current_setting('superuser_reserved_connections')::bigint
            """)
        let found = try PostgreSQLInspection(database.address(user: role), now: { noon })
        // The inspection's own connection counts, too.
        #expect(found.freeConnections < most - held.count)
        #expect(found.freeConnections > 0)
    }

    @Test("A server's own connections are known, because its restart frees them")
    func ownConnections() throws {
        defer { dropRole() }
        let address = try database.address(user: role)
        let held = try (0..<3).map { _ in try PostgreSQLConnection(address, limits: .init()) }
        let others = try (0..<2).map { _ in try database.connection() }
        defer { withExtendedLifetime((held, others)) {} }
        let found = try PostgreSQLInspection(address, now: { noon })
        #expect(found.ownConnections == held.count + 1)
    }

    @Test("Only members of pg_monitor see replicas")
    func replicas() throws {
        defer { dropRole() }
        let address = try database.address(user: role)
        #expect(try !PostgreSQLConnection(address, limits: .init()).maySeeReplicas())
        // Without configured replicas, the answer is `none` for every role.
        #expect(try PostgreSQLInspection(address, now: { noon }).replicas == .none)
        try database.run("GRANT pg_monitor TO \(role)")
        #expect(try PostgreSQLConnection(address, limits: .init()).maySeeReplicas())
    }
}
