import API
import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import HTTPServer

/// Runs a whole story, then searches log and metrics for private data.
@Suite struct PrivacyTests {
    private static let note = "Insulin is in the fridge"

    private func tellTheStory(_ server: TestServer) async throws -> [String] {
        let ada = try await server.person("Ada Lovelace", number: "+4915100000001")
        let ben = try await server.person("Ben Babbage", number: "+4915100000002")
        try await server.connect(responder: ben, dependent: ada)
        try await server.call(
            Routes.updateProfile, UpdateProfileRequest(emergencyNote: Self.note), by: ada)
        let code = try await server.call(Routes.qrCode, by: ada).id
        try await server.call(Routes.qrCodeOwner, id: code, by: ben)
        try await server.send(
            "PUT", "/v1/me/picture", Content(type: "image/png", bytes: try Pictures.png()),
            token: ada.token)
        let secret = try await server.call(
            Routes.savePushEndpoint,
            PushEndpointRequest(kind: .webhook, url: "https://example.org/hook/hush"),
            id: "\(id(1) as PushEndpointID)", by: ada)
        try await server.network.serverLife.wake()
        let keys = PushKeys(p256dh: Browser.p256dh, auth: Browser.auth)
        try await server.call(
            Routes.savePushEndpoint,
            PushEndpointRequest(kind: .webPush, url: "https://push.example.org/quiet", keys: keys),
            id: "\(id(3) as PushEndpointID)", by: ada)
        try await server.send(
            "PUT", "/v1/devices/\(id(3) as PushEndpointID)",
            .json(
                #"{"kind":"webPush","url":"http://push.example.org/quiet","keys":{"p256dh":"#
                    + #""\#(Browser.p256dh)","auth":"\#(Browser.auth)"}}"#), token: ada.token)
        let receipt = ReceiptToken(
            person: ada.id.uuid, delivery: UUID(), expiresAt: .distantFuture
        ).text(key: try TestServer.key())
        try await server.call(Routes.receipt, ReceiptRequest(token: receipt), by: nil)
        try await server.send(
            "POST", "/v1/receipts", .json(#"{"token":"\#(receipt.reversed())"}"#))
        let source = try await server.call(
            Routes.addSource, SourceRequest(name: "Larder button"), by: ada)
        for method in ["GET", "HEAD", "POST", "POST", "PUT", "DELETE"] {
            try await server.send(method, source.address.path)
            try await server.send(method, source.address.path + "x")
        }
        try await server.call(Routes.raiseAlert, id: "\(id(2) as AlertID)", by: ada)
        let tokens = try await server.call(
            Routes.refresh, RefreshRequest(refreshToken: ada.refreshToken), by: nil)

        let number = try PhoneNumber("+4915100000001")
        try await server.send("POST", "/v1/auth/codes", .json(#"{"phoneNumber":"+4915100000001"}"#))
        let signInCode = try #require(server.codes[number])
        // All of these errors are logged. No line may quote the request.
        for path in [
            "/v1/auth/sessions", "/v1/auth/sessions?code=\(signInCode)", "/\(tokens.accessToken)",
            "/v1/alerts/\(tokens.accessToken)",
        ] {
            try await server.send(
                "POST", path, .json(#"{"phoneNumber":"+4915100000001","code":"\#(signInCode)""#),
                token: tokens.accessToken)
            try await server.send(
                "POST", path,
                .json(#"{"phoneNumber":"+4915100000001","code":"999999","deviceName":"x"}"#))
            try await server.send("GET", path, token: String(tokens.accessToken.reversed()))
        }
        try await server.send(
            "PATCH", "/v1/me", .json(#"{"emergencyNote":"\#(Self.note)\u0000"}"#),
            token: tokens.accessToken)
        for error in [
            DatabaseError.failed("disk I/O error"), .uniqueViolation,
            .constraintViolation("CHECK constraint failed: users"),
        ] {
            server.database.fail(with: error)
            try await server.send(
                "PATCH", "/v1/me", .json(#"{"emergencyNote":"\#(Self.note)"}"#),
                token: tokens.accessToken)
        }
        server.database.fail(with: nil)
        try await server.call(Routes.deleteAccount, by: ben)
        return [
            "4915100000001", "4915100000002", "15100000", signInCode, "999999", Self.note,
            "Insulin", "Ada", "Lovelace", "Babbage", "hush",
            try #require(secret.signingSecret), "quiet", Browser.p256dh, Browser.auth, receipt,
            String(receipt.reversed()), code, ada.token, ada.refreshToken, tokens.accessToken,
            tokens.refreshToken, String(tokens.accessToken.reversed()),
            "\(id(2) as AlertID)", "\(ada.id)", "\(ben.id)", "Larder",
            source.address.lastPathComponent,
        ]
    }

    @Test func logContainsNoPrivateData() async throws {
        let server = try TestServer()
        let secrets = try await tellTheStory(server)
        #expect(server.log.lines.count > 30)
        #expect(server.log.text.contains("route=/v1/alerts/{id}"))
        // The digits of a response time may equal a code by chance.
        let text = server.log.text.replacing(#/milliseconds=\S+/#, with: "")
        for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
    }

    @Test func metricsContainNoPrivateData() async throws {
        let server = try TestServer()
        let secrets = try await tellTheStory(server)
        let samples = try PrometheusText(try await server.send("GET", "/metrics").text).samples
        let text = samples.map { "\($0.name) \($0.labels)" }.joined(separator: "\n")
        #expect(text.contains("lifesignal_http_requests_total"))
        for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
    }

    @Test func notificationsOmitTheEmergencyNote() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        let ben = try await server.person("Ben", number: "+4915100000002")
        try await server.connect(responder: ben, dependent: ada)
        try await server.call(
            Routes.updateProfile, UpdateProfileRequest(emergencyNote: Self.note), by: ada)
        try await server.call(Routes.raiseAlert, id: "\(id(2) as AlertID)", by: ada)
        let told = try await server.send("GET", "/v1/notifications", token: ben.token)
        #expect(told.status == 200 && told.text.contains("Ada needs help"))
        #expect(!told.text.contains(Self.note))
        let events = try await server.network.events.events(of: ben.id, after: 0, limit: 100).events
        #expect(events.count > 3 && events.allSatisfy { !$0.data.contains(Self.note) })
    }
}
