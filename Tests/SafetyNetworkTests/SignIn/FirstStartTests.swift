import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// What a new server and an existing one decide about sign-up.
@Suite struct FirstStartTests {
    private func server() throws -> TestServer {
        try TestServer(hasBystanders: false, options: { $0.signUp = nil })
    }

    @Test func newServerPrintsTokenUntilFirstAccount() async throws {
        let server = try server()
        try await server.network.serverLife.wake()
        #expect(try await server.network.signUpTokens.signInOptions().signUp == .invited)
        let first = try #require(try await server.network.signUpTokens.makeFirst())
        let second = try #require(try await server.network.signUpTokens.makeFirst())
        let number = try PhoneNumber("+493020000001")
        let refused = await refusal {
            try await server.network.codes.requestCode(
                for: number, from: "192.0.2.1", with: SignUpInvitation(token: first.text))
        }
        #expect(refused?.reason == .tokenRevoked)
        _ = try await server.network.codes.requestCode(
            for: number, from: "192.0.2.1", with: SignUpInvitation(token: second.text))
        let code = try #require(server.environment.codes(on: number).last)
        _ = try await server.network.signIn.signIn(number, code: code, deviceName: "Phone")
        #expect(try await server.network.signUpTokens.makeFirst() == nil)
        try await server.network.serverLife.wake()
        #expect(try await server.network.signUpTokens.signInOptions().signUp == .invited)
    }

    @Test func databaseFromBeforeTheOptionStaysOpen() async throws {
        let server = try server()
        try await server.engine.write(about: .serverState) { [now = server.clock.now] in
            _ = try $0.updateServerState { $0.startedAt = now }
        }
        try await server.network.serverLife.wake()
        #expect(try await server.network.signUpTokens.signInOptions().signUp == .open)
        #expect(try await server.network.signUpTokens.makeFirst() == nil)
    }

    @Test func optionComesBeforeTheStoredMode() async throws {
        let server = try TestServer(
            hasBystanders: false,
            options: {
                ($0.signUp, $0.sendsCodes, $0.operatorContact) = (.closed, false, "ops@example.org")
            })
        try await server.network.serverLife.wake()
        #expect(
            try await server.network.signUpTokens.signInOptions()
                == SignInOptions(
                    signUp: .closed, sendsCodes: false, operatorContact: "ops@example.org"))
        #expect(try await server.network.signUpTokens.makeFirst() == nil)
    }
}
