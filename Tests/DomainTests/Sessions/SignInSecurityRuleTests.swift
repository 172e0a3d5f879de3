import Domain
import Foundation
import Testing

@Suite struct SignInSecurityRuleTests {
    private let now = Date(milliseconds: 1_772_366_400_000)

    private func outcome(
        endsAt: Date?, stoppedAt: Date? = nil, after wait: Duration = .zero
    ) -> SignInLockRules.Outcome {
        SignInLockRules.outcome(endsAt: endsAt, stoppedAt: stoppedAt, at: now.adding(wait))
    }

    @Test func firstCodeBeginsAWait() {
        #expect(outcome(endsAt: nil) == .begins(endsAt: now.adding(.days(7))))
    }

    @Test func codeSignsInFromTheEndOfTheWaitForAWeek() {
        let end = now.adding(.days(7))
        let moment: Duration = .milliseconds(1)
        #expect(outcome(endsAt: end, after: .days(7) - moment) == .waits(until: end))
        #expect(outcome(endsAt: end, after: .days(7)) == .signsIn)
        #expect(outcome(endsAt: end, after: .days(14) - moment) == .signsIn)
        #expect(
            outcome(endsAt: end, after: .days(14)) == .begins(endsAt: now.adding(.days(21))))
    }

    @Test func stoppedWaitBeginsAgainAfterAWeekOnly() {
        let end = now.adding(.days(7))
        let moment: Duration = .milliseconds(1)
        #expect(
            outcome(endsAt: end, stoppedAt: now, after: .days(7) - moment)
                == .refused(until: now.adding(.days(7))))
        #expect(
            outcome(endsAt: end, stoppedAt: now, after: .days(7))
                == .begins(endsAt: now.adding(.days(14))))
    }

    @Test func lockIsOnUntilItsEnd() {
        #expect(SignInLockRules.isOn(endsAt: nil, at: now))
        #expect(SignInLockRules.isOn(endsAt: now.adding(.milliseconds(1)), at: now))
        #expect(!SignInLockRules.isOn(endsAt: now, at: now))
    }

    @Test func numberIsTakenBackFromTheOneLeftLessOften() {
        func takesBack(_ left: [Int], _ leftPresent: [Int]) -> Bool {
            SignInLockRules.takesNumberBack(
                left: left.map { now.adding(.days(-$0)) },
                leftPresent: leftPresent.map { now.adding(.days(-$0)) }, at: now)
        }
        #expect(!takesBack([], []) && takesBack([6], []) && !takesBack([7], []))
        // After the change back, and after a further change to the thief's number.
        #expect(!takesBack([1], [2]) && takesBack([1, 3], [2]) && !takesBack([2], [1, 3]))
        #expect(takesBack([1], [8]))
    }

    @Test func newNumberDeletesAfterAWeek() {
        func end(_ change: Date?) -> Date? {
            SignInRules.endOfWaitForDeletion(afterNumberChange: change, at: now)
        }
        let recent = now.adding(.days(-7)).adding(.milliseconds(1))
        #expect(end(recent) == now.adding(.milliseconds(1)))
        #expect(end(now.adding(.days(-7))) == nil && end(nil) == nil)
        #expect(end(now.adding(.milliseconds(1))) == nil)
    }

    @Test func codesMadeUnderTheLockUnlockAfterAWeek() {
        #expect(SignInLockRules.codesUnlock(madeAt: nil, at: now))
        #expect(SignInLockRules.codesUnlock(madeAt: now.adding(.days(-7)), at: now))
        #expect(
            !SignInLockRules.codesUnlock(
                madeAt: now.adding(.days(-7)).adding(.milliseconds(1)), at: now))
    }

    @Test func codeIsWrittenInGroups() throws {
        let code = RecoveryCodeRules.code(random: Data([0, 1, 2, 3, 4, 5, 6, 7, 8, 255]))
        #expect(code == "000G-40R4-0M30-E27Z")
        #expect(
            try RecoveryCodeRules.characters(typed: code) == code.replacing("-", with: ""))
        let all = RecoveryCodeRules.code(random: Data(repeating: 255, count: 10))
        #expect(all == "ZZZZ-ZZZZ-ZZZZ-ZZZZ")
    }

    @Test(arguments: [
        "000g-40r4-0m30-e27z", " 000G 40R4 0M30 E27Z\n", "OOOG-4OR4-OM3O-E27Z",
        "000G40R40M30E27Z",
    ])
    func codeIsReadAsPeopleTypeIt(text: String) throws {
        #expect(try RecoveryCodeRules.characters(typed: text) == "000G40R40M30E27Z")
    }

    @Test(arguments: [
        "", "000G-40R4-0M30-E27", "000G-40R4-0M30-E27Z0", "000G-40R4-0M30-E27U", "123456",
        String(repeating: " ", count: 200),
    ])
    func otherTextIsNoCode(text: String) {
        let refusal = CommandError.invalidArgument(
            field: "recoveryCode", RefusalWords.recoveryCodeLength.detail,
            reason: .recoveryCodeWrong)
        #expect(throws: refusal) { try RecoveryCodeRules.characters(typed: text) }
    }
}
