import Foundation

/// Checks JSON strictly (RFC 8259) before Foundation parses it. Foundation accepts a trailing
/// comma, encodings other than UTF-8, and duplicate fields, of which it keeps one. The server would
/// have to guess what the client meant.
struct JSONSyntax {
    enum Fault: Error, Equatable {
        case malformed
        /// Nested deeper than any payload.
        case tooDeep
        case duplicate(field: String)
    }

    private static let depth = 32

    private let bytes: [UInt8]
    private var index = 0
    /// The numbers in the outermost object by field name, as written.
    private var numbers: [String: String] = [:]

    /// Checks a whole document. Returns the numbers in its outermost object by field name, as
    /// written.
    static func check(_ bytes: Data) throws(Fault) -> [String: String] {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformed }
        var syntax = JSONSyntax(bytes: [UInt8](bytes))
        try syntax.value(depth: 0)
        syntax.skipSpace()
        guard syntax.index == syntax.bytes.count else { throw .malformed }
        return syntax.numbers
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            index += 1
        }
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(Fault) {
        guard depth <= Self.depth else { throw .tooDeep }
        skipSpace()
        switch next.map(Unicode.Scalar.init) {
        case "{": try object(depth: depth)
        case "[": try array(depth: depth)
        case "\"": try string()
        case "t": try word("true")
        case "f": try word("false")
        case "n": try word("null")
        default: try number()
        }
    }

    private mutating func object(depth: Int) throws(Fault) {
        index += 1
        skipSpace()
        if consume("}") { return }
        var names: Set<String> = []
        repeat {
            skipSpace()
            let name = try name()
            guard names.insert(name).inserted else { throw .duplicate(field: name) }
            skipSpace()
            guard consume(":") else { throw .malformed }
            skipSpace()
            let start = index
            try value(depth: depth + 1)
            if depth == 0, let first = text(from: start).first, first == "-" || first.isNumber {
                numbers[name] = text(from: start)
            }
            skipSpace()
        } while consume(",")
        guard consume("}") else { throw .malformed }
    }

    private mutating func array(depth: Int) throws(Fault) {
        index += 1
        skipSpace()
        if consume("]") { return }
        repeat {
            try value(depth: depth + 1)
            skipSpace()
        } while consume(",")
        guard consume("]") else { throw .malformed }
    }

    private mutating func string() throws(Fault) {
        guard consume("\"") else { throw .malformed }
        while !consume("\"") {
            guard let byte = next, byte >= 0x20 else { throw .malformed }
            index += byte == UInt8(ascii: "\\") ? 2 : 1
        }
    }

    /// Returns the string with its escapes decoded, because two spellings of a name are one name.
    private mutating func name() throws(Fault) -> String {
        let start = index
        try string()
        let written = text(from: start)
        guard written.utf8.contains(UInt8(ascii: "\\")) else {
            return String(written.dropFirst().dropLast())
        }
        guard let read = try? JSONDecoder().decode(String.self, from: Data(written.utf8)) else {
            throw .malformed
        }
        return read
    }

    private mutating func word(_ word: String) throws(Fault) {
        guard bytes[index...].starts(with: word.utf8) else { throw .malformed }
        index += word.utf8.count
    }

    private mutating func number() throws(Fault) {
        _ = consume("-")
        if !consume("0") { try digits() }
        if consume(".") { try digits() }
        if consume("e") || consume("E") {
            if !consume("+") { _ = consume("-") }
            try digits()
        }
    }

    private mutating func digits() throws(Fault) {
        let start = index
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw .malformed }
    }

    private func text(from start: Int) -> String {
        String(decoding: bytes[start..<index], as: UTF8.self)
    }
}
