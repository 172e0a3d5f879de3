import Foundation

/// The contents of a LifeSignal code, as JSON.
public struct QRCodeData: Codable, Equatable, Sendable {
    public let id: String
    public let userID: String
    public let timestamp: Date
    public let appVersion: String
    public let deviceModel: String

    public init(
        id: String, userID: String, timestamp: Date, appVersion: String, deviceModel: String
    ) {
        self.id = id
        self.userID = userID
        self.timestamp = timestamp
        self.appVersion = appVersion
        self.deviceModel = deviceModel
    }

    /// The text that goes into the picture.
    public func text() throws -> String {
        String(decoding: try WireJSON.encoder().encode(self), as: UTF8.self)
    }
}

/// Reads what a scanner or a person gives (product.md, "QR code").
public enum QRCodeRules {
    public static let notACode = CommandError.invalidArgument(
        field: "code", "This is not a LifeSignal code.")

    /// The id in a scanned text: the JSON of `QRCodeData`, a bare id with or without hyphens, or
    /// the share link of a server. Throws `invalidArgument` for anything else.
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
        guard let url = URL(string: text), ["https", "http"].contains(url.scheme?.lowercased()),
            url.pathComponents.count == 3,
            url.pathComponents[1] == "add", let id = bareID(url.pathComponents[2])
        else { throw notACode }
        return id
    }

    /// The link a person sends instead of showing the picture.
    public static func shareLink(for id: QRCodeID, server: URL) -> URL {
        server.appendingPathComponent("add").appendingPathComponent(id.description)
    }

    /// Hyphens may stand anywhere or nowhere: the app shows four groups of eight, a UUID has five
    /// of its own.
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
