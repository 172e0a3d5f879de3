import Foundation

/// One message to one recipient, in plain text and HTML.
public struct MailMessage: Sendable {
    /// The display name of the sender; may be empty.
    public var senderName: String
    /// An ASCII address. The caller must reject spaces, angle brackets and control characters.
    public var sender: String
    public var recipient: String
    public var subject: String
    public var text: String
    public var html: String
    /// The globally unique Message-ID, without angle brackets.
    public var id: String
    public var date: Date
    /// Additional headers, with ASCII values.
    public var headers: [(name: String, value: String)]

    public init(
        sender: (name: String, address: String), recipient: String, subject: String,
        text: String, html: String
    ) {
        senderName = sender.name
        self.sender = sender.address
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.html = html
        id = ""
        date = Date(timeIntervalSince1970: 0)
        headers = []
    }

    /// The message in wire format (RFC 5322, RFC 2045), with CR LF line endings.
    public var bytes: Data {
        // The parts can't contain the boundary, because they encode every "=" as "=3D".
        let boundary = "=_part"
        var lines = headerLines.map { "\($0.name): \($0.value)" }
        lines += ["MIME-Version: 1.0"]
        lines += ["Content-Type: multipart/alternative; boundary=\"\(boundary)\"", ""]
        for (type, content) in [("plain", text), ("html", html)] {
            lines += [
                "--\(boundary)", "Content-Type: text/\(type); charset=utf-8",
                "Content-Transfer-Encoding: quoted-printable", "",
            ]
            lines += QuotedPrintable.lines(content)
        }
        lines += ["--\(boundary)--", ""]
        return Data(lines.joined(separator: "\r\n").utf8)
    }

    private var headerLines: [(name: String, value: String)] {
        let from =
            senderName.isEmpty
            ? "<\(safe(sender))>" : "\(EncodedWords.phrase(senderName)) <\(safe(sender))>"
        return [
            ("From", from), ("To", "<\(safe(recipient))>"),
            ("Subject", EncodedWords.text(subject, after: "Subject: ".count)),
            ("Date", MailDate.text(date)), ("Message-ID", "<\(safe(id))>"),
        ] + headers.map { (safe($0.name), safe($0.value)) }
    }

    /// Removes all characters that could end the header or begin another one.
    private func safe(_ value: String) -> String {
        String(String.UnicodeScalarView(value.unicodeScalars.filter { (0x20...0x7E) ~= $0.value }))
    }
}

/// Encodes header text with non-ASCII characters (RFC 2047).
enum EncodedWords {
    /// The number of bytes in one encoded word. A word may have at most 75 characters, including
    /// `=?utf-8?B?` and `?=`.
    private static let bytesInWord = 45
    private static let lineLength = 76

    /// Encodes free text. Control characters become spaces.
    /// - Parameter start: the number of characters before the value on its line.
    static func text(_ value: String, after start: Int) -> String {
        let value = cleaned(value)
        let isPlain =
            value.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !value.contains("=?")
            && value.utf8.count + start <= lineLength
        return isPlain ? value : encoded(value)
    }

    /// Encodes the display name of an address.
    static func phrase(_ name: String) -> String {
        let name = cleaned(name)
        let isPlain = name.utf8.allSatisfy {
            switch $0 {
            case 0x20, 48...57, 65...90, 97...122: true
            default: false
            }
        }
        return isPlain ? name : encoded(name)
    }

    private static func cleaned(_ value: String) -> String {
        String(
            String.UnicodeScalarView(
                value.unicodeScalars.map {
                    switch $0.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: " "
                    default: $0
                    }
                }))
    }

    /// Encodes text as several words. Never splits a scalar, so each word is valid UTF-8.
    private static func encoded(_ value: String) -> String {
        var words: [Data] = [Data()]
        for scalar in value.unicodeScalars {
            let bytes = Data(String(scalar).utf8)
            let last = words.index(before: words.endIndex)
            if words[last].count + bytes.count > bytesInWord {
                words.append(bytes)
            } else {
                words[last] += bytes
            }
        }
        return words.map { "=?utf-8?B?\($0.base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}

/// Encodes text as quoted-printable (RFC 2045, 6.7).
enum QuotedPrintable {
    private static let lineLength = 75

    /// Returns lines of at most 76 characters.
    static func lines(_ text: String) -> [String] {
        let unified = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        return unified.split(separator: "\n", omittingEmptySubsequences: false).flatMap(encode)
    }

    private static func encode(_ line: Substring) -> [String] {
        var (lines, current) = ([String](), "")
        let bytes = Array(line.utf8)
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            let isSpace = byte == 0x20 || byte == 0x09
            let isPlain = (0x21...0x7E).contains(byte) && byte != 0x3D || isSpace && !isLast
            let code =
                isPlain
                ? String(UnicodeScalar(byte))
                : "=" + (byte < 16 ? "0" : "")
                    + String(byte, radix: 16, uppercase: true)
            if current.utf8.count + code.utf8.count > lineLength {
                lines.append(current + "=")
                current = ""
            }
            current += code
        }
        return lines + [current]
    }
}

/// Formats a message's date (RFC 5322) in UTC and English, independently of the locale.
enum MailDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
        func two(_ number: Int?) -> String { String(100 + (number ?? 0)).suffix(2).description }
        let time = [parts.hour, parts.minute, parts.second].map(two).joined(separator: ":")
        return """
            \(days[(parts.weekday ?? 1) - 1]), \(parts.day ?? 1) \
            \(months[(parts.month ?? 1) - 1]) \(parts.year ?? 1970) \(time) +0000
            """
    }
}
