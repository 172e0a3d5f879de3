import Foundation
import Persistence

extension TestDatabase {
    /// Makes every statement of this kind on these rows fail, as for damaged rows.
    /// - Parameters:
    ///   - operation: `INSERT`, `UPDATE` or `DELETE`.
    ///   - condition: an SQL condition on `OLD` and `NEW`.
    public static func refuse(
        _ operation: String, of table: String, when condition: String? = nil,
        in engine: any DatabaseEngine
    ) async throws {
        let rest = condition.map { "WHEN (\($0))" } ?? ""
        try await engine.write(about: .none) { transaction in
            guard isPostgreSQL else {
                try transaction.execute(
                    """
                    CREATE TRIGGER broken BEFORE \(operation) ON \(table) \(rest)
                    BEGIN SELECT RAISE(ABORT, 'broken'); END
                    """, [])
                return
            }
            try transaction.execute(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE check_violation USING MESSAGE = 'broken'; END $$
                """, [])
            try transaction.execute(
                """
                CREATE TRIGGER broken BEFORE \(operation) ON \(table) FOR EACH ROW \(rest)
                EXECUTE FUNCTION refuse()
                """, [])
        }
    }

    /// Undoes `refuse`.
    public static func allowAgain(in table: String, in engine: any DatabaseEngine) async throws {
        let place = isPostgreSQL ? " ON \(table)" : ""
        _ = try await engine.write(about: .none) { transaction in
            try transaction.execute("DROP TRIGGER broken\(place)", [])
        }
    }

    /// Returns an id as an SQL literal, for `refuse`.
    public static func literal(_ id: UUID) -> String {
        let digits = id.uuidString.replacing("-", with: "")
        return isPostgreSQL ? "'\\x\(digits)'::bytea" : "x'\(digits)'"
    }

    /// Returns this many zero bytes as an SQL literal.
    public static func zeroes(_ count: Int) -> String {
        isPostgreSQL ? "decode(repeat('00', \(count)), 'hex')" : "zeroblob(\(count))"
    }
}
