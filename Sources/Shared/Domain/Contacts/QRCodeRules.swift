import Foundation

/// Parses scanned or typed codes (product.md, "QR code").
public enum QRCodeRules {
    public static let notACode = CommandError.invalidArgument(
        field: "code", RefusalWords.notACode.message)

    /// Returns the id in a scanned or typed text: the JSON of `QRCodeData`, a bare id, or a share
    /// link of any host. Throws `invalidArgument` for anything else.
    public static func id(in text: String) throws(CommandError) -> QRCodeID {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count <= 4_096 else { throw notACode }
        if let id = bareID(text) { return id }
        if text.hasPrefix("{") {
            guard let data = try? WireJSON.decoder().decode(QRCodeData.self, from: Data(text.utf8)),
                let id = bareID(data.id)
            else {
                throw notACode
            }
            return id
        }
        // "https://localhost@evil.example" looks like a link of another host.
        guard let url = URL(string: text), url.user == nil, url.password == nil,
            let name = PathPrefix.name(in: folder, of: url),
            let id = bareID(name)
        else { throw notACode }
        return id
    }

    /// Returns the link that a person can send instead of the picture.
    public static func shareLink(for id: QRCodeID, server: URL) -> URL {
        server.appendingPathComponent(folder).appendingPathComponent(id.description)
    }

    private static let folder = "add"

    /// Parses 32 hexadecimal digits and ignores hyphens. The app shows four groups of eight; a UUID
    /// has five groups.
    private static func bareID(_ text: String) -> QRCodeID? {
        let digits = text.filter { $0 != "-" }
        guard digits.utf8.count == 32,
            digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
        else { return nil }
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        let characters = Array(digits)
        return QRCodeID(groups.map { String(characters[$0]) }.joined(separator: "-"))
    }
}
