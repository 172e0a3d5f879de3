import Foundation
import TCPListener
import Testing

@testable import Mail

/// The limit is shorter than the two minutes that libcurl waits for the reply to QUIT by default.
@Suite(.timeLimit(.minutes(1))) struct SlowMailServerTests {
    private func send(to server: MailListener, timeout: Duration) async throws {
        var message = MailMessage(
            sender: ("LifeSignal", "alerts@example.org"), recipient: "ana@example.org",
            subject: "Hi", text: "Text", html: "<p>Text</p>")
        message.id = "1@example.org"
        message.date = Date(timeIntervalSince1970: 1_772_366_405)
        let client = MailClient(
            try MailServer(url: "smtp://127.0.0.1:\(server.port)"), timeout: timeout)
        try await client.send(message)
    }

    @Test func silenceAfterTheMessageEndsTheTry() async throws {
        let server = try await MailListener(silentAfter: [".", "QUIT"])
        await #expect(throws: MailError.unconfirmed) {
            try await send(to: server, timeout: .seconds(7))
        }
        try await server.close()
    }

    @Test func lateGreetingIsAwaited() async throws {
        let server = try await MailListener(greetingAfter: 6)
        try await send(to: server, timeout: .seconds(20))
        try await server.close()
    }

    private func check(_ port: Int, timeout: Duration) async throws {
        let server = try MailServer(url: "smtp://127.0.0.1:\(port)")
        try await MailClient(server, timeout: timeout).check(as: "alerts@example.org")
    }

    @Test func checkEndsBeforeTheMessage() async throws {
        let server = try await MailListener(silentAfter: ["DATA", "."])
        try await check(server.port, timeout: .seconds(7))
        try await server.close()
        await #expect(throws: MailError.connectionRefused) {
            try await check(server.port, timeout: .seconds(7))
        }
    }

    @Test func checkNeedsAGreeting() async throws {
        let server = try await MailListener(greetingAfter: 30)
        await #expect(throws: MailError.timedOut) {
            try await check(server.port, timeout: .seconds(1))
        }
        try await server.close()
    }

    @Test func silenceAfterQuitDelaysNoAcceptedMessage() async throws {
        let server = try await MailListener(silentAfter: ["QUIT"])
        try await send(to: server, timeout: .seconds(7))
        try await server.close()
    }
}
