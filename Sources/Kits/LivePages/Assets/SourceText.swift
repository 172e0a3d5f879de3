enum SourceText {
    /// Removes comment lines, empty lines and indentation. Keeps all other line ends, because a
    /// line end may end a statement. A template literal must not span lines.
    static func compactScript(_ bytes: [UInt8]) -> [UInt8] {
        lines(of: bytes).filter { !$0.starts(with: "//".utf8) }.flatMap(\.self)
    }

    /// Removes comments, empty lines and indentation. The sheet must not contain `/*` in a string.
    static func compactStyle(_ bytes: [UInt8]) -> [UInt8] {
        var (kept, rest) = ([UInt8](), bytes[...])
        while let start = rest.firstRange(of: "/*".utf8) {
            kept += rest[..<start.lowerBound]
            rest = rest[start.upperBound...]
            rest = rest.firstRange(of: "*/".utf8).map { rest[$0.upperBound...] } ?? []
        }
        return lines(of: kept + rest).flatMap(\.self)
    }

    private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let text = line.drop { $0 == UInt8(ascii: " ") }
            return text.isEmpty ? nil : text + [UInt8(ascii: "\n")]
        }
    }
}
