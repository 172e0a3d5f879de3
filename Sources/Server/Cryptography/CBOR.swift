import Foundation

/// A value of CBOR (RFC 8949), as far as WebAuthn uses it.
public enum CBOR: Equatable, Sendable {
    /// `unsigned` and `negative` together: −2⁶³ to 2⁶³ − 1.
    case integer(Int64)
    case bytes(Data)
    case text(String)
    case array([CBOR])
    case map([Entry])
    case boolean(Bool)
    case null

    public struct Entry: Equatable, Sendable {
        public var key: CBOR
        public var value: CBOR
    }

    /// The most levels of arrays and maps.
    private static let depth = 4
    /// The most entries of a map. Each key is compared with those before it, so that a larger map
    /// would keep a core busy.
    private static let mostEntries = 32

    /// Reads one value. Returns nil for an incomplete value, bytes after it, and everything that
    /// WebAuthn doesn't need: indefinite lengths, tags, floating-point numbers, double keys.
    public init?(_ bytes: Data) {
        guard let (value, rest) = Self.read(bytes), rest.isEmpty else { return nil }
        self = value
    }

    /// Reads the first value. Returns it with the bytes after it.
    public static func read(_ bytes: Data) -> (value: CBOR, rest: Data)? {
        var reader = Reader(bytes: [UInt8](bytes))
        guard let value = reader.readValue(depth: depth) else { return nil }
        return (value, Data(reader.bytes[reader.position...]))
    }

    public subscript(_ key: CBOR) -> CBOR? {
        guard case .map(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }

    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    public var bytes: Data? { if case .bytes(let value) = self { value } else { nil } }
    public var text: String? { if case .text(let value) = self { value } else { nil } }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func readValue(depth: Int) -> CBOR? {
            guard let head = next(1)?.first else { return nil }
            let (major, minor) = (head >> 5, head & 0x1F)
            if major == 7 {
                switch minor {
                case 20: return .boolean(false)
                case 21: return .boolean(true)
                case 22: return .null
                default: return nil
                }
            }
            guard let number = argument(minor) else { return nil }
            switch major {
            case 0: return .integer(number)
            case 1: return .integer(-1 - number)
            case 2: return next(number).map { .bytes(Data($0)) }
            case 3:
                guard let bytes = next(number) else { return nil }
                return String(validating: bytes, as: UTF8.self).map { .text($0) }
            case 4: return array(of: number, depth: depth - 1)
            case 5: return map(of: number, depth: depth - 1)
            default: return nil
            }
        }

        private mutating func array(of count: Int64, depth: Int) -> CBOR? {
            // Each value has at least one byte.
            guard depth >= 0, count <= Int64(bytes.count - position) else { return nil }
            var values: [CBOR] = []
            for _ in 0..<count {
                guard let value = readValue(depth: depth) else { return nil }
                values.append(value)
            }
            return .array(values)
        }

        private mutating func map(of count: Int64, depth: Int) -> CBOR? {
            guard depth >= 0, count <= CBOR.mostEntries else { return nil }
            var entries: [Entry] = []
            for _ in 0..<count {
                guard let key = readValue(depth: depth), let value = readValue(depth: depth),
                    !entries.contains(where: { $0.key == key })
                else { return nil }
                entries.append(Entry(key: key, value: value))
            }
            return .map(entries)
        }

        /// Returns the length or number of a head; nil for an indefinite length and above 2⁶³ − 1.
        private mutating func argument(_ minor: UInt8) -> Int64? {
            switch minor {
            case 0..<24: return Int64(minor)
            case 24...27:
                guard let bytes = next(1 << Int64(minor - 24)) else { return nil }
                return Int64(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            default: return nil
            }
        }

        private mutating func next(_ count: Int64) -> ArraySlice<UInt8>? {
            guard count <= Int64(bytes.count - position) else { return nil }
            let start = position
            position += Int(count)
            return bytes[start..<position]
        }
    }
}
