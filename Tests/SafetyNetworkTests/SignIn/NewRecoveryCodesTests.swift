import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Somebody with the unlocked phone may have made recovery codes that are less than 7 days old.
@Suite struct NewRecoveryCodesTests {
    private let server: TestServer
    private let ada: Person

    private var locks: SignInLocks { server.network.signInLocks }

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
    }

    private func makeCodes(old: String? = nil) async throws -> [String] {
        try await server.network.recovery.makeCodes(old: old, of: ada.caller).codes
    }

    private func refusedCodes(old: String? = nil) async -> InvalidInputReason? {
        await refusal { try await makeCodes(old: old) }?.reason
    }

    private func refusedUnlocking(by code: String) async -> InvalidInputReason? {
        await refusal { try await locks.turnOff(recoveryCode: code, of: ada.caller) }?.reason
    }

    private func refusedSignIn(by code: String) async -> InvalidInputReason? {
        await refusal {
            try await server.network.signIn.signIn(
                ada.number, recoveryCode: code, deviceName: "Phone")
        }?.reason
    }

    @Test(arguments: [false, true])
    func ownerReplacesNewCodesWithoutAnOldOne(madeUnderTheLock: Bool) async throws {
        if madeUnderTheLock { _ = try await locks.turnOn(of: ada.caller) }
        let others = try await makeCodes()
        if !madeUnderTheLock { _ = try await locks.turnOn(of: ada.caller) }
        server.clock.pass(.days(7) - .milliseconds(1))
        let own = try await makeCodes()
        #expect(await refusedSignIn(by: others[0]) == .recoveryCodeWrong)
        // The new ones are as new as the others were.
        server.clock.pass(.days(7) - .milliseconds(1))
        #expect(await refusedUnlocking(by: own[0]) == .recoveryCodeTooNew)
        server.clock.pass(.milliseconds(1))
        #expect(await refusedCodes() == .recoveryCodeNeeded)
        #expect(await refusedUnlocking(by: own[0]) == nil)
    }

    @Test func replacedCodeOfTheOwnerIsNoObstacle() async throws {
        let own = try await makeCodes()
        server.clock.pass(.days(7))
        _ = try await makeCodes()
        _ = try await locks.turnOn(of: ada.caller)
        #expect(await refusedCodes(old: own[0]) == nil)
        server.clock.pass(.days(7))
        #expect(await refusedCodes(old: own[0]) == .recoveryCodeWrong)
    }

    @Test func codesMadeBeforeTheLockAreTooNew() async throws {
        let codes = try await makeCodes()
        let made = server.clock.now
        #expect(try await !locks.security(of: ada.caller).isLocked)
        server.clock.pass(.days(1))
        _ = try await locks.turnOn(of: ada.caller)
        server.clock.set(made.adding(.days(7)).aMillisecondBefore)
        #expect(await refusedUnlocking(by: codes[0]) == .recoveryCodeTooNew)
        server.clock.set(made.adding(.days(7)))
        #expect(await refusedUnlocking(by: codes[0]) == nil)
        #expect(
            try await locks.security(of: ada.caller)
                == SignInSecurity(isLocked: false, recoveryCodes: 9))
    }

    @Test func codesOfLongerProtectThemselves() async throws {
        let codes = try await makeCodes()
        server.clock.pass(.days(7))
        _ = try await locks.turnOn(of: ada.caller)
        #expect(await refusedCodes() == .recoveryCodeNeeded)
        #expect(await refusedCodes(old: codes[0]) == nil)
    }

    /// Otherwise each exchange of an owner's codes would cost a week.
    @Test func codesMadeByAnOldCodeUnlockLikeIt() async throws {
        let codes = try await makeCodes()
        server.clock.pass(.days(7))
        _ = try await locks.turnOn(of: ada.caller)
        let new = try await makeCodes(old: codes[0])
        #expect(await refusedUnlocking(by: new[0]) == nil)
    }
}
