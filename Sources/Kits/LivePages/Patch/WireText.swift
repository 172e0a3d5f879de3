/// Writes JSON for pages directly as bytes.
enum WireText {
    /// Returns `{"g":3,"n":1,"c":[["part","markup"],…]}`: the generation, the number of the last
    /// processed event, and the changes. Adds the view's id and the outline if they are given.
    static func patch(
        _ changes: [Change], generation: Int, lastEvent: Int, outline: Outline?, view: String? = nil
    ) -> String {
        var text: [UInt8] = []
        text.append("{\"g\":\(generation),\"n\":\(lastEvent)")
        if let view {
            text.append(",\"view\":")
            append(view, to: &text)
        }
        if let outline { append(outline, to: &text) }
        text.append(",\"c\":[")
        for (index, change) in changes.enumerated() {
            text.append("\(index > 0 ? "," : "")[\"\(change.part)\",\"")
            for chunk in change.chunks { append(chunk, to: &text) }
            text.append("\"]")
        }
        text.append("]}")
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends a chunk. Writes a kept part as a `template` element with the part's name, because
    /// markup may contain `template` anywhere.
    private static func append(_ chunk: Change.Chunk, to text: inout [UInt8]) {
        switch chunk {
        case .markup(let markup): appendEscaped(markup, to: &text)
        case .kept(let id): appendEscaped("<template id=\(id)></template>", to: &text)
        }
    }

    private static func append(_ outline: Outline, to text: inout [UInt8]) {
        text.append(",\"path\":")
        append(outline.path, to: &text)
        text.append(",\"title\":")
        append(outline.title, to: &text)
        text.append(",\"user\":")
        append(outline.user, to: &text)
    }

    static func append(_ string: String, to text: inout [UInt8]) {
        text.append("\"")
        appendEscaped(string, to: &text)
        text.append("\"")
    }

    private static func appendEscaped(_ string: String, to text: inout [UInt8]) {
        var string = string
        string.withUTF8 { bytes in
            var (start, index) = (0, 0)
            while index < bytes.count {
                let (count, escape) = escape(at: index, in: bytes)
                if let escape {
                    text.append(contentsOf: bytes[start..<index])
                    text.append(escape)
                    start = index + count
                }
                index += count
            }
            text.append(contentsOf: bytes[start...])
        }
    }

    /// Returns the length of a character in bytes, and its escaped form if it needs one. U+2028 and
    /// U+2029 are E2 80 A8 and E2 80 A9 in UTF-8.
    private static func escape(at index: Int, in bytes: UnsafeBufferPointer<UInt8>) -> (
        count: Int, text: String?
    ) {
        switch bytes[index] {
        case UInt8(ascii: "\""): return (1, "\\\"")
        case UInt8(ascii: "\\"): return (1, "\\\\")
        case UInt8(ascii: "\n"): return (1, "\\n")
        case let byte where byte < 0x20:
            return (1, (byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16))
        case 0xE2 where index + 2 < bytes.count && bytes[index + 1] == 0x80:
            switch bytes[index + 2] {
            case 0xA8: return (3, "\\u2028")
            case 0xA9: return (3, "\\u2029")
            default: return (1, nil)
            }
        default: return (1, nil)
        }
    }
}

public struct Outline: Sendable, Equatable {
    /// The page's path in the browser's history.
    public var path: String
    public var title: String
    /// Separates users in the browser's offline storage. Empty while signed out.
    public var user: String

    public init(path: String, title: String, user: String = "") {
        self.path = path
        self.title = title
        self.user = user
    }
}
