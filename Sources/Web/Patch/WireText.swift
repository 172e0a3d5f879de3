/// The few forms of JSON that go to the page, written without detours.
enum WireText {
    /// `{"g":3,"n":1,"c":[…]}`: the generation, the last event that is in it, the changes; then what else has changed.
    static func patch(_ changes: [Change], generation: Int, lastEvent: Int, outline: Outline?) -> String {
        var text = "{\"g\":\(generation),\"n\":\(lastEvent)"
        if let outline { append(outline, to: &text) }
        text += ",\"c\":["
        for (index, change) in changes.enumerated() {
            if index > 0 { text += "," }
            append(change, to: &text)
        }
        return text + "]}"
    }

    /// `{"g":3,"n":0,"view":"…","html":"…"}`: the whole page.
    static func page(_ html: String, view: String, generation: Int, lastEvent: Int, outline: Outline) -> String {
        var text = "{\"g\":\(generation),\"n\":\(lastEvent),\"view\":"
        append(view, to: &text)
        append(outline, to: &text)
        text += ",\"html\":"
        append(html, to: &text)
        return text + "}"
    }

    private static func append(_ outline: Outline, to text: inout String) {
        text += ",\"path\":"
        append(outline.path, to: &text)
        text += ",\"title\":"
        append(outline.title, to: &text)
        text += ",\"user\":"
        append(outline.user, to: &text)
    }

    private static func append(_ change: Change, to text: inout String) {
        switch change {
        case .replace(let id, let chunks):
            text += "[\"r\",\"\(id)\""
            for chunk in chunks {
                text += ","
                append(chunk, to: &text)
            }
            text += "]"
        case .list(let id, let removed, let placed):
            text += "[\"l\",\"\(id)\",[" + removed.map { "\"\($0)\"" }.joined(separator: ",") + "]"
            for place in placed {
                text += ",["
                append(place.part, to: &text)
                if let before = place.before { text += ",\"\(before)\"" }
                text += "]"
            }
            text += "]"
        }
    }

    /// A string is markup, a list of one name is what is there already.
    private static func append(_ chunk: Change.Chunk, to text: inout String) {
        switch chunk {
        case .markup(let markup): append(markup, to: &text)
        case .kept(let id): text += "[\"\(id)\"]"
        }
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

/// What belongs to a page besides its parts.
public struct Outline: Sendable, Equatable {
    /// Its address, which back and forward lead to.
    public var path: String
    public var title: String
    /// Tells people apart for what is kept in the browser without a line; empty when nobody is signed in.
    public var user: String

    public init(path: String, title: String, user: String = "") {
        self.path = path
        self.title = title
        self.user = user
    }
}
