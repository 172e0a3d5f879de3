import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

@Suite struct SignInSecurityQueryTests {
    private let code = Data(repeating: 1, count: 32)
    private let wait = SignInWait(
        deviceName: "Phone", startedAt: noon, endsAt: noon.adding(.days(7)))
    private let key = PasskeyRow(
        passkey: Passkey(id: id(5), name: "Phone", createdAt: noon),
        credentialID: Data([1, 2]), publicKey: Data([3]), counter: .max)

    @Test(arguments: Home.all) func rowsRoundTrip(home: Home) async throws {
        try await withDatabase(home) { engine in
            try await engine.moveIn(ada, ben)
            try await engine.write(about: Subjects([ada])) { transaction in
                try transaction.setSignInLock(
                    SignInLockRow(endsAt: noon.adding(.days(1))), of: ada)
                try transaction.setSignInLock(SignInLockRow(codesMadeAt: noon), of: ada)
                try transaction.save(SignInWaitRow(wait, stoppedAt: noon), of: ada)
                try transaction.save(SignInWaitRow(wait), of: ada)
                try transaction.setRecoveryCodes([code], of: ada)
                try transaction.insert(key, of: ada)
            }
            #expect(
                try await engine.read { try $0.signInLock(of: ada) }
                    == SignInLockRow(codesMadeAt: noon))
            #expect(try await engine.read { try $0.signInWait(of: ada) } == SignInWaitRow(wait))
            #expect(try await engine.read { try $0.passkeys(of: ada) } == [key])
            #expect(try await engine.read { try $0.passkey(Data([1, 2]), of: ada) } == key)
            #expect(try await engine.read { try $0.passkey(Data([1, 2]), of: ben) } == nil)
            #expect(try await engine.read { try $0.recoveryCodes(of: ada) } == 1)
            #expect(try await engine.read { try $0.recoveryCodes(of: ben) } == 0)
        }
    }

    @Test func changesConcernOnePasskeyOfOnePerson() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            let other = PasskeyRow(
                passkey: Passkey(id: id(4), name: "Tablet", createdAt: noon.aMillisecondAfter),
                credentialID: Data([9]), publicKey: Data([3]), counter: 1)
            try await engine.write(about: Subjects([ada, ben])) { transaction in
                for (row, user) in [(other, ada), (key, ada), (key, ben)] {
                    try transaction.insert(row, of: user)
                }
                try transaction.usePasskey(id(5), counter: 7, of: ada)
                _ = try transaction.renamePasskey(id(5), to: "Key ring", of: ada)
            }
            var used = key
            used.counter = 7
            (used.passkey.name, used.passkey.lastUsedAt) = ("Key ring", noon)
            #expect(try await engine.read { try $0.passkeys(of: ada) } == [used, other])
            #expect(try await engine.read { try $0.passkeys(of: ben) } == [key])
            _ = try await engine.write(about: Subjects([ada])) {
                try $0.deletePasskey(id(5), of: ada)
            }
            #expect(try await engine.read { try $0.passkeys(of: ada) } == [other])
            #expect(try await engine.read { try $0.passkeys(of: ben) } == [key])
        }
    }

    @Test func recoveryCodeIsUsedOnceByItsOwner() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            try await engine.write(about: Subjects([ada, ben])) { transaction in
                try transaction.setRecoveryCodes([code], of: ada)
                #expect(try !transaction.useRecoveryCode([code], of: ben))
                #expect(try transaction.useRecoveryCode([code], of: ada))
                #expect(try !transaction.useRecoveryCode([code], of: ada))
            }
        }
    }

    @Test func challengeIsUsedOnce() async throws {
        try await withDatabase { engine in
            try await engine.write(about: .none) { transaction throws in
                let end = noon.adding(.minutes(5))
                #expect(try transaction.usePasskeyChallenge(hash: code, expiresAt: end))
                #expect(try !transaction.usePasskeyChallenge(hash: code, expiresAt: end))
            }
        }
    }

    @Test func deletedPersonLeavesNothing() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            try await engine.write(about: Subjects([ada])) { transaction in
                try transaction.setSignInLock(SignInLockRow(), of: ada)
                try transaction.save(SignInWaitRow(wait), of: ada)
                try transaction.setRecoveryCodes([code], of: ada)
                try transaction.insert(key, of: ada)
                if let user = try transaction.user(ada) { try transaction.deleteUser(user) }
            }
            #expect(try await engine.read { try $0.signInLock(of: ada) } == nil)
            #expect(try await engine.read { try $0.signInWait(of: ada) } == nil)
            #expect(try await engine.read { try $0.recoveryCodes(of: ada) } == 0)
            #expect(try await engine.read { try $0.passkeys(of: ada) } == [])
        }
    }

    /// Otherwise the owner's own sign-in would be refused for weeks.
    @Test func stopByAClockThatWasAheadCountsFromNow() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let correction = ClockCorrection(
                by: .days(-30), since: noon, until: noon.adding(.days(30)))
            let stoppedAt = try await engine.write(about: Subjects([ada])) { transaction in
                try transaction.save(
                    SignInWaitRow(wait, stoppedAt: noon.adding(.days(30))), of: ada)
                try transaction.correctMoments(by: correction)
                return try transaction.signInWait(of: ada)?.stoppedAt
            }
            #expect(stoppedAt == noon)
        }
    }

    /// - Parameter hours: how far the clock was behind; negative if it was ahead.
    @Test(arguments: [(48, 0, 48), (48, -2, -2), (-48, 24, 0), (-48, -1, -1)])
    func wrongClockShortensNoWeekAfterAStop(
        hours: Int, written: Int, corrected: Int
    ) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let moment = noon.adding(.hours(written))
            let correction = ClockCorrection(
                by: .hours(hours), since: noon.adding(.hours(-1)),
                until: noon.adding(.hours(1)))
            let found = try await engine.write(about: Subjects([ada])) { transaction in
                try transaction.setSignInLock(SignInLockRow(codesMadeAt: moment), of: ada)
                try transaction.save(SignInWaitRow(wait, stoppedAt: moment), of: ada)
                try transaction.correctMoments(by: correction)
                return (
                    try transaction.signInWait(of: ada)?.stoppedAt,
                    try transaction.signInLock(of: ada)?.codesMadeAt
                )
            }
            #expect(found.0 == noon.adding(.hours(corrected)))
            #expect(found.1 == noon.adding(.hours(corrected)))
        }
    }

    /// - Parameter hours: how far the clock was behind; negative if it was ahead.
    @Test(arguments: [(2, 168, 170), (-24, 192, 168), (-24, 100, 100)])
    func wrongClockLeavesSevenDaysToStopASignIn(
        hours: Int, end: Int, corrected: Int
    ) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let wait = SignInWait(
                deviceName: "Phone", startedAt: noon, endsAt: noon.adding(.hours(end)))
            let correction = ClockCorrection(
                by: .hours(hours), since: noon.adding(.hours(-1)),
                until: noon.adding(.hours(1)))
            let found = try await engine.write(about: Subjects([ada])) { transaction in
                try transaction.setSignInLock(
                    SignInLockRow(endsAt: noon.adding(.hours(end))), of: ada)
                try transaction.save(SignInWaitRow(wait), of: ada)
                try transaction.correctMoments(by: correction)
                return (
                    try transaction.signInWait(of: ada)?.wait.endsAt,
                    try transaction.signInLock(of: ada)?.endsAt
                )
            }
            #expect(found.0 == noon.adding(.hours(corrected)))
            #expect(found.1 == noon.adding(.hours(corrected)))
        }
    }
}
