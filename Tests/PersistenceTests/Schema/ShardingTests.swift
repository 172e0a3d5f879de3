import Foundation
import Persistence
import TestDatabase
import Testing

/// The schema can be sharded by person (Docs/scale.md, "Ready to shard"). The tests read the schema
/// from the database that they run on.
@Suite struct ShardingTests {
    private struct Key: Sendable {
        var table: String
        var columns: Set<String>
    }

    private struct Reference: Sendable {
        var table: String
        var column: String
        var parent: String
        var target: String
    }

    @Test func everyTableHasKnownShardingKind() async throws {
        let tables = Set(try await tables())
        let named = Set(ShardingRules.personColumns.keys).union(ShardingRules.valueColumns.keys)
            .union(ShardingRules.serverWide)
        #expect(tables.subtracting(named) == [])
        let ofPostgreSQL: Set = ["event_numbers", "lock_slots"]
        #expect(named.subtracting(tables) == (TestDatabase.isPostgreSQL ? [] : ofPostgreSQL))
    }

    @Test func uniqueKeysContainPersonOrValue() async throws {
        let keys = try await uniqueKeys()
        let distributed = ShardingRules.personColumns.merging(ShardingRules.valueColumns) { $1 }
        for key in keys {
            guard let column = distributed[key.table] else { continue }
            #expect(key.columns.contains(column), "\(key)")
        }
        let tables = Set(try await tables())
        #expect(Set(keys.map(\.table)).isSuperset(of: tables.intersection(distributed.keys)))
    }

    @Test func foreignKeysStayWithinOnePerson() async throws {
        let references = try await references()
        #expect(!references.isEmpty)
        let persons = ShardingRules.personColumns
        for (tables, columns) in Dictionary(
            grouping: references, by: { "\($0.table) \($0.parent)" })
        {
            #expect(
                columns.contains {
                    $0.column == persons[$0.table] && $0.target == persons[$0.parent]
                }, "\(tables): \(columns)")
        }
    }

    // MARK: The schema

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let engine = try TestDatabase.make(now: { noon })
        let value = try await engine.read(body)
        try engine.close()
        return value
    }

    private func tables() async throws -> [String] {
        try await read {
            try $0.values(
                TestDatabase.isPostgreSQL
                    ? """
                    SELECT table_name::text FROM information_schema.tables
                    WHERE table_schema = current_schema()
                    """ : "SELECT name FROM sqlite_master WHERE type = 'table'", [])
        }
    }

    private func uniqueKeys() async throws -> [Key] {
        let rows = try await read {
            try $0.query(
                TestDatabase.isPostgreSQL
                    ? """
                    SELECT t.relname::text AS "table", i.indexrelid::bigint::text AS name,
                        a.attname::text AS "column"
                    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
                    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)
                    WHERE i.indisunique AND t.relnamespace = current_schema()::regnamespace
                    """
                    : """
                    SELECT m.name AS "table", l.name, c.name AS "column" FROM sqlite_master m,
                        pragma_index_list(m.name) l, pragma_index_info(l.name) c
                    WHERE m.type = 'table' AND l."unique" = 1
                    """, []
            ) {
                (
                    table: try $0["table"] as String, name: try $0["name"] as String,
                    column: try $0["column"] as String
                )
            }
        }
        return Dictionary(grouping: rows, by: \.name).values.map {
            Key(table: $0[0].table, columns: Set($0.map(\.column)))
        }
    }

    private func references() async throws -> [Reference] {
        try await read {
            try $0.query(
                TestDatabase.isPostgreSQL
                    ? """
                    SELECT c.conrelid::regclass::text AS "table", a.attname::text AS "column",
                        c.confrelid::regclass::text AS parent, b.attname::text AS target
                    FROM pg_constraint c
                    CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS k (source, target)
                    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.source
                    JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.target
                    WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace
                    """
                    : """
                    SELECT m.name AS "table", k."from" AS "column", k."table" AS parent,
                        k."to" AS target
                    FROM sqlite_master m, pragma_foreign_key_list(m.name) k
                    WHERE m.type = 'table'
                    """, []
            ) {
                Reference(
                    table: try $0["table"], column: try $0["column"], parent: try $0["parent"],
                    target: try $0["target"])
            }
        }
    }
}

@Suite struct ShardingRulesTests {
    @Test(arguments: [
        "SELECT name FROM users WHERE id = $1",
        "SELECT u.name FROM users u JOIN schedules s ON s.user_id = u.id WHERE u.id IN ($1, $2)",
        "INSERT INTO pings (user_id, id) VALUES ($1, $2), ($3, $2)",
        "UPDATE alerts SET ended_at = $1 WHERE user_id = $2 AND id = $3",
        "DELETE FROM token_hashes WHERE hash IN ($1, $2)",
        "SELECT value FROM server_state",
        "SAVEPOINT isolated",
        """
        UPDATE devices SET url = keys.url
        FROM unnest($1::bytea[], $2::text[]) AS keys (user_id, url)
        WHERE devices.user_id = keys.user_id
        """,
    ])
    func statementWithShardKeyIsAccepted(sql: String) {
        #expect(ShardingRules.violations(in: sql) == [])
    }

    @Test(arguments: [
        "SELECT user_id FROM qr_codes WHERE id = $1",
        "SELECT u.name FROM users u JOIN contacts c ON c.contact_id = u.id WHERE c.user_id = $1",
        "INSERT INTO pings (responder_id, id) VALUES ($1, $2)",
        "INSERT INTO check_ins VALUES ($1, $2)",
        "DELETE FROM deliveries WHERE alert_user_id = $1",
        "UPDATE web_sessions SET session_id = $1 WHERE user_id = $2",
        "SELECT 1 FROM a_table_of_tomorrow WHERE user_id = $1",
        "DELETE FROM devices USING unnest($1::bytea[]) AS keys (id) WHERE devices.id = keys.id",
    ])
    func statementWithoutShardKeyIsRejected(sql: String) {
        #expect(!ShardingRules.violations(in: sql).isEmpty)
    }

    @Test(arguments: [
        "UPDATE deliveries SET state = CASE state WHEN $1 THEN $2 END WHERE user_id = $3",
        """
        DELETE FROM events e USING unnest($1::bytea[], $2::bigint[]) AS grown (user_id, number)
        WHERE e.user_id = grown.user_id AND e.sequence <= (SELECT MAX(old.sequence)
            FROM events old WHERE old.user_id = grown.user_id AND old.sequence < (grown.number))
        """,
    ])
    func unshardableExpressionsAreRejected(sql: String) {
        #expect(ShardingRules.violations(in: sql).count == 1)
    }

    @Test(arguments: [
        "UPDATE deliveries SET state = CASE WHEN state = $1 THEN $2 END WHERE user_id = $3",
        """
        UPDATE deliveries SET state = $1 FROM unnest($2::bytea[]) WITH ORDINALITY
        AS keys (user_id, number) WHERE deliveries.user_id = keys.user_id
            AND EXISTS (SELECT 1 FROM sessions WHERE sessions.user_id = deliveries.user_id)
        """,
    ])
    func shardableExpressionsAreAccepted(sql: String) {
        #expect(ShardingRules.violations(in: sql) == [])
    }
}
