import API
import Domain
import Foundation
import SafetyNetwork
import Testing

@testable import HTTPServer

/// Sign-up by tokens, through the routes.
@Suite struct SignUpStoryTests {
    private let server: TestServer
    private let number = "+4915112345670"
    private let phone: PhoneNumber

    init() throws {
        server = try TestServer { $0.signUp = .invited }
        phone = try PhoneNumber(number)
    }

    private func post(_ path: String, _ json: String) async throws -> Answer {
        try await server.send("POST", path, .json(json))
    }

    @Test func tokenLeadsThroughSignUp() async throws {
        let made = try await server.network.signUpTokens.make()
        let answer = try await server.call(
            Routes.sendCode, SendCodeRequest(phoneNumber: number, token: made.secret.text), by: nil)
        #expect(answer.needsCode == nil)
        let code = try #require(server.codes[phone])
        let tokens = try await server.call(
            Routes.signIn, SignInRequest(phoneNumber: number, code: code, deviceName: "Phone"),
            by: nil)
        #expect(tokens.isNewUser)
    }

    @Test func tokenForANumberNeedsNoCode() async throws {
        let made = try await server.network.signUpTokens.make(number: phone)
        let answer = try await server.call(
            Routes.sendCode, SendCodeRequest(phoneNumber: number, token: made.secret.text), by: nil)
        #expect(answer.needsCode == false)
        #expect(server.codes[phone] == nil)
        let tokens = try await server.call(
            Routes.signIn,
            SignInRequest(phoneNumber: number, deviceName: "Phone", token: made.secret.text),
            by: nil)
        #expect(tokens.isNewUser)
    }

    @Test func strangersGetTheUsualAnswer() async throws {
        let answer = try await post("/v1/auth/codes", #"{"phoneNumber":"\#(number)"}"#)
        #expect(answer.status == 202)
        #expect(server.codes[phone] == nil)
    }

    @Test func deadTokenGetsOneSentenceAndAReason() async throws {
        let made = try await server.network.signUpTokens.make()
        try await server.network.signUpTokens.revoke(made.id)
        let answer = try await post(
            "/v1/auth/codes", #"{"phoneNumber":"\#(number)","token":"\#(made.secret.text)"}"#)
        #expect(answer.status == 422 && answer.problem?.reason == .tokenRevoked)
        #expect(answer.problem?.field == "token")
        #expect(answer.problem?.detail.hasPrefix("This sign-up link was withdrawn.") == true)
    }

    @Test(arguments: [
        "", #","code":"123456","token":"\#(aToken)""#,
    ])
    func signInTakesACodeOrAToken(fields: String) async throws {
        let answer = try await post(
            "/v1/auth/sessions", #"{"phoneNumber":"\#(number)","deviceName":"P"\#(fields)}"#)
        #expect(answer.status == 422 && answer.problem?.field == "code")
    }

    @Test func serverWithoutSMSSaysSo() async throws {
        let server = try TestServer { $0.sendsCodes = false }
        let options = try await server.call(Routes.signInOptions, by: nil)
        #expect(options == SignInOptions(signUp: .open, sendsCodes: false))
        let answer = try await server.send(
            "POST", "/v1/auth/codes", .json(#"{"phoneNumber":"\#(number)"}"#))
        #expect(answer.status == 422 && answer.problem?.reason == .noCodes)
    }
}

private let aToken = String(repeating: "A", count: 43)
