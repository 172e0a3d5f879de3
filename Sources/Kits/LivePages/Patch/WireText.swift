/// The few forms of JSON that go to the page, written without detours.
enum WireText {
    /// `{"g":3,"n":1,"c":[["part","markup"],…]}`: the generation, the last event that is in it, the
    /// changes; then what else has changed.
    static func patch(
        _ changes: [Change], generation: Int, lastEvent: Int, outline: Outline?, view: String? = nil
    ) -> String {
        var text = "{\"g\":\(generation),\"n\":\(lastEvent)"
        if let view {
            text += ",\"view\":"
            append(view, to: &text)
        }
        if let outline { append(outline, to: &text) }
        text += ",\"c\":["
        for (index, change) in changes.enumerated() {
            text += "\(index > 0 ? "," : "")[\"\(change.part)\","
            append(change.chunks.map(markup).joined(), to: &text)
            text += "]"
        }
        return text + "]}"
    }

    /// A kept part is named by a template, which may stand anywhere in markup.
    private static func markup(_ chunk: Change.Chunk) -> String {
        switch chunk {
        case .markup(let markup): markup
        case .kept(let id): "<template id=\(id)></template>"
        }
    }

    private static func append(_ outline: Outline, to text: inout String) {
        text += ",\"path\":"
        append(outline.path, to: &text)
        text += ",\"title\":"
        append(outline.title, to: &text)
        text += ",\"user\":"
        append(outline.user, to: &text)
    }

    static func append(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x2028 || scalar.value == 0x2029:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// The values of a page besides its parts.
public struct Outline: Sendable, Equatable {
    /// Its address, which back and forward lead to.
    public var path: String
    public var title: String
    /// Tells people apart for what is kept in the browser without a line; empty when nobody is
    /// signed in.
    public var user: String

    public init(path: String, title: String, user: String = "") {
        self.path = path
        self.title = title
        self.user = user
    }
}
