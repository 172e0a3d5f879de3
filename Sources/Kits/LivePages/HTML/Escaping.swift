/// Text that stays text wherever in a page it stands.
enum Escaping {
    /// Appends `text` with the five characters replaced that mean something in markup; `\0`, which
    /// no parser takes, becomes U+FFFD.
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
        // A carriage return would come back from the parser as a line feed.
        case UInt8(ascii: "\r"): "&#13;"
        default: nil
        }
    }
}

extension [UInt8] {
    /// Appends the UTF-8 of a text.
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }
}
