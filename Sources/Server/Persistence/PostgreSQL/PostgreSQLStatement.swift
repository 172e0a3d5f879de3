import CPostgreSQL
import Foundation

/// A prepared statement of one connection: the types that the server gave its parameters, and the
/// places of its columns.
struct PostgreSQLStatement {
    /// PostgreSQL's ids of types (`pg_type.oid`), which never change.
    enum TypeID {
        static let bool: Oid = 16
        static let bytes: Oid = 17
        static let int8: Oid = 20
        static let int2: Oid = 21
        static let int4: Oid = 23
        static let text: Oid = 25
        static let varchar: Oid = 1043
        static let name: Oid = 19
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

    static func columns(of result: OpaquePointer) -> [String: Int] {
        var columns: [String: Int] = [:]
        for index in 0..<PQnfields(result) {
            if let name = PQfname(result, index) { columns[String(cString: name)] = Int(index) }
        }
        return columns
    }
}

/// The values of one execution in PostgreSQL's binary format, in one piece of memory.
struct PostgreSQLParameters {
    private var bytes: [UInt8] = []
    /// nil for NULL.
    private var places: [Range<Int>?] = []

    init(_ values: [SQLValue], types: [Oid]) throws(DatabaseError) {
        guard values.count == types.count else {
            throw .failed("\(types.count) values expected, \(values.count) given")
        }
        for (value, type) in zip(values, types) { try append(value, as: type) }
    }

    private mutating func append(_ value: SQLValue, as type: Oid) throws(DatabaseError) {
        typealias TypeID = PostgreSQLStatement.TypeID
        let start = bytes.count
        switch (value, type) {
        case (.null, _):
            places.append(nil)
            return
        case (.integer(let number), TypeID.int8):
            withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        case (.integer(let number), TypeID.int4):
            guard let number = Int32(exactly: number) else { throw Self.mismatch(value, type) }
            withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        case (.integer(let number), TypeID.int2):
            guard let number = Int16(exactly: number) else { throw Self.mismatch(value, type) }
            withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        case (.integer(let number), TypeID.bool): bytes.append(number == 0 ? 0 : 1)
        case (.text(let text), TypeID.text), (.text(let text), TypeID.varchar),
            (.text(let text), TypeID.name):
            // PostgreSQL keeps no NUL in a text.
            bytes += text.utf8.lazy.filter { $0 != 0 }
        case (.blob(let data), TypeID.bytes): bytes += data
        case (.uuid(let uuid), TypeID.bytes): withUnsafeBytes(of: uuid.uuid) { bytes += $0 }
        default: throw Self.mismatch(value, type)
        }
        places.append(start..<bytes.count)
    }

    /// Names the kind of the value, never the value.
    private static func mismatch(_ value: SQLValue, _ type: Oid) -> DatabaseError {
        let kind =
            switch value {
            case .null: "null"
            case .integer: "integer"
            case .text: "text"
            case .blob: "blob"
            case .uuid: "uuid"
            }
        return .failed("a value of kind \(kind) for a parameter of type \(type)")
    }

    /// Calls `body` with the arrays that libpq wants; they are valid during the call only.
    func withPointers<Result>(
        _ body: (
            _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
        ) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.empty
            return body(
                places.map { $0.map { UnsafePointer(start + $0.lowerBound) } },
                places.map { Int32($0?.count ?? 0) },
                Array(repeating: 1, count: places.count))
        }
    }

    // An immutable, never freed C string: an empty array has no address, and libpq reads none as
    // NULL.
    private nonisolated(unsafe) static let empty: UnsafePointer<CChar> = UnsafePointer(strdup(""))
}

/// The rows of a result in PostgreSQL's binary format, one at a time.
final class PostgreSQLRows: SQLRowValues {
    private let result: OpaquePointer
    private let columns: [String: Int]
    /// The present row.
    var row: Int32 = 0

    init(_ result: OpaquePointer, columns: [String: Int]) {
        self.result = result
        self.columns = columns
    }

    func index(of column: String) throws -> Int {
        guard let index = columns[column] else {
            throw DatabaseError.unreadable("there is no column \(column)")
        }
        return index
    }

    func isNull(at index: Int) -> Bool { PQgetisnull(result, row, Int32(index)) == 1 }

    func integer(at index: Int) throws -> Int64 {
        typealias TypeID = PostgreSQLStatement.TypeID
        let bytes = bytes(at: index)
        switch PQftype(result, Int32(index)) {
        case TypeID.int8 where bytes.count == 8:
            return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case TypeID.int4 where bytes.count == 4:
            return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case TypeID.int2 where bytes.count == 2:
            return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case TypeID.bool where bytes.count == 1: return bytes[0] == 0 ? 0 : 1
        default: throw unreadable(at: index, as: "an integer")
        }
    }

    func text(at index: Int) throws -> String {
        typealias TypeID = PostgreSQLStatement.TypeID
        switch PQftype(result, Int32(index)) {
        case TypeID.text, TypeID.varchar, TypeID.name:
            guard !isNull(at: index) else { throw unreadable(at: index, as: "a text") }
            return String(decoding: bytes(at: index), as: UTF8.self)
        default: throw unreadable(at: index, as: "a text")
        }
    }

    func blob(at index: Int) throws -> Data {
        guard PQftype(result, Int32(index)) == PostgreSQLStatement.TypeID.bytes,
            !isNull(at: index)
        else { throw unreadable(at: index, as: "bytes") }
        return Data(bytes(at: index))
    }

    func uuid(at index: Int) throws -> UUID {
        let bytes = bytes(at: index)
        guard bytes.count == 16, PQftype(result, Int32(index)) == PostgreSQLStatement.TypeID.bytes
        else { throw unreadable(at: index, as: "an id") }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    private func bytes(at index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, Int32(index)),
            count: Int(PQgetlength(result, row, Int32(index))))
    }

    private func unreadable(at index: Int, as kind: String) -> DatabaseError {
        let name = PQfname(result, Int32(index)).map { String(cString: $0) } ?? "\(index)"
        return .unreadable("the column \(name) does not hold \(kind)")
    }
}
