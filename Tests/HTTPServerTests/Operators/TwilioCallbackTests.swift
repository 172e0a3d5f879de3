import API
import Cryptography
import Delivery
import Domain
import Foundation
import Synchronization
import Testing

@testable import HTTPServer

@Suite struct TwilioCallbackTests {
    private static let authToken = "12345"
    private static let form = "MessageSid=SM1&MessageStatus=delivered"

    private final class Reports: Sendable {
        private let kept = Mutex<[String]>([])
        var all: [String] { kept.withLock { $0 } }
        func keep(_ form: Data) {
            kept.withLock { $0.append(String(decoding: form, as: UTF8.self)) }
        }
    }

    private let reports = Reports()

    private func server() throws -> TestServer {
        try TestServer { [reports] setup in
            setup.receiveSMSReport = { url, signature, form in
                let fields = [
                    (name: "MessageSid", value: "SM1"), (name: "MessageStatus", value: "delivered"),
                ]
                guard
                    TwilioCallback.isSigned(
                        signature, url: url, fields: fields, authToken: Self.authToken)
                else { return false }
                reports.keep(form)
                return true
            }
        }
    }

    private func signature(of url: String, _ token: String = authToken) -> String {
        Digest.hmacSHA1(
            Data((url + "MessageSidSM1MessageStatusdelivered").utf8), key: Data(token.utf8)
        ).base64EncodedString()
    }

    private func send(
        _ path: String, signature: String?, type: String = "application/x-www-form-urlencoded"
    ) async throws -> Answer {
        try await server().send(
            "POST", path, Content(type: type, bytes: Data(Self.form.utf8)),
            headers: signature.map { ["X-Twilio-Signature": $0] } ?? [:])
    }

    @Test(arguments: ["/v1/sms/twilio", "/v1/sms/twilio?try=2&x=a%20b"])
    func signedReportIsReceived(path: String) async throws {
        let answer = try await send(
            path, signature: signature(of: "https://lifesignal.example\(path)"))
        #expect(answer.status == 204)
        #expect(reports.all == [Self.form])
    }

    @Test func reportWithAnotherSignatureIs403() async throws {
        let url = "https://lifesignal.example/v1/sms/twilio"
        for wrong in [
            nil, "", "AAAA", "not base64", signature(of: url, "54321"),
            signature(of: "http://lifesignal.example/v1/sms/twilio"), signature(of: url + "/"),
        ] {
            let answer = try await send("/v1/sms/twilio", signature: wrong)
            #expect(answer.status == 403)
            #expect(answer.problemViolations() == [])
        }
        #expect(try await send("/v1/sms/twilio?x=1", signature: signature(of: url)).status == 403)
        #expect(reports.all == [])
    }

    @Test func reportMustBeAForm() async throws {
        let answer = try await send(
            "/v1/sms/twilio", signature: signature(of: "https://lifesignal.example/v1/sms/twilio"),
            type: "application/json")
        #expect(answer.status == 415)
    }

    @Test(arguments: [(65_536, 403), (65_537, 413)])
    func longFormIsNotRead(length: Int, status: Int) async throws {
        let content = Content(
            type: "application/x-www-form-urlencoded", bytes: Data(repeating: 97, count: length))
        #expect(try await server().send("POST", "/v1/sms/twilio", content).status == status)
    }

    @Test func callbackIs404WithoutProvider() async throws {
        let content = Content(
            type: "application/x-www-form-urlencoded", bytes: Data(Self.form.utf8))
        #expect(try await TestServer().send("POST", "/v1/sms/twilio", content).status == 404)
    }
}
