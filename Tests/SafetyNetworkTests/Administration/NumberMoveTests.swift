import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct NumberMoveTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let new: PhoneNumber

    private var moves: NumberMoves { server.network.numberMoves }

    init() async throws {
        server = try TestServer()
        (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        new = try PhoneNumber("+15559990001")
    }

    private func move(to number: PhoneNumber? = nil) async throws {
        _ = try await moves.move(
            ada.number.text, to: (number ?? new).text, reason: "Lost the SIM", by: "root")
    }

    @Test func numberChangesAfterADay() async throws {
        try await move()
        let due = server.clock.now.adding(.hours(24))
        #expect(
            try await server.profile(ada).numberMove
                == NumberMove(phoneNumber: new, takesEffectAt: due))
        server.clock.pass(.milliseconds(24 * 3_600_000 - 1))
        #expect(try await moves.pass() == 0)
        #expect(try await server.profile(ada).phoneNumber == ada.number)
        server.clock.pass(.milliseconds(1))
        #expect(try await moves.pass() == 1)
        let profile = try await server.profile(ada)
        #expect(profile.phoneNumber == new && profile.numberMove == nil)
        #expect(try await moves.pass() == 0)
        #expect(try await server.network.administration.person(new.text).person.id == ada.id)
    }

    /// The link would open a new account, which ends the move.
    @Test func linkForTheNewNumberIsRefusedWhileTheMoveWaits() async throws {
        func invite(_ number: PhoneNumber) async -> CommandError? {
            await refusal {
                try await server.network.administration.invite(
                    number, uses: 1, days: 7, note: "", reason: "New phone", by: "root")
            }
        }
        try await move()
        let expected = CommandError.alreadyExists(
            """
            Ada's account moves to this number at 12:00 UTC on Monday. Make the link for its \
            present number.
            """)
        #expect(await invite(new) == expected)
        #expect(await invite(ada.number) == nil)
        let other = try PhoneNumber("+15559990002")
        #expect(await invite(other) == nil)
        _ = try await moves.stop(of: ada.caller)
        #expect(await invite(new) == nil)
    }

    @Test func moveRevokesTheUnusedLinksForTheNewNumber() async throws {
        let administration = server.network.administration
        func invite(_ number: PhoneNumber) async throws {
            _ = try await administration.invite(
                number, uses: 1, days: 7, note: "", reason: "New phone", by: "root")
        }
        let other = try PhoneNumber("+15559990002")
        try await invite(new)
        try await invite(other)
        let done = try await moves.move(
            ada.number.text, to: new.text, reason: "Lost the SIM", by: "root")
        #expect(done.message.hasSuffix("The unused link for the new number was revoked."))
        let tokens = try await server.network.signUpTokens.list()
        #expect(tokens.filter { $0.revokedAt != nil }.map(\.phoneNumber) == [new])
        #expect(tokens.count == 2)
    }

    @Test func moveWithoutLinksNamesNone() async throws {
        let done = try await moves.move(
            ada.number.text, to: new.text, reason: "Lost the SIM", by: "root")
        #expect(!done.message.contains("link"))
    }

    @Test func personShowsThatTheNewNumberIsTaken() async throws {
        func isTaken() async throws -> Bool? {
            try await server.network.administration.person(ada.number.text).isNewNumberTaken
        }
        try await move()
        #expect(try await isTaken() != true)
        _ = try await server.signIn(new, as: "Cleo")
        #expect(try await isTaken() == true)
    }

    @Test func sessionsAndTheOldNumberAreTold() async throws {
        _ = try await server.news(of: ada)
        try await move()
        #expect(try await server.news(of: ada) == ["Your phone number will change"])
        let text = try #require(server.environment.texts(on: ada.number).last)
        #expect(text.contains("To stop it, sign in at https://lifesignal.example"))
        #expect(!text.contains(new.text) && !text.contains("recovery code"))
        let acts = try await server.network.administration.acts(about: ada.caller)
        #expect(acts.map(\.kind) == [.move])
    }

    /// A code would sign in only after the change.
    @Test func numberWithTheLockIsToldWhatSignsIn() async throws {
        _ = try await server.network.signInLocks.turnOn(of: ada.caller)
        try await move()
        let text = try #require(server.environment.texts(on: ada.number).last)
        #expect(text.contains("use a passkey or a recovery code") && text.count <= 300)
    }

    @Test func numberWithoutTextsGetsNone() async throws {
        try await server.engine.write(about: Subjects([ada.id])) { [ada] transaction in
            if let user = try transaction.user(ada.id) { try transaction.stopTexts(to: user) }
        }
        try await move()
        #expect(server.environment.texts(on: ada.number).isEmpty)
    }

    @Test func refusedMoveUsesUpNoRecoveryCode() async throws {
        let codes = try await server.network.recovery.makeCodes(of: ada.caller).codes
        let code = try #require(codes.first)
        func moveNow(to number: PhoneNumber) async -> CommandError? {
            await refusal {
                try await moves.move(
                    ada.number.text, to: number.text, reason: "Lost", recoveryCode: code,
                    by: "root")
            }
        }
        #expect(await moveNow(to: ben.number)?.isAlreadyExists == true)
        try await move(to: PhoneNumber("+15559990002"))
        _ = try await server.news(of: ada)
        #expect(await moveNow(to: new) == nil)
        #expect(try await server.profile(ada).numberMove == nil)
        #expect(try await server.news(of: ada).contains("A recovery code was used"))
        let acts = try await server.network.administration.acts(about: ada.caller)
        #expect(acts.map(\.kind) == [.move, .move])
    }

    @Test func personStopsTheChange() async throws {
        try await move()
        let profile = try await moves.stop(of: ada.caller)
        #expect(profile.numberMove == nil && profile.phoneNumber == ada.number)
        #expect(try await server.news(of: ada).last == "Your phone number stays")
        #expect(await refusal { try await moves.stop(of: ada.caller) }?.isNotFound == true)
        server.clock.pass(.days(2))
        #expect(try await moves.pass() == 0)
        #expect(try await server.profile(ada).phoneNumber == ada.number)
        // An administrator can begin again.
        try await move()
    }

    @Test func nobodyStopsAnotherPersonsChange() async throws {
        try await move()
        #expect(await refusal { try await moves.stop(of: ben.caller) }?.isNotFound == true)
        #expect(try await server.profile(ada).numberMove != nil)
    }

    @Test func numberWithAnAccountIsRefused() async throws {
        let error = await refusal { try await move(to: ben.number) }
        #expect(error?.isAlreadyExists == true)
        try await move()
        #expect(await refusal { try await move() }?.isAlreadyExists == true)
    }

    /// The person who has lost the phone can't stop a change to a stranger's number.
    @Test func administratorCorrectsTheNumber() async throws {
        let wrong = try PhoneNumber("+15559990009")
        try await move(to: wrong)
        let begin = server.clock.now
        server.clock.pass(.hours(23))
        _ = try await server.news(of: ada)
        let texts = server.environment.texts(on: ada.number).count
        try await move()
        #expect(try await server.news(of: ada) == ["Your phone number will change"])
        #expect(server.environment.texts(on: ada.number).count == texts + 1)
        let due = server.clock.now.adding(.hours(24))
        #expect(
            try await server.profile(ada).numberMove
                == NumberMove(phoneNumber: new, takesEffectAt: due))
        server.clock.set(begin.adding(.hours(24)))
        #expect(try await moves.pass() == 0)
        server.clock.set(due.aMillisecondBefore)
        #expect(try await moves.pass() == 0)
        #expect(try await server.profile(ada).phoneNumber == ada.number)
        server.clock.set(due)
        #expect(try await moves.pass() == 1)
        #expect(try await server.profile(ada).phoneNumber == new)
        let acts = try await server.network.administration.acts(about: ada.caller)
        #expect(acts.map(\.kind) == [.move, .move])
    }

    /// A repeated command must not postpone the change.
    @Test func repeatedMoveToTheSameNumberChangesNothing() async throws {
        try await move()
        let waiting = try await server.profile(ada).numberMove
        server.clock.pass(.hours(1))
        #expect(await refusal { try await move() }?.isAlreadyExists == true)
        #expect(try await server.profile(ada).numberMove == waiting)
    }

    private func beginOwnChange(to number: PhoneNumber) async throws {
        _ = try await server.network.signInLocks.turnOn(of: ada.caller)
        let code = try await server.code(for: number)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: number, code: code, of: ada.caller)
    }

    /// A thief's change must not keep the owner from help.
    @Test func administratorReplacesThePersonsChange() async throws {
        try await beginOwnChange(to: try PhoneNumber("+493012345678"))
        _ = try await server.news(of: ada)
        try await move()
        let due = server.clock.now.adding(.hours(24))
        #expect(
            try await server.profile(ada).numberMove
                == NumberMove(phoneNumber: new, takesEffectAt: due))
        #expect(try await server.news(of: ada) == ["Your phone number will change"])
        #expect(await refusal { try await move() }?.isAlreadyExists == true)
    }

    @Test(arguments: [true, false])
    func lockedAccountKeepsItsNumberUntilItIsUnlocked(isOwn: Bool) async throws {
        let administration = server.network.administration
        if isOwn { try await beginOwnChange(to: new) } else { try await move() }
        _ = try await administration.lock(ada.number.text, reason: "Thief", by: "root")
        server.clock.pass(.days(8))
        #expect(try await moves.pass() == 0)
        let profile = try await server.profile(ada)
        #expect(profile.phoneNumber == ada.number && profile.numberMove?.phoneNumber == new)
        _ = try await administration.unlock(ada.number.text, reason: "Settled", by: "root")
        #expect(try await moves.pass() == 1)
        #expect(try await server.profile(ada).phoneNumber == new)
    }

    @Test func numberThatGotAnAccountMeanwhileStays() async throws {
        try await move()
        _ = try await server.signIn(new, as: "Cleo")
        server.clock.pass(.hours(24))
        #expect(try await moves.pass() == 0)
        let profile = try await server.profile(ada)
        #expect(profile.phoneNumber == ada.number && profile.numberMove == nil)
        let told = try await server.newsItems(of: ada).last
        #expect(told?.title == "Your phone number stays")
        #expect(
            told?.body
                == "It was not changed, because another person on LifeSignal has the new number.")
        let acts = try await server.network.administration.acts(about: ada.caller)
        #expect(acts.map(\.kind) == [.move, .move])
        #expect(acts.map(\.doneBy) == ["the server", "root"])
        #expect(acts.first?.reason == "The number stays: another person has the new number.")
    }

    /// The log is about administrators' acts.
    @Test func ownChangeToATakenNumberIsNotLogged() async throws {
        try await beginOwnChange(to: new)
        server.clock.pass(.days(1))
        _ = try await server.signIn(new, as: "Cleo")
        server.clock.pass(.days(7))
        #expect(try await moves.pass() == 0)
        #expect(try await server.news(of: ada).contains("Your phone number stays"))
        #expect(try await server.network.administration.acts(about: ada.caller) == [])
    }

    @Test func numberThatAwaitsAnotherPersonsChangeIsRefused() async throws {
        try await move()
        func moveBen() async -> CommandError? {
            await refusal {
                try await moves.move(
                    ben.number.text, to: new.text, reason: "Lost the SIM", by: "root")
            }
        }
        #expect(await moveBen()?.isAlreadyExists == true)
        #expect(try await server.profile(ben).numberMove == nil)
        _ = try await moves.stop(of: ada.caller)
        #expect(await moveBen() == nil)
        #expect(try await server.profile(ben).numberMove?.phoneNumber == new)
    }

    @Test func ownChangeOfTheNumberEndsTheMove() async throws {
        try await move()
        let own = try PhoneNumber("+15559990002")
        let request = try await server.network.codes.requestNumberCode(
            for: own, from: "192.0.2.1", of: ada.caller)
        let code = try #require(server.environment.codes(on: own).last)
        let profile = try await server.network.phoneNumberChange.changePhoneNumber(
            to: own, code: code, by: CodeAsker(requestID: request), of: ada.caller)
        #expect(profile.numberMove == nil)
        server.clock.pass(.hours(24))
        #expect(try await moves.pass() == 0)
        #expect(try await server.profile(ada).phoneNumber == own)
    }

    @Test func invalidNumberIsRefused() async throws {
        let error = await refusal {
            try await moves.move(ada.number.text, to: "12", reason: "Lost", by: "root")
        }
        #expect(error?.field == "to")
    }

    @Test func deletedAccountLeavesNoChange() async throws {
        try await move()
        try await server.deleteAccount(ada)
        server.clock.pass(.hours(24))
        #expect(try await moves.pass() == 0)
    }
}
