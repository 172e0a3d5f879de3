/// Source text of scripts and style sheets, as browsers get it: without what only people read.
enum SourceText {
    /// Leaves out lines that are comments, empty lines, and indentation. A comment behind code
    /// stays, and so does each end of a line: no statement changes. A template literal must not
    /// span lines.
    static func compactScript(_ bytes: [UInt8]) -> [UInt8] {
        lines(of: bytes).filter { !$0.starts(with: "//".utf8) }.flatMap(\.self)
    }

    /// Leaves out comments, empty lines, and indentation. No string of the sheet may contain the
    /// beginning of a comment.
    static func compactStyle(_ bytes: [UInt8]) -> [UInt8] {
        var (kept, rest) = ([UInt8](), bytes[...])
        while let start = rest.firstRange(of: "/*".utf8) {
            kept += rest[..<start.lowerBound]
            rest = rest[start.upperBound...]
            rest = rest.firstRange(of: "*/".utf8).map { rest[$0.upperBound...] } ?? []
        }
        return lines(of: kept + rest).flatMap(\.self)
    }

    /// Non-empty lines, each with its line end.
    private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let text = line.drop { $0 == UInt8(ascii: " ") }
            return text.isEmpty ? nil : text + [UInt8(ascii: "\n")]
        }
    }
}
