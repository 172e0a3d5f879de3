enum Escaping {
    /// Appends `text`, and escapes the characters that have a meaning in markup. Replaces `\0`,
    /// which parsers reject, by U+FFFD.
    static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            for index in bytes.indices {
                guard let replacement = replacement(for: bytes[index]) else { continue }
                output.append(contentsOf: bytes[start..<index])
                output.append(replacement)
                start = index + 1
            }
            output.append(contentsOf: bytes[start...])
        }
    }

    static func escaped(_ text: String) -> String {
        var output: [UInt8] = []
        append(text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private static func replacement(for byte: UInt8) -> StaticString? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        case 0: "\u{FFFD}"
        // A parser would turn an unescaped carriage return into a line feed.
        case UInt8(ascii: "\r"): "&#13;"
        default: nil
        }
    }
}

extension [UInt8] {
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }
}
