import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct AlertPassTests {
    private let server: TestServer
    private let ada: Caller
    private let pass: AlertPass
    private let alert: AlertID = ID(UUID())

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada").caller
        pass = try await server.network.alertPasses.issueAlertPass(to: ada)
    }

    private func redeem(_ token: Token? = nil, for id: AlertID? = nil) async throws -> Caller {
        try await server.network.alertPasses.redeem(
            alertPass: token ?? pass.token, for: id ?? alert, unlessRefused: nil)
    }

    @Test func passActsForItsSessionAndOneAlert() async throws {
        #expect(try await redeem() == ada)
        // A client that lost the response redeems the same pass twice.
        #expect(try await redeem() == ada)
        await #expect(throws: CommandError.passOver) { try await redeem(for: ID(UUID())) }
    }

    @Test func aPassIsValidForSevenDays() async throws {
        #expect(pass.expiresAt == noon.adding(.days(7)))
        server.clock.pass(.days(7) - .milliseconds(1))
        #expect(try await redeem() == ada)
        server.clock.pass(.milliseconds(1))
        await #expect(throws: CommandError.passOver) { try await redeem() }
    }

    @Test func passAndAccessTokenAreNotInterchangeable() async throws {
        await #expect(throws: CommandError.sessionOver) {
            try await server.network.signIn.authenticate(pass.token)
        }
        await #expect(throws: CommandError.sessionOver) {
            try await server.network.signIn.refresh(pass.token)
        }
        await #expect(throws: CommandError.passOver) {
            try await redeem(Token(random: Data(repeating: 7, count: 32)))
        }
    }

    @Test func passOutlivesTokensButNotTheSession() async throws {
        let tokens = try await server.person("Cleo").tokens
        let own = try await server.network.alertPasses.issueAlertPass(to: tokens.caller)
        _ = try await server.network.signIn.refresh(tokens.refreshToken)
        #expect(try await redeem(own.token) == tokens.caller)
        try await server.network.signIn.endSession(tokens.caller.sessionID, of: tokens.caller)
        await #expect(throws: CommandError.passOver) { try await redeem(own.token) }
    }

    @Test func newPassReplacesTheOldOne() async throws {
        _ = try await redeem()
        let next = try await server.network.alertPasses.issueAlertPass(to: ada)
        await #expect(throws: CommandError.passOver) { try await redeem() }
        #expect(try await redeem(next.token, for: ID(UUID())) == ada)
    }

    /// Sources and passes each have turns of their own.
    @Test(arguments: [false, true])
    func fullQueueNeverMakesAPassInvalid(isOfPasses: Bool) async throws {
        let core = server.network.alertPasses.core
        let turns = isOfPasses ? core.passLookUps : core.secretLookUps
        let (stop, go) = AsyncStream.makeStream(of: Void.self)
        let flood = (0...Core.mostLookUps).map { _ in
            Task { await turns.run { for await _ in stop { break } } }
        }
        while turns.waitingCount < Core.mostLookUps { await Task.yield() }
        if isOfPasses {
            await #expect(
                throws: CommandError.unavailable("Too many requests wait. Please try again.")
            ) { try await redeem() }
        } else {
            let caller = try? await redeem()
            #expect(caller == ada)
        }
        go.finish()
        for task in flood { await task.value }
        #expect(try await redeem() == ada)
    }

    @Test func onlyTheHashIsStored() async throws {
        let stored = try await server.engine.read {
            try $0.alertPass(hash: pass.token.hash)
        }
        #expect(stored?.caller == ada && stored?.alertID == nil)
    }

    @Test func aDeletedAccountLeavesNoPass() async throws {
        try await server.network.accountDeletion.deleteAccount(of: ada)
        await #expect(throws: CommandError.passOver) { try await redeem() }
    }
}
