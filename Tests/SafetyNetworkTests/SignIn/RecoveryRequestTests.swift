import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct RecoveryRequestTests {
    private let server: TestServer
    private let ada: Person

    private var recovery: Recovery { server.network.recovery }

    init() async throws {
        server = try TestServer(hasBystanders: false)
        ada = try await server.person("Ada")
    }

    /// The client keeps its request until it has shown the codes, which may take months.
    @Test func forgottenRequestGetsTheSameCodesUntilOneIsUsed() async throws {
        _ = try await server.network.signInLocks.turnOn(of: ada.caller)
        func forget() async throws {
            server.clock.pass(RequestKeyRules.kept)
            _ = try await server.engine.write(about: .none) {
                try $0.cleanUp(.requestKeys, limit: 100)
            }
        }
        let request = UUID()
        func repeated() async throws -> [String] {
            try await recovery.makeCodes(of: ada.caller, request: request).codes
        }
        let first = try await repeated()
        _ = try await server.news(of: ada)
        try await forget()
        #expect(try await repeated() == first)
        #expect(try await !server.news(of: ada).contains("You have new recovery codes"))
        let other = await refusal {
            try await recovery.makeCodes(of: ada.caller, request: UUID())
        }
        #expect(other?.reason == .recoveryCodeNeeded)
        _ = try await server.network.signIn.signIn(
            ada.number, recoveryCode: first[0], deviceName: "Phone")
        try await forget()
        #expect(await refusal { try await repeated() }?.isAlreadyExists == true)
        #expect(
            try await server.network.signInLocks.security(of: ada.caller)
                == SignInSecurity(isLocked: true, recoveryCodes: 9))
    }
}
