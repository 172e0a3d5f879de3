import Foundation
import Testing

@testable import Mail

@Suite struct MailMessageTests {
    private func message(
        subject: String = "Hi", text: String = "Text", name: String = "LifeSignal"
    ) -> MailMessage {
        var message = MailMessage(
            sender: (name, "alerts@example.org"), recipient: "ana@example.org", subject: subject,
            text: text, html: "<p>\(text)</p>")
        message.id = "1@example.org"
        message.date = Date(timeIntervalSince1970: 1_772_366_405)
        return message
    }

    private func lines(_ message: MailMessage) -> [String] {
        String(decoding: message.bytes, as: UTF8.self).components(separatedBy: "\r\n")
    }

    private func headers(_ message: MailMessage) -> [String] {
        Array(lines(message).prefix { !$0.isEmpty })
    }

    @Test func theHeaderIsTheStandards() {
        #expect(
            headers(message()) == [
                "From: LifeSignal <alerts@example.org>", "To: <ana@example.org>", "Subject: Hi",
                "Date: Sun, 1 Mar 2026 12:00:05 +0000", "Message-ID: <1@example.org>",
                "MIME-Version: 1.0", "Content-Type: multipart/alternative; boundary=\"=_part\"",
            ])
    }

    @Test(arguments: [
        "Ana\r\nBcc: all@example.org", "Ana\nBcc: all@example.org", "Ana\rBcc: all@example.org",
        "Ana\u{2028}Bcc: all@example.org", "Ana\u{85}Bcc: x", "Ana\0", "\r\n\r\nHello",
    ])
    func noTextEndsItsHeader(text: String) {
        var message = message(subject: text, name: text)
        message.recipient = "ana@example.org\r\nBcc: all@example.org"
        message.headers = [("X-Text", text)]
        let names = headers(message).compactMap { line -> String? in
            line.hasPrefix(" ") ? nil : line.split(separator: ":").first.map(String.init)
        }
        #expect(
            names == [
                "From", "To", "Subject", "Date", "Message-ID", "X-Text", "MIME-Version",
                "Content-Type",
            ])
    }

    @Test func otherLettersTravelInEncodedWords() throws {
        let subject = String(repeating: "Zoë 👩‍👩‍👧 braucht Hilfe ", count: 6)
        let words = headers(message(subject: subject)).drop { !$0.hasPrefix("Subject") }
            .prefix { $0.hasPrefix("Subject") || $0.hasPrefix(" ") }
            .map { $0.replacing("Subject: ", with: "").trimmingCharacters(in: .whitespaces) }
        #expect(words.count > 1 && words.allSatisfy { $0.utf8.count <= 75 })
        let parts = try words.map { word -> String in
            let base64 = String(word.dropFirst("=?utf-8?B?".count).dropLast(2))
            // Each encoded word must be valid text on its own.
            return try #require(
                Data(base64Encoded: base64).flatMap { String(data: $0, encoding: .utf8) })
        }
        #expect(parts.joined() == subject)
    }

    @Test func whatLooksLikeAnEncodedWordIsEncoded() {
        #expect(EncodedWords.text("=?utf-8?B?QQ==?=", after: 0) != "=?utf-8?B?QQ==?=")
        #expect(EncodedWords.phrase("A <b@c.de>, \"d\"").hasPrefix("=?utf-8?B?"))
    }

    @Test func linesAreShortAndPlain() {
        let text = String(repeating: "ä=. ", count: 60) + "\n.\nend \n"
        for line in lines(message(text: text)) {
            #expect(line.utf8.count <= 76 && line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        }
        #expect(QuotedPrintable.lines("a b \r\nc\rd") == ["a b=20", "c", "d"])
        #expect(QuotedPrintable.lines("=") == ["=3D"])
        // The boundary can't occur in an encoded part.
        #expect(QuotedPrintable.lines("--=_part--") == ["--=3D_part--"])
    }

    @Test(arguments: [
        ("smtp://mail.example.org", MailServer.Security.startTLS, 587),
        ("smtp://mail.example.org:25", .startTLS, 25), ("smtps://mail.example.org", .tls, 465),
        ("smtp://localhost:1025", .loopbackOnly, 1_025), ("smtp://127.0.0.1", .loopbackOnly, 587),
        ("smtps://127.0.0.1:465", .tls, 465),
    ])
    func theAddressSaysHowTheConnectionIsProtected(
        url: String, security: MailServer.Security, port: Int
    ) throws {
        let server = try MailServer(url: url)
        #expect(server.security == security && server.port == port)
    }

    @Test func aPasswordAsksForTLSEvenOnThisMachine() throws {
        let login = MailServer.Login(user: "ana", password: "hush")
        #expect(try MailServer(url: "smtp://127.0.0.1:25", login: login).security == .startTLS)
    }

    @Test(arguments: ["mail.example.org", "http://mail.example.org", "smtp://", "smtp://a/b", ""])
    func whatIsNoServerIsRefused(url: String) {
        #expect(throws: MailServerError.notAnAddress) { try MailServer(url: url) }
    }

    @Test func noPasswordStandsInTheAddress() {
        #expect(throws: MailServerError.passwordInAddress) {
            try MailServer(url: "smtp://ana:hush@mail.example.org")
        }
    }

    @Test func nobodyAtTheAddressIsNoSurprise() async throws {
        let client = MailClient(try MailServer(url: "smtp://127.0.0.1:1"), timeout: .seconds(5))
        await #expect(throws: MailError.connectionRefused) { try await client.send(message()) }
    }
}
