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

    @Test func firstTokenNeedsNoCodeWhereNoneAreSent() async throws {
        let server = try TestServer(
            hasBystanders: false, options: { ($0.signUp, $0.sendsCodes) = (nil, false) })
        try await server.network.serverLife.wake()
        let first = try #require(try await server.network.signUpTokens.makeFirst())
        let made = try await server.network.signUpTokens.make(uses: 2)
        let number = try PhoneNumber("+493020000001")
        let refused = await refusal {
            try await server.network.codes.requestCode(
                for: number, from: "192.0.2.1",
                with: SignUpInvitation(token: made.secret.text))
        }
        #expect(refused?.reason == .noCodes)
        let reply = try await server.network.codes.requestCode(
            for: number, from: "192.0.2.1", with: SignUpInvitation(token: first.text))
        #expect(!reply.needsCode)
        let tokens = try await server.network.signIn.signIn(
            number, token: first.text, deviceName: "Phone")
        #expect(tokens.isNewUser)
        let other = try PhoneNumber("+493020000002")
        let again = await refusal {
            try await server.network.signIn.signIn(other, token: first.text, deviceName: "Phone")
        }
        #expect(again?.reason == .tokenUsedUp)
    }

    @Test func firstTokenOpensNoSecondAccountWithoutACode() async throws {
        let known = try PhoneNumber("+15550100")
        let server = try TestServer(
            hasBystanders: false,
            options: {
                ($0.signUp, $0.sendsCodes, $0.testNumbers) = (nil, false, [known: "000000"])
            })
        try await server.network.serverLife.wake()
        let first = try #require(try await server.network.signUpTokens.makeFirst())
        try await server.network.codes.requestCode(for: known, from: "192.0.2.1")
        _ = try await server.network.signIn.signIn(known, code: "000000", deviceName: "Phone")
        let refused = await refusal {
            try await server.network.signIn.signIn(
                try PhoneNumber("+493020000002"), token: first.text, deviceName: "Phone")
        }
        #expect(refused?.reason == .codeNeeded)
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
