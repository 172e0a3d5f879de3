import Foundation
import Persistence

extension TestDatabase {
    /// Returns the columns that contain the text, as `table.column`.
    public static func columns(
        holding text: String, in engine: any DatabaseEngine
    ) async throws -> [String] {
        try await engine.read { connection in
            let columns = try connection.query(
                isPostgreSQL ? columnsOfPostgreSQL : columnsOfSQLite, []
            ) { (try $0["table"] as String, try $0["column"] as String, try $0["type"] as String) }
            return try columns.compactMap { table, column, type in
                let bytes =
                    switch type {
                    case "bytea": column
                    case "text" where isPostgreSQL: "convert_to(\(column), 'UTF8')"
                    case _ where isPostgreSQL: "convert_to(\(column)::text, 'UTF8')"
                    default: "CAST(\(column) AS BLOB)"
                    }
                let place = isPostgreSQL ? "position($1::bytea IN \(bytes))" : "instr(\(bytes), $1)"
                let count = try connection.count(
                    "SELECT COUNT(*) FROM \(table) WHERE \(place) > 0", [.blob(Data(text.utf8))])
                return count > 0 ? "\(table).\(column)" : nil
            }
        }
    }

    private static let columnsOfSQLite = """
        SELECT m.name AS "table", c.name AS "column", '' AS type
        FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
        """
    private static let columnsOfPostgreSQL = """
        SELECT table_name::text AS "table", column_name::text AS "column", data_type::text AS type
        FROM information_schema.columns WHERE table_schema = current_schema()
        """
}
