import CPostgreSQL
import Domain
import Foundation

/// The parameters of one statement in PostgreSQL's binary format, in one buffer.
struct PostgreSQLParameters {
    private var bytes: [UInt8] = []
    /// The range of each value in `bytes`; nil for NULL.
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
            // PostgreSQL can't store NUL characters in text.
            bytes += text.utf8.lazy.filter { $0 != 0 }
        case (.blob(let data), TypeID.bytes): bytes += data
        case (.uuid(let uuid), TypeID.bytes): withUnsafeBytes(of: uuid.uuid) { bytes += $0 }
        case (.list(let values), let type):
            guard let element = TypeID.elements[type] else { throw Self.mismatch(value, type) }
            try append(
                PostgreSQLParameters(values, types: values.map { _ in element }), of: element)
        default: throw Self.mismatch(value, type)
        }
        places.append(start..<bytes.count)
    }

    /// Appends a one-dimensional array: the header, then the length and bytes of each value.
    private mutating func append(_ list: PostgreSQLParameters, of element: Oid) {
        func append(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
        append(list.places.isEmpty ? 0 : 1)
        append(list.places.contains(nil) ? 1 : 0)
        append(Int32(element))
        guard !list.places.isEmpty else { return }
        append(Int32(list.places.count))
        append(1)
        for place in list.places {
            append(place.map { Int32($0.count) } ?? -1)
            if let place { bytes += list.bytes[place] }
        }
    }

    /// Returns an error with the kind of the value, but without the value, which may be personal.
    private static func mismatch(_ value: SQLValue, _ type: Oid) -> DatabaseError {
        let kind =
            switch value {
            case .null: "null"
            case .integer: "integer"
            case .text: "text"
            case .blob: "blob"
            case .uuid: "uuid"
            case .list: "list"
            }
        return .failed("a value of kind \(kind) for a parameter of type \(type)")
    }

    /// Calls `body` with the arrays that libpq expects. They are valid only during the call.
    func withPointers<Result>(
        _ body: (
            _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
        ) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let start =
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self) ?? EmptyValue.pointer
            return body(
                places.map { $0.map { UnsafePointer(start + $0.lowerBound) } },
                places.map { Int32($0?.count ?? 0) },
                Array(repeating: 1, count: places.count))
        }
    }
}
