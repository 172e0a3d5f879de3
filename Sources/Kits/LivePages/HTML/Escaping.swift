/// Text that stays text wherever in a page it stands.
enum Escaping {
    /// Appends `text` with the five characters replaced that mean something in markup; `\0`, which
    /// no parser takes, becomes U+FFFD.
    static func append(_ text: String, to output: inout String) {
        var isPlain = true
        for byte in text.utf8 where Self.isSpecial(byte) {
            isPlain = false
            break
        }
        if isPlain {
            output += text
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "'": output += "&#39;"
            case "\0": output += "\u{FFFD}"
            // A carriage return would come back from the parser as a line feed.
            case "\r": output += "&#13;"
            default: output.unicodeScalars.append(scalar)
            }
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: "'"), UInt8(ascii: "\r"), 0:
            true
        default: false
        }
    }
}
