import Foundation
import Testing

@testable import Domain

@Suite struct QRCodeTests {
    private static let text = "0f8fad5b-d9cb-469f-a165-70867728950e"
    private static let hex = "0f8fad5bd9cb469fa16570867728950e"

    /// Returns the JSON of a QR code. `id` and `timestamp` are JSON values.
    private static func code(id: String, timestamp: String) -> String {
        #"{"appVersion":"1","deviceModel":"x","id":\#(id),"timestamp":\#(timestamp),"userID":"u"}"#
    }

    @Test(
        """
        the id can be written with its hyphens, in four groups of eight, without any, in either \
        case
        """,
        arguments: [
            text, text.uppercased(), hex, hex.uppercased(), "0f8fad5b-d9cb469f-a1657086-7728950e",
            "0F8FAD5B-d9cb469f-A1657086-7728950e",
            "0f8fad5b-d9cb-469f-a165-7086-7728-950e", " \(text)\n", "\u{A0}\(hex)\t", "-\(hex)-",
        ])
    func bareID(text: String) throws {
        #expect(try QRCodeRules.id(in: text).description == Self.text)
    }

    @Test func pictureContainsQRCodeDataJSON() throws {
        let data = QRCodeData(
            id: Self.text, userID: ada.description, timestamp: noon, appVersion: "1.0",
            deviceModel: "\"Pi\" / 5")
        let text = try data.text()
        #expect(
            text
                == #"{"appVersion":"1.0","deviceModel":"\"Pi\" / 5","id":"\#(Self.text)","#
                + #""timestamp":"2026-03-01T12:00:00.000Z","#
                + #""userID":"\#(ada)"}"#)
        #expect(try QRCodeRules.id(in: text).description == Self.text)
        #expect(try QRCodeRules.id(in: "\n\(text) ").description == Self.text)
        #expect(try WireJSON.decoder().decode(QRCodeData.self, from: Data(text.utf8)) == data)
    }

    @Test func shareLinkRoundTrips() throws {
        let server = try #require(URL(string: "https://lifesignal.example:8443"))
        let id = try #require(QRCodeID(Self.text))
        let link = QRCodeRules.shareLink(for: id, server: server)
        #expect(link.absoluteString == "https://lifesignal.example:8443/add/\(Self.text)")
        #expect(try QRCodeRules.id(in: link.absoluteString) == id)
    }

    @Test(
        arguments: [
            "https://example.org/add/\(hex)", "https://example.org/add/\(text.uppercased())",
            "http://localhost:8080/add/\(text)",
            "HTTPS://example.org/add/\(text)", "https://example.org/add/\(text)/",
            "https://example.org/add/\(text)?from=sms#top",
            "https://[::1]:8080/add/\(text)", "https://example.org/lifesignal/add/\(text)",
        ])
    func aLinkIsReadHoweverItWasSent(link: String) throws {
        #expect(try QRCodeRules.id(in: link).description == Self.text)
    }

    @Test(
        "another text is not a LifeSignal code",
        arguments: [
            "", " ", "hello", String(hex.dropLast()), hex + "0", "g" + hex.dropFirst(),
            hex.replacing("0", with: "\u{FF10}"),
            hex.replacing("5", with: "\u{665}"), text.replacing("-", with: "\u{2013}"),
            text.replacing("-", with: " "), "urn:uuid:\(text)",
            "{\(text)}", "0x\(hex.dropFirst(2))", "\(text)\0", "\(text),\(text)",
        ])
    func otherText(text: String) {
        #expect(refusal { try QRCodeRules.id(in: text) } == QRCodeRules.notACode)
    }

    @Test(
        "another link is not a LifeSignal code",
        arguments: [
            "https://example.org/\(text)", "https://example.org/remove/\(text)",
            "https://example.org/add/\(text)/more",
            "https://example.org/x/y/\(text)", "https://example.org/add",
            "https://example.org/v1/add/\(text)",
            "https://example.org/add/me", "https://example.org/?add=\(text)",
            "ftp://example.org/add/\(text)", "javascript:/add/\(text)", "/add/\(text)",
            "example.org/add/\(text)",
            "https://localhost@example.org/add/\(text)", "https://a:b@example.org/add/\(text)",
            "https://example.org/add/\(text) ?", "WIFI:S:add/\(text);;",
        ])
    func otherLink(text: String) {
        #expect(refusal { try QRCodeRules.id(in: text) } == QRCodeRules.notACode)
    }

    @Test(
        "other JSON is not a LifeSignal code",
        arguments: [
            "{}", "{", "[]", "null", #"{"id":"\#(text)"}"#, #"["\#(text)"]"#, #""\#(text)""#,
            code(id: #""me""#, timestamp: #""2026-03-01T12:00:00.000Z""#),
            code(id: #""\#(text)""#, timestamp: #""2026-02-30T12:00:00.000Z""#),
            code(id: #""\#(text)""#, timestamp: "1772366400"),
            code(id: "7", timestamp: #""2026-03-01T12:00:00.000Z""#),
        ])
    func otherJSON(text: String) {
        #expect(refusal { try QRCodeRules.id(in: text) } == QRCodeRules.notACode)
    }

    @Test func overlongTextIsRejectedUnparsed() throws {
        func code(paddedTo length: Int) throws -> String {
            let data = QRCodeData(
                id: Self.text, userID: "u", timestamp: noon, appVersion: "", deviceModel: "")
            let missing = length - (try data.text()).utf8.count
            let padded = QRCodeData(
                id: data.id, userID: data.userID, timestamp: noon, appVersion: "",
                deviceModel: String(repeating: "x", count: missing))
            return try padded.text()
        }
        #expect(try QRCodeRules.id(in: code(paddedTo: 4_096)).description == Self.text)
        #expect(refusal { try QRCodeRules.id(in: code(paddedTo: 4_097)) } == QRCodeRules.notACode)
        #expect(
            refusal { try QRCodeRules.id(in: String(repeating: "0", count: 1_000_000)) }
                == QRCodeRules.notACode)
        #expect(
            refusal { try QRCodeRules.id(in: String(repeating: "[", count: 4_000)) }
                == QRCodeRules.notACode)
    }

    @Test func invalidCodeErrorSaysSo() {
        #expect(UserFacingError(QRCodeRules.notACode).message == "This is not a LifeSignal code.")
    }
}
