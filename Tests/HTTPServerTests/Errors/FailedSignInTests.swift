import API
import Domain
import Foundation
import SafetyNetwork
import Testing

@testable import HTTPServer

/// The lines about failed sign-ins, which `Deploy/fail2ban` reads.
@Suite struct FailedSignInTests {
    private let number = "+4915112345670"

    private func server(
        _ logsAddresses: Bool = true, behind proxies: TrustedProxies = .none
    ) throws -> TestServer {
        try TestServer {
            $0.configuration.logsAddresses = logsAddresses
            $0.configuration.proxies = proxies
        }
    }

    /// Returns the log's lines about failed sign-ins.
    private func lines(_ server: TestServer) -> [String] {
        server.log.lines.filter { $0.contains("sign-in failed") }
    }

    private func signIn(
        _ server: TestServer, _ secret: String, from address: String = "192.0.2.1",
        headers: [String: String] = [:]
    ) async throws -> Int {
        try await server.call(Routes.sendCode, SendCodeRequest(phoneNumber: number), by: nil)
        return try await server.send(
            "POST", "/v1/auth/sessions",
            .json(#"{"phoneNumber":"\#(number)","deviceName":"Phone",\#(secret)}"#),
            headers: headers, from: address
        ).status
    }

    @Test(arguments: ["192.0.2.7", "2001:db8::7"])
    func wrongCodeIsLoggedWithTheAddress(address: String) async throws {
        let server = try server()
        #expect(try await signIn(server, #""code":"999999""#, from: address) == 401)
        let line = try #require(lines(server).first)
        #expect(lines(server).count == 1)
        #expect(line.hasPrefix("warning sign-in failed from \(address) "))
        #expect(!line.contains(number))
    }

    @Test func unknownTokenIsLogged() async throws {
        let server = try server()
        let made = try await server.network.signUpTokens.make()
        let text = made.secret.text
        let other = (text.hasPrefix("A") ? "B" : "A") + text.dropFirst()
        #expect(try await signIn(server, #""token":"\#(other)""#) == 422)
        #expect(lines(server).count == 1)
    }

    @Test func wrongRecoveryCodeIsLogged() async throws {
        let server = try server()
        #expect(try await signIn(server, #""recoveryCode":"0000-0000-0000-0000""#) == 422)
        #expect(lines(server).count == 1)
    }

    @Test func forgedPasskeyIsLogged() async throws {
        let server = try server()
        let passkey = #"""
            {"credentialID":"AAAA","userHandle":"AAAA","clientDataJSON":"AAAA",
            "authenticatorData":"AAAA","signature":"AAAA"}
            """#
        let status = try await server.send(
            "POST", "/v1/auth/passkey-sessions",
            .json(#"{"deviceName":"Phone","passkey":\#(passkey)}"#), from: "192.0.2.1"
        ).status
        #expect(status == 422)
        #expect(lines(server).first?.hasPrefix("warning sign-in failed from 192.0.2.1 ") == true)
    }

    @Test func addressBehindAProxyIsTheClients() async throws {
        let server = try server(behind: TrustedProxies(peers: .all, hops: 1))
        let status = try await signIn(
            server, #""code":"999999""#, headers: ["X-Forwarded-For": "9.9.9.9, 203.0.113.7"])
        #expect(status == 401)
        #expect(lines(server).first?.hasPrefix("warning sign-in failed from 203.0.113.7 ") == true)
    }

    @Test func inventedAddressIsNotLogged() async throws {
        let server = try server(behind: TrustedProxies(peers: .all, hops: 1))
        let status = try await signIn(
            server, #""code":"999999""#, headers: ["X-Forwarded-For": "192.0.2.1 or so"])
        #expect(status == 401)
        #expect(lines(server) == [])
    }

    @Test func nothingIsLoggedByDefault() async throws {
        let server = try server(false)
        #expect(try await signIn(server, #""code":"999999""#) == 401)
        #expect(lines(server) == [])
    }

    @Test func otherRefusalsAreNotLogged() async throws {
        let server = try server()
        #expect(try await signIn(server, #""code":"12""#) == 422)
        #expect(try await signIn(server, #""code":"999999","token":"x""#) == 422)
        let code = try #require(server.codes[try PhoneNumber(number)])
        try await server.call(
            Routes.signIn, SignInRequest(phoneNumber: number, code: code, deviceName: "Phone"),
            by: nil)
        #expect(lines(server) == [])
    }
}
