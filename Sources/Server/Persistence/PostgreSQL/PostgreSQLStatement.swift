import CPostgreSQL
import Foundation

/// A prepared statement of one connection, with its parameter types as inferred by the server.
struct PostgreSQLStatement {
    /// PostgreSQL's type ids (`pg_type.oid`), which never change.
    enum TypeID {
        static let bool: Oid = 16
        static let bytes: Oid = 17
        static let int8: Oid = 20
        static let int2: Oid = 21
        static let int4: Oid = 23
        static let text: Oid = 25
        static let varchar: Oid = 1043
        static let name: Oid = 19

        /// The element type of each array type.
        static let elements: [Oid: Oid] = [
            1000: bool, 1001: bytes, 1016: int8, 1005: int2, 1007: int4, 1009: text, 1015: varchar,
        ]
    }

    let name: String
    let parameters: [Oid]
    let columns: [String: Int]

    /// - Parameter description: the result of `PQsendDescribePrepared`.
    init(name: String, description: OpaquePointer) {
        self.name = name
        parameters = (0..<PQnparams(description)).map { PQparamtype(description, $0) }
        columns = Self.columns(of: description)
    }

    static func name(of type: Oid) -> String {
        switch type {
        case TypeID.bool: "boolean"
        case TypeID.bytes: "bytea"
        case TypeID.int8: "bigint"
        case TypeID.int2: "smallint"
        case TypeID.int4: "integer"
        default: "text"
        }
    }

    static func columns(of result: OpaquePointer) -> [String: Int] {
        var columns: [String: Int] = [:]
        for index in 0..<PQnfields(result) {
            if let name = PQfname(result, index) { columns[String(cString: name)] = Int(index) }
        }
        return columns
    }
}
