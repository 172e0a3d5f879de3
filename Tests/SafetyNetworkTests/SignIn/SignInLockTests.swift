import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct SignInLockTests {
    private let server: TestServer
    private let ada: Person

    private var locks: SignInLocks { server.network.signInLocks }
    private var recovery: Recovery { server.network.recovery }

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
    }

    private func turnOn() async throws {
        _ = try await locks.turnOn(of: ada.caller)
        _ = try await server.news(of: ada)
    }

    /// Signs in as the owner of the number, on a new device.
    private func refusedSignIn() async throws -> InvalidInputReason? {
        let code = try await server.code(for: ada.number)
        return await refusal {
            try await server.network.signIn.signIn(
                ada.number, code: code, deviceName: "Thief phone")
        }?.reason
    }

    private func security() async throws -> SignInSecurity {
        try await locks.security(of: ada.caller)
    }

    private func news() async throws -> [String] { try await server.news(of: ada) }

    // MARK: The wait

    @Test func lockIsOffAtFirst() async throws {
        #expect(try await security() == SignInSecurity())
        #expect(try await refusedSignIn() == nil)
    }

    @Test func codeWaitsSevenDays() async throws {
        try await turnOn()
        #expect(try await refusedSignIn() == .signInWaits)
        let begun = server.clock.now
        #expect(
            try await security().wait
                == SignInWait(
                    deviceName: "Thief phone", startedAt: begun, endsAt: begun.adding(.days(7))))
        server.clock.set(begun.adding(.days(7)).aMillisecondBefore)
        #expect(try await refusedSignIn() == .signInWaits)
        server.clock.set(begun.adding(.days(7)))
        #expect(try await refusedSignIn() == nil)
        // The next code waits again.
        #expect(try await security().wait == nil)
        #expect(try await refusedSignIn() == .signInWaits)
    }

    @Test func sessionsAndTheNumberAreToldOncePerWait() async throws {
        try await turnOn()
        let texts = server.environment.texts(on: ada.number).count
        for _ in 1...3 { #expect(try await refusedSignIn() == .signInWaits) }
        #expect(try await news() == ["Somebody has a code for your account"])
        let added = server.environment.texts(on: ada.number).dropFirst(texts)
        #expect(Array(added) == [NotificationText.signInWaitBegan])
        #expect(NotificationText.signInWaitBegan.count <= 160)
    }

    @Test func deviceThatHasSignedInCausesNoText() async throws {
        let device = CodeAsker(deviceKey: server.environment.id())
        func signIn() async throws -> InvalidInputReason? {
            let code = try await server.code(for: ada.number)
            return await refusal {
                try await server.network.signIn.signIn(
                    ada.number, code: code, deviceName: "Phone", by: device)
            }?.reason
        }
        #expect(try await signIn() == nil)
        try await turnOn()
        #expect(try await signIn() == .signInWaits)
        #expect(server.environment.texts(on: ada.number) == [NotificationText.signInLockIsOn])
        #expect(try await news() == ["Somebody has a code for your account"])
    }

    @Test func numberWithoutTextsGetsNone() async throws {
        try await turnOn()
        try await server.engine.write(about: Subjects([ada.id])) { [ada] transaction in
            if let user = try transaction.user(ada.id) { try transaction.stopTexts(to: user) }
        }
        #expect(try await refusedSignIn() == .signInWaits)
        #expect(server.environment.texts(on: ada.number) == [NotificationText.signInLockIsOn])
    }

    @Test func budgetStopsTheText() async throws {
        // Alarms may use twice a person's share.
        let budgets = Budgets(sms: Budget(total: nil, perUser: 1), voice: .unlimited)
        let server = try TestServer(options: { $0.budgets = budgets })
        let ada = try await server.person("Ada")
        _ = try await server.network.signInLocks.turnOn(of: ada.caller)
        try await server.engine.write(about: Subjects([ada.id])) { transaction in
            for _ in 1...2 {
                _ = try transaction.spend(.alertBegin, on: .sms, by: ada.id, budgets)
            }
        }
        let code = try await server.code(for: ada.number)
        let error = await refusal {
            try await server.network.signIn.signIn(ada.number, code: code, deviceName: "Phone")
        }
        #expect(error?.reason == .signInWaits)
        #expect(server.environment.texts(on: ada.number) == [NotificationText.signInLockIsOn])
    }

    /// A later stop would only refuse the owner's own code for a week.
    @Test func waitIsStoppedWhileItCanBeUsed() async throws {
        try await turnOn()
        for isUsable in [true, false] {
            #expect(try await refusedSignIn() == .signInWaits)
            let end = server.clock.now.adding(.days(14))
            server.clock.set(isUsable ? end.aMillisecondBefore : end)
            let error = await refusal { try await locks.stopWait(of: ada.caller) }
            #expect(error?.isNotFound == (isUsable ? nil : true))
            if isUsable { server.clock.pass(.days(7)) }
        }
        #expect(try await refusedSignIn() == .signInWaits)
    }

    @Test func anySessionStopsTheWaitForAWeek() async throws {
        try await turnOn()
        #expect(try await refusedSignIn() == .signInWaits)
        _ = try await news()
        #expect(try await locks.stopWait(of: ada.caller).wait == nil)
        #expect(await refusal { try await locks.stopWait(of: ada.caller) }?.isNotFound == true)
        let stopped = server.clock.now
        server.clock.set(stopped.adding(.days(7)).aMillisecondBefore)
        #expect(try await refusedSignIn() == .signInStopped)
        #expect(try await news() == ["The waiting sign-in was stopped"])
        server.clock.set(stopped.adding(.days(7)))
        #expect(try await refusedSignIn() == .signInWaits)
    }

    @Test func nobodyStopsAnotherPersonsWait() async throws {
        let ben = try await server.person("Ben")
        try await turnOn()
        #expect(try await refusedSignIn() == .signInWaits)
        #expect(await refusal { try await locks.stopWait(of: ben.caller) }?.isNotFound == true)
        #expect(try await security().wait != nil)
    }

    @Test func operatorsLinkWaitsLikeACode() async throws {
        try await turnOn()
        let token = try await server.network.signUpTokens.make(number: ada.number).secret
        func signIn() async -> InvalidInputReason? {
            await refusal {
                try await server.network.signIn.signIn(
                    ada.number, token: token.text, deviceName: "Phone")
            }?.reason
        }
        #expect(await signIn() == .signInWaits)
        #expect(
            server.environment.texts(on: ada.number).last == NotificationText.signInWaitBegan)
        server.clock.pass(.days(7))
        let next = try await server.network.signUpTokens.make(number: ada.number).secret
        #expect(
            await refusal {
                try await server.network.signIn.signIn(
                    ada.number, token: next.text, deviceName: "Phone")
            } == nil)
        #expect(await signIn() == .tokenExpired)
    }

    // MARK: On and off

    @Test func turningOnAndOffIsTold() async throws {
        _ = try await locks.turnOn(of: ada.caller)
        _ = try await locks.turnOn(of: ada.caller)
        #expect(try await news() == ["The sign-in lock was turned on"])
        _ = try await locks.turnOff(of: ada.caller)
        _ = try await locks.turnOff(of: ada.caller)
        #expect(try await news() == ["The sign-in lock was turned off"])
    }

    @Test func lockEndsAfterSevenDays() async throws {
        try await turnOn()
        let end = server.clock.now.adding(.days(7))
        #expect(try await locks.turnOff(of: ada.caller).lockEndsAt == end)
        server.clock.set(end.aMillisecondBefore)
        #expect(try await security().isLocked)
        #expect(try await refusedSignIn() == .signInWaits)
        server.clock.set(end)
        #expect(try await !security().isLocked)
        #expect(try await refusedSignIn() == nil)
    }

    @Test func lockCanBeKeptOnBeforeItsEnd() async throws {
        try await turnOn()
        _ = try await locks.turnOff(of: ada.caller)
        #expect(try await locks.turnOn(of: ada.caller).lockEndsAt == nil)
        server.clock.pass(.days(8))
        #expect(try await security().isLocked)
    }

    /// Somebody with the unlocked phone can't shorten a wait by turning the lock off and on.
    @Test func lockTurnedOffAndOnKeepsAStoppedWait() async throws {
        try await turnOn()
        #expect(try await refusedSignIn() == .signInWaits)
        _ = try await locks.stopWait(of: ada.caller)
        _ = try await locks.turnOff(of: ada.caller)
        _ = try await locks.turnOn(of: ada.caller)
        #expect(try await refusedSignIn() == .signInStopped)
    }

    @Test func repeatedCodesNeitherShortenNorRestartAWait() async throws {
        try await turnOn()
        let end = server.clock.now.adding(.days(7))
        for day in 1...3 {
            #expect(try await refusedSignIn() == .signInWaits)
            #expect(try await security().wait?.endsAt == end, "day \(day)")
            server.clock.pass(.days(1))
        }
    }

    /// The new owner of a ported number can't bring it into an account of their own.
    @Test func portedNumberCannotBeMovedToAnotherAccount() async throws {
        try await turnOn()
        let thief = try await server.person("Thief")
        let code = try await server.code(for: ada.number)
        let error = await refusal {
            try await server.network.phoneNumberChange.changePhoneNumber(
                to: ada.number, code: code, of: thief.caller)
        }
        #expect(error?.isAlreadyExists == true)
        #expect(try await server.profile(ada).phoneNumber == ada.number)
    }

    private func changeNumber(to number: PhoneNumber) async throws -> UserProfile {
        let code = try await server.code(for: number)
        return try await server.network.phoneNumberChange.changePhoneNumber(
            to: number, code: code, of: ada.caller)
    }

    /// Somebody with the unlocked phone could take the account away.
    @Test func lockedNumberChangeWaitsSevenDaysAndIsTold() async throws {
        try await turnOn()
        let (new, end) = (
            try PhoneNumber("+493012345678"), server.clock.now.adding(.days(7))
        )
        for _ in 1...2 {
            let profile = try await changeNumber(to: new)
            #expect(profile.phoneNumber == ada.number)
            #expect(profile.numberMove == NumberMove(phoneNumber: new, takesEffectAt: end))
        }
        #expect(try await news() == ["Your phone number will change"])
        let text = NotificationText.numberWaits(at: "https://lifesignal.example")
        let texts = server.environment.texts(on: ada.number)
        #expect(texts == [NotificationText.signInLockIsOn, text] && text.count <= 300)
        server.clock.set(end.aMillisecondBefore)
        #expect(try await server.network.numberMoves.pass() == 0)
        server.clock.set(end)
        #expect(try await server.network.numberMoves.pass() == 1)
        #expect(try await server.profile(ada).phoneNumber == new)
    }

    @Test func anySessionStopsALockedNumberChange() async throws {
        try await turnOn()
        _ = try await changeNumber(to: try PhoneNumber("+493012345678"))
        let stopped = try await server.network.numberMoves.stop(of: ada.caller)
        #expect(stopped.numberMove == nil)
        server.clock.pass(.days(7))
        #expect(try await server.network.numberMoves.pass() == 0)
        #expect(try await server.profile(ada).phoneNumber == ada.number)
    }

    @Test func anotherLockedNumberChangeReplacesTheFirst() async throws {
        try await turnOn()
        _ = try await changeNumber(to: try PhoneNumber("+493012345678"))
        server.clock.pass(.days(1))
        let other = try PhoneNumber("+493012345679")
        let profile = try await changeNumber(to: other)
        #expect(
            profile.numberMove
                == NumberMove(
                    phoneNumber: other, takesEffectAt: server.clock.now.adding(.days(7))))
    }

    /// Otherwise the account would leave the new number days later.
    @Test func changeAtOnceEndsTheOneThatWaits() async throws {
        let codes = try await recovery.makeCodes(of: ada.caller).codes
        server.clock.pass(.days(7))
        try await turnOn()
        _ = try await changeNumber(to: try PhoneNumber("+493012345678"))
        _ = try await locks.turnOff(recoveryCode: codes[0], of: ada.caller)
        let new = try PhoneNumber("+493012345679")
        let profile = try await changeNumber(to: new)
        #expect(profile.phoneNumber == new && profile.numberMove == nil)
        server.clock.pass(.days(7))
        #expect(try await server.network.numberMoves.pass() == 0)
        #expect(try await server.profile(ada).phoneNumber == new)
    }

    @Test func recoveryCodeTurnsTheLockOffAtOnce() async throws {
        let codes = try await recovery.makeCodes(of: ada.caller).codes
        server.clock.pass(.days(7))
        try await turnOn()
        let code = try #require(codes.first)
        #expect(
            try await locks.turnOff(recoveryCode: code, of: ada.caller)
                == SignInSecurity(recoveryCodes: 9))
        #expect(
            Set(try await news()) == [
                "A recovery code was used", "The sign-in lock was turned off",
            ]
        )
        #expect(try await refusedSignIn() == nil)
        try await turnOn()
        let error = await refusal {
            try await locks.turnOff(recoveryCode: code, of: ada.caller)
        }
        #expect(error?.reason == .recoveryCodeWrong)
        #expect(try await security().isLocked)
    }

    @Test func lockThatIsOffUsesUpNoCode() async throws {
        let code = try #require(try await recovery.makeCodes(of: ada.caller).codes.first)
        let off = SignInSecurity(recoveryCodes: 10)
        #expect(try await locks.turnOff(recoveryCode: code, of: ada.caller) == off)
        try await turnOn()
        _ = try await locks.turnOff(of: ada.caller)
        server.clock.pass(.days(7))
        #expect(try await locks.turnOff(recoveryCode: code, of: ada.caller) == off)
    }

    @Test func oldWaitDoesNotOutliveTheLock() async throws {
        try await turnOn()
        #expect(try await refusedSignIn() == .signInWaits)
        _ = try await locks.turnOff(of: ada.caller)
        server.clock.pass(.days(7))
        try await turnOn()
        #expect(try await refusedSignIn() == .signInWaits)
    }

    // MARK: Recovery codes

    @Test func eachCodeSignsInOnceDespiteTheLock() async throws {
        let codes = try await recovery.makeCodes(of: ada.caller).codes
        #expect(Set(codes).count == 10)
        try await turnOn()
        let code = try #require(codes.last)
        let tokens = try await server.network.signIn.signIn(
            ada.number, recoveryCode: code.lowercased(), deviceName: "New phone")
        #expect(tokens.caller.userID == ada.id && !tokens.isNewUser)
        #expect(try await security().recoveryCodes == 9)
        let news = try await news()
        #expect(news.contains("A recovery code was used"))
        #expect(news.contains("New sign-in to your account"))
        let again = await refusal {
            try await server.network.signIn.signIn(
                ada.number, recoveryCode: code, deviceName: "New phone")
        }
        #expect(again?.reason == .recoveryCodeWrong)
    }

    /// Otherwise a code on any device could use the wait.
    @Test func signInByRecoveryCodeEndsTheWait() async throws {
        let codes = try await recovery.makeCodes(of: ada.caller).codes
        try await turnOn()
        #expect(try await refusedSignIn() == .signInWaits)
        _ = try await server.network.signIn.signIn(
            ada.number, recoveryCode: codes[0], deviceName: "Phone")
        #expect(try await security().wait == nil)
        server.clock.pass(.days(7))
        #expect(try await refusedSignIn() == .signInWaits)
    }

    @Test func codeUsedConcurrentlySignsInOnce() async throws {
        let codes = try await recovery.makeCodes(of: ada.caller).codes
        let (server, number) = (self.server, ada.number)
        let entered = await withTaskGroup(of: Bool.self) { group in
            for _ in 1...SignInRules.codesPerNumber {
                group.addTask {
                    let error = await refusal {
                        try await server.network.signIn.signIn(
                            number, recoveryCode: codes[0], deviceName: "Phone")
                    }
                    return error == nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(entered == 1)
        #expect(try await security().recoveryCodes == 9)
    }

    @Test func codesOfAnotherPersonAreWrong() async throws {
        let ben = try await server.person("Ben")
        let codes = try await recovery.makeCodes(of: ben.caller).codes
        let error = await refusal {
            try await server.network.signIn.signIn(
                ada.number, recoveryCode: codes[0], deviceName: "Phone")
        }
        #expect(error?.reason == .recoveryCodeWrong)
        #expect(try await locks.security(of: ben.caller).recoveryCodes == 10)
    }

    @Test func unknownNumberLooksLikeAWrongCode() async throws {
        let stranger = try PhoneNumber("+493020000001")
        let code = "0000-0000-0000-0000"
        let errors = [
            await refusal {
                try await server.network.signIn.signIn(
                    stranger, recoveryCode: code, deviceName: "Phone")
            },
            await refusal {
                try await server.network.signIn.signIn(
                    ada.number, recoveryCode: code, deviceName: "Phone")
            },
        ]
        #expect(errors.first == errors.last && errors.first??.reason == .recoveryCodeWrong)
    }

    @Test func attemptsCountTowardsTheLimitOfCodes() async throws {
        let asker = CodeAsker(address: "192.0.2.7")
        func attempt() async -> CommandError? {
            await refusal {
                try await server.network.signIn.signIn(
                    ada.number, recoveryCode: "0000-0000-0000-0000", deviceName: "Phone",
                    by: asker)
            }
        }
        for _ in 1...SignInRules.codesPerNumber {
            #expect(await attempt()?.reason == .recoveryCodeWrong)
        }
        #expect(await attempt()?.retryAfter != nil)
        server.clock.pass(.hours(1))
        #expect(await attempt()?.reason == .recoveryCodeWrong)
    }

    @Test func strangersHoldNoRecoveryCodeBack() async throws {
        let codes = try await recovery.makeCodes(of: ada.caller).codes
        // Ada's own code counts for an hour.
        server.clock.pass(.hours(1))
        for last in 1...5 {
            let stranger = CodeAsker(address: "192.0.2.\(last)")
            for _ in 1...SignInRules.codesPerNumber {
                let error = await refusal {
                    try await server.network.signIn.signIn(
                        ada.number, recoveryCode: "0000-0000-0000-0000", deviceName: "Phone",
                        by: stranger)
                }
                #expect(error?.reason == .recoveryCodeWrong)
            }
        }
        // The attempts, of which the owner hears nothing, leave all codes to the number.
        for last in 1...3 {
            for _ in 1...SignInRules.codesPerNumber {
                try await server.network.codes.requestCode(
                    for: ada.number, from: "203.0.113.\(last)")
            }
        }
        let refused = await refusal {
            try await server.network.codes.requestCode(for: ada.number, from: "198.51.100.1")
        }
        #expect(refused?.retryAfter != nil)
        let tokens = try await server.network.signIn.signIn(
            ada.number, recoveryCode: codes[0], deviceName: "New phone",
            by: CodeAsker(address: "198.51.100.1"))
        #expect(tokens.caller.userID == ada.id)
    }

    @Test func newCodesReplaceTheOldOnesAndAreTold() async throws {
        let old = try await recovery.makeCodes(of: ada.caller).codes
        let new = try await recovery.makeCodes(of: ada.caller).codes
        #expect(Set(old).isDisjoint(with: new))
        #expect(
            try await news() == ["You have new recovery codes", "You have new recovery codes"])
        let error = await refusal {
            try await server.network.signIn.signIn(
                ada.number, recoveryCode: old[0], deviceName: "Phone")
        }
        #expect(error?.reason == .recoveryCodeWrong)
    }

    @Test func lockedAccountNeedsAnOldCodeForNewOnes() async throws {
        try await turnOn()
        let first = try await recovery.makeCodes(of: ada.caller).codes
        server.clock.pass(.days(7))
        let needed = await refusal { try await recovery.makeCodes(of: ada.caller) }
        #expect(needed?.reason == .recoveryCodeNeeded)
        let wrong = await refusal {
            try await recovery.makeCodes(old: "0000-0000-0000-0000", of: ada.caller)
        }
        #expect(wrong?.reason == .recoveryCodeWrong)
        #expect(try await security().recoveryCodes == 10)
        let second = try await recovery.makeCodes(old: first[0], of: ada.caller).codes
        #expect(try await security().recoveryCodes == 10 && second != first)
    }

    @Test func repeatedRequestGetsTheSameCodesWithoutAnOldOne() async throws {
        try await turnOn()
        let request = UUID()
        let first = try await recovery.makeCodes(of: ada.caller, request: request).codes
        #expect(Set(first).count == 10)
        let told = try await news().count { $0 == "You have new recovery codes" }
        let again = try await recovery.makeCodes(of: ada.caller, request: request).codes
        #expect(again == first && told == 1)
        #expect(try await !news().contains("You have new recovery codes"))
        // Another request is no repeat.
        server.clock.pass(.days(7))
        let needed = await refusal {
            try await recovery.makeCodes(of: ada.caller, request: UUID())
        }
        #expect(needed?.reason == .recoveryCodeNeeded)
        _ = try await server.network.signIn.signIn(
            ada.number, recoveryCode: first[0], deviceName: "Phone")
        let used = await refusal {
            try await recovery.makeCodes(of: ada.caller, request: request)
        }
        #expect(used?.isAlreadyExists == true)
    }

    /// Somebody with the unlocked phone could make them.
    @Test func firstCodesTurnTheLockOffAfterSevenDaysOnly() async throws {
        try await turnOn()
        let first = try await recovery.makeCodes(of: ada.caller).codes
        let made = server.clock.now
        let second = try await recovery.makeCodes(old: first[0], of: ada.caller).codes
        // Turning the lock off and on again changes nothing.
        _ = try await locks.turnOff(of: ada.caller)
        _ = try await locks.turnOn(of: ada.caller)
        server.clock.set(made.adding(.days(7)).aMillisecondBefore)
        let error = await refusal {
            try await locks.turnOff(recoveryCode: second[0], of: ada.caller)
        }
        #expect(error?.reason == .recoveryCodeTooNew)
        // The refused code was not used up.
        #expect(try await security() == SignInSecurity(isLocked: true, recoveryCodes: 10))
        server.clock.set(made.adding(.days(7)))
        #expect(
            try await locks.turnOff(recoveryCode: second[0], of: ada.caller)
                == SignInSecurity(recoveryCodes: 9))
    }

    @Test func recoveryCodeSkipsTheWaitOfAMove() async throws {
        let new = try PhoneNumber("+15559990001")
        let codes = try await recovery.makeCodes(of: ada.caller).codes
        let moves = server.network.numberMoves
        let wrong = await refusal {
            try await moves.move(
                ada.number.text, to: new.text, reason: "Lost",
                recoveryCode: "0000-0000-0000-0000", by: "root")
        }
        #expect(wrong?.reason == .recoveryCodeWrong)
        _ = try await moves.move(
            ada.number.text, to: new.text, reason: "Lost", recoveryCode: codes[0], by: "root")
        let profile = try await server.profile(ada)
        #expect(profile.phoneNumber == new && profile.numberMove == nil)
        #expect(try await security().recoveryCodes == 9)
        #expect(server.environment.texts(on: ada.number).last == NotificationText.numberLeft)
    }

    /// Somebody with the unlocked phone could have an administrator move the number at once.
    @Test func codesMadeUnderTheLockSkipNoWaitOfAMove() async throws {
        try await turnOn()
        let (new, moves) = (try PhoneNumber("+15559990001"), server.network.numberMoves)
        let code = try await recovery.makeCodes(of: ada.caller).codes[0]
        let made = server.clock.now
        server.clock.set(made.adding(.days(7)).aMillisecondBefore)
        let error = await refusal {
            try await moves.move(
                ada.number.text, to: new.text, reason: "Lost", recoveryCode: code, by: "root")
        }
        #expect(error?.reason == .recoveryCodeTooNew)
        #expect(try await security().recoveryCodes == 10)
        server.clock.set(made.adding(.days(7)))
        _ = try await moves.move(
            ada.number.text, to: new.text, reason: "Lost", recoveryCode: code, by: "root")
        #expect(try await server.profile(ada).phoneNumber == new)
    }

    @Test func exportSaysHowTheAccountIsProtectedWithoutCodes() async throws {
        let codes = try await recovery.makeCodes(of: ada.caller).codes
        try await turnOn()
        let export = try await server.export(of: ada)
        #expect(export.signInSecurity == SignInSecurity(isLocked: true, recoveryCodes: 10))
        #expect(!codes.contains { "\(export)".contains($0) })
    }

    @Test func deletedAccountLeavesNoLock() async throws {
        _ = try await recovery.makeCodes(of: ada.caller)
        try await turnOn()
        #expect(try await refusedSignIn() == .signInWaits)
        try await server.deleteAccount(ada)
        #expect(try await refusedSignIn() == nil)
    }
}
