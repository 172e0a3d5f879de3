import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Waits that the person may have stopped since the backup begin again after a restore.
@Suite struct RestoredWaitTests: ServesAgain {
    let environment = TestEnvironment()
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Returns Ada. `begin` comes before the backup. Two days later the backup is restored.
    private func restored(
        _ begin: (TestServer, Person) async throws -> Void,
        since stop: (TestServer, Person) async throws -> Void = { _, _ in }
    ) async throws -> Person {
        let ada = try await serve { server in
            let ada = try await server.person("Ada")
            try await begin(server, ada)
            _ = try await server.news(of: ada)
            try await server.network.serverLife.giveSignOfLife()
            try server.engine.backUp(to: folder.path + "/backup.db")
            try await stop(server, ada)
            return ada
        }
        environment.clock.set(noon.adding(.days(2)))
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: environment.clock.now)
        return ada
    }

    @Test(arguments: [true, false])
    func stoppedChangeOfTheNumberWaitsAgain(isOwn: Bool) async throws {
        let new = try PhoneNumber("+493012345678")
        let ada = try await restored { server, ada in
            guard isOwn else {
                _ = try await server.network.numberMoves.move(
                    ada.number.text, to: new.text, reason: "Lost the SIM", by: "root")
                return
            }
            _ = try await server.network.signInLocks.turnOn(of: ada.caller)
            let code = try await server.code(for: new)
            _ = try await server.network.phoneNumberChange.changePhoneNumber(
                to: new, code: code, of: ada.caller)
        } since: { server, ada in
            _ = try await server.network.numberMoves.stop(of: ada.caller)
        }
        let due = noon.adding(.days(isOwn ? 9 : 3))
        let address = "https://lifesignal.example"
        let text =
            isOwn
            ? NotificationText.numberWaits(at: address)
            : NotificationText.numberWillLeave(at: address, isLocked: false)
        func told() -> Int { environment.texts(on: ada.number).count { $0 == text } }
        #expect(told() == 1)
        try await serve { server async throws in
            #expect(told() == 2)
            #expect(try await server.network.numberMoves.pass() == 0)
            let move = NumberMove(phoneNumber: new, takesEffectAt: due)
            #expect(try await server.profile(ada).numberMove == move)
            #expect(try await server.news(of: ada).last == "Your phone number will change")
        }
        // Only the first start after the restore begins the wait again.
        environment.clock.set(due.aMillisecondBefore)
        try await serve { server async throws in
            #expect(told() == 2)
            #expect(try await server.network.numberMoves.pass() == 0)
            environment.clock.set(due)
            #expect(try await server.network.numberMoves.pass() == 1)
            #expect(try await server.profile(ada).phoneNumber == new)
        }
    }

    private func reasonOfRefusal(
        signingIn ada: Person, _ server: TestServer
    ) async throws -> InvalidInputReason? {
        let code = try await server.code(for: ada.number)
        return await refusal {
            try await server.network.signIn.signIn(
                ada.number, code: code, deviceName: "Thief phone")
        }?.reason
    }

    @Test func stoppedSignInHasToWaitFromTheBeginning() async throws {
        let ada = try await restored { server, ada in
            _ = try await server.network.signInLocks.turnOn(of: ada.caller)
            #expect(try await reasonOfRefusal(signingIn: ada, server) == .signInWaits)
        } since: { server, ada in
            _ = try await server.network.signInLocks.stopWait(of: ada.caller)
        }
        environment.clock.set(noon.adding(.days(8)))
        try await serve { server async throws in
            #expect(try await server.network.signInLocks.security(of: ada.caller).wait == nil)
            #expect(try await reasonOfRefusal(signingIn: ada, server) == .signInWaits)
            #expect(
                try await server.news(of: ada).last == "Somebody has a code for your account")
            let wait = try await server.network.signInLocks.security(of: ada.caller).wait
            #expect(wait?.endsAt == noon.adding(.days(15)))
        }
    }

    @Test func stopBeforeTheBackupStaysInForce() async throws {
        let ada = try await restored { server, ada in
            _ = try await server.network.signInLocks.turnOn(of: ada.caller)
            #expect(try await reasonOfRefusal(signingIn: ada, server) == .signInWaits)
            _ = try await server.network.signInLocks.stopWait(of: ada.caller)
        }
        try await serve { server async throws in
            #expect(try await reasonOfRefusal(signingIn: ada, server) == .signInStopped)
        }
    }

    /// The lock of the backup ends in seven days. The person has kept it on since.
    @Test func endingLockStaysOnForSevenDaysMore() async throws {
        let ada = try await restored { server, ada in
            _ = try await server.network.signInLocks.turnOn(of: ada.caller)
            _ = try await server.network.signInLocks.turnOff(of: ada.caller)
        } since: { server, ada in
            _ = try await server.network.signInLocks.turnOn(of: ada.caller)
        }
        environment.clock.set(noon.adding(.days(8)))
        try await serve { server async throws in
            let security = try await server.network.signInLocks.security(of: ada.caller)
            #expect(security.isLocked && security.lockEndsAt == noon.adding(.days(15)))
            #expect(try await server.news(of: ada).last == "The sign-in lock was turned off")
        }
    }

    /// The links may have been used or revoked since the backup.
    @Test func restoreEndsUnusedLinksForANumber() async throws {
        _ = try await restored { server, ada in
            _ = try await server.network.signUpTokens.make(number: ada.number)
            _ = try await server.network.signUpTokens.make(uses: 2)
        }
        try await serve { server async throws in
            let tokens = try await server.network.signUpTokens.list()
            let time = environment.clock.now
            let (own, open) = (
                tokens.filter { $0.phoneNumber != nil }, tokens.filter { $0.phoneNumber == nil }
            )
            #expect(own.map { $0.state(at: time) } == [.revoked])
            #expect(open.map { $0.state(at: time) } == [.usable])
        }
    }

    /// Codes that were made without a lock have a lock that ended in 1970.
    @Test func restoreTurnsNoLockOn() async throws {
        let ada = try await restored { server, ada in
            _ = try await server.network.recovery.makeCodes(of: ada.caller)
        }
        try await serve { server async throws in
            let security = try await server.network.signInLocks.security(of: ada.caller)
            #expect(!security.isLocked && security.recoveryCodes == 10)
            #expect(try await reasonOfRefusal(signingIn: ada, server) == nil)
        }
    }
}
