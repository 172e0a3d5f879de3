/// Escapes text for HTML and XML.
public enum Markup {
    /// Appends `text`, and escapes the characters that have a meaning in markup. Replaces `\0`,
    /// which parsers reject, by U+FFFD.
    public static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            for index in bytes.indices {
                guard let replacement = replacement(for: bytes[index]) else { continue }
                output.append(contentsOf: bytes[start..<index])
                replacement.withUTF8Buffer { output.append(contentsOf: $0) }
                start = index + 1
            }
            output.append(contentsOf: bytes[start...])
        }
    }

    /// Returns `text` escaped for an element or a quoted attribute.
    public static func escaped(_ text: String) -> String {
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
