import CPostgreSQL
import Domain
import Foundation

/// The rows of a result in PostgreSQL's binary format, read one at a time.
final class PostgreSQLRows: SQLRowValues {
    private let result: OpaquePointer
    private let columns: [String: Int]
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
