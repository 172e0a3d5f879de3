import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A thief with a signed-in device can't delete the account without a code.
@Suite struct DeletionCodeTests {
    private let server: TestServer
    private let ada: Person

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
    }

    private func ask() async throws -> (request: CodeRequestID, code: String) {
        let request = try await server.network.codes.requestDeletionCode(
            from: "192.0.2.1", of: ada.caller)
        let text = try #require(server.environment.texts(on: ada.number).last)
        #expect(text.hasSuffix("end the sessions that are not yours."))
        return (request, String(text.prefix(6)))
    }

    private func delete(_ code: String?, _ request: CodeRequestID? = nil) async -> CommandError? {
        await refusal {
            try await server.network.accountDeletion.deleteAccount(
                of: ada.caller, code: code, requestID: request)
        }
    }

    private var exists: Bool {
        get async throws {
            let id = ada.id
            return try await server.engine.read { try $0.user(id) } != nil
        }
    }

    @Test func theRightCodeDeletes() async throws {
        let (request, code) = try await ask()
        #expect(await delete(code, request) == nil)
        #expect(try await !exists)
    }

    @Test func missingCodeIsRefusedWithAReason() async throws {
        let refusal = await delete(nil)
        #expect(refusal?.field == "code" && refusal?.reason == .codeNeeded)
        #expect(try await exists)
    }

    @Test func aWrongCodeDeletesNothingAndCounts() async throws {
        let (request, code) = try await ask()
        let wrong = code == "000000" ? "000001" : "000000"
        for _ in 1...5 { #expect(await delete(wrong, request)?.field == "code") }
        #expect(await delete(code, request)?.field == "code")
        #expect(await delete("12", request)?.field == "code")
        #expect(try await exists)
    }

    @Test func anOldCodeDeletesNothing() async throws {
        let (request, code) = try await ask()
        server.clock.pass(.minutes(5))
        #expect(await delete(code, request)?.field == "code")
        #expect(try await exists)
    }

    @Test func codeIsValidForOnePurpose() async throws {
        let signIn = try await server.network.codes.requestCode(
            for: ada.number, from: "192.0.2.1"
        ).requestID
        let code = try #require(server.environment.codes(on: ada.number).last)
        #expect(await delete(code, signIn)?.field == "code")
        let (request, deletion) = try await ask()
        let asker = CodeAsker(requestID: request)
        #expect(
            await refusal {
                try await server.network.signIn.signIn(
                    ada.number, code: deletion, deviceName: "Thief", by: asker)
            }?.isUnauthenticated == true)
        #expect(try await exists)
    }

    @Test func attemptsToDeleteKeepTheSignInCode() async throws {
        let signIn = try await server.network.codes.requestCode(
            for: ada.number, from: "192.0.2.1"
        ).requestID
        let code = try #require(server.environment.codes(on: ada.number).last)
        for _ in 1...5 { #expect(await delete("000000")?.field == "code") }
        _ = try await server.network.signIn.signIn(
            ada.number, code: code, deviceName: "Phone", by: CodeAsker(requestID: signIn))
    }

    @Test func withoutRequestTheSessionsNewestCodeCounts() async throws {
        let tablet = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        let (_, code) = try await ask()
        server.clock.pass(.seconds(1))
        _ = try await server.network.codes.requestDeletionCode(
            from: "192.0.2.1", of: tablet.caller)
        let other = try #require(server.environment.texts(on: ada.number).last).prefix(6)
        // The tablet's code is newer, but its own.
        if other != code { #expect(await delete(String(other))?.field == "code") }
        #expect(await delete(code) == nil)
        #expect(try await !exists)
    }

    @Test func theCodeOfAnotherAccountDeletesNothing() async throws {
        let ben = try await server.person("Ben")
        let request = try await server.network.codes.requestDeletionCode(
            from: "192.0.2.1", of: ben.caller)
        let text = try #require(server.environment.texts(on: ben.number).last)
        #expect(await delete(String(text.prefix(6)), request)?.field == "code")
        #expect(try await exists)
    }

    @Test func sessionRequests5CodesAnHour() async throws {
        for _ in 1...5 { _ = try await ask() }
        let refusal = await refusal {
            try await server.network.codes.requestDeletionCode(from: "192.0.2.1", of: ada.caller)
        }
        #expect(refusal?.retryAfter != nil)
    }

    @Test func serverWithoutSMSNeedsNoCode() async throws {
        let server = try TestServer()
        let ben = try await server.person("Ben")
        #expect(
            await refusal {
                try await server.network.codes.requestDeletionCode(
                    from: "192.0.2.1", of: ben.caller)
            }?.field == "code")
        try await server.network.accountDeletion.deleteAccount(of: ben.caller)
        let id = ben.id
        #expect(try await server.engine.read { try $0.user(id) } == nil)
    }

    @Test func aTestNumberNeedsNoCode() async throws {
        let number = try PhoneNumber("+15550100")
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.testNumbers = [number: "123456"]
        })
        _ = try await server.network.codes.requestCode(for: number, from: "192.0.2.1")
        let tokens = try await server.network.signIn.signIn(
            number, code: "123456", deviceName: "Phone")
        try await server.network.accountDeletion.deleteAccount(of: tokens.caller)
        #expect(try await server.engine.read { try $0.user(phoneNumber: number) } == nil)
    }
}
