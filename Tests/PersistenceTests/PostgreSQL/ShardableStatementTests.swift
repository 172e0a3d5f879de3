import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

@Suite(
    "Statements only for PostgreSQL", .enabled(if: PostgreSQLDatabase.isAvailable),
    .timeLimit(.minutes(5)))
struct ShardableStatementTests {
    @Test("Event and batch statements can be sharded")
    func eventsAndRows() throws {
        let database = try PostgreSQLDatabase()
        try database.engine().close()
        let connection = try database.connection()
        try connection.begin(by: { noon })
        let transaction = Transaction(connection, now: noon)
        for user in [ada, ben] {
            try transaction.insertUser(user, phoneNumber: try number(of: user))
        }
        let event = try EncodedEvent(.profileChanged)
        let numbers = try connection.append([(ada, event), (ben, event), (ada, event)], at: noon)
        #expect(numbers == [1, 1, 2])
        try connection.pruneEvents([(ada, 2), (ben, 1)], until: noon)
        #expect(
            try connection.count("SELECT COUNT(*) FROM events WHERE user_id = $1", [.id(ada)]) == 1)
        try connection.deleteEvents(of: ada)
        let statements: [String] = try connection.values(
            "SELECT statement FROM pg_prepared_statements", [])
        #expect(statements.contains { $0.hasPrefix("DELETE FROM events") })
        for sql in statements where !sql.contains("pg_prepared_statements") {
            #expect(ShardingRules.violations(in: sql) == [], "\(sql)")
        }
        connection.rollBack()
    }
}
