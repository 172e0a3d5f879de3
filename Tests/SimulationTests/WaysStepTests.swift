import Testing

@testable import Simulation

/// Ways into an account. Two people have an account after the second minute.
@Suite struct WaysStepTests {
    private func play(
        _ steps: [TimedStep], seed: UInt64 = 1, days: Int = 2
    ) async throws -> RunResult {
        let joins = [TimedStep(minute: 1, .join(0)), TimedStep(minute: 2, .join(1))]
        let result = try await Simulator(.init(seed: seed, people: 3)).play(
            joins + steps, until: Int64(days) * 86_400_000)
        #expect(result.violation == nil)
        return result
    }

    @Test func personChangesTheNumber() async throws {
        let result = try await play([
            TimedStep(minute: 5, .seeCode(0, of: 1)),
            TimedStep(minute: 6, .scan(0, codeOf: 1, both: false)),
            TimedStep(minute: 10, .changeNumber(0, .wrongCode)),
            TimedStep(minute: 11, .changeNumber(0, .taken)),
            TimedStep(minute: 12, .changeNumber(0, .right)),
            TimedStep(minute: 13, .signInElsewhere(0)),
            TimedStep(minute: 14, .changeNumber(0, .right)),
        ])
        let expected: Set = [
            "number: changed by its person", "Your phone number was changed",
            "NAME has a new phone number",
        ]
        #expect(expected.isSubset(of: result.sights))
    }

    @Test func lockedNumberWaits() async throws {
        let result = try await play(
            [
                TimedStep(minute: 10, .signInLock(0, isOn: true, byCode: false)),
                TimedStep(minute: 11, .changeNumber(0, .right)),
                TimedStep(minute: 12, .changeNumber(0, .right)),
                TimedStep(day: 7, hour: 1, .signInElsewhere(0)),
            ], days: 8)
        #expect(result.sights.isSuperset(of: ["number: waits", "Your phone number was changed"]))
        #expect(!result.sights.contains("number: changed by its person"))
    }

    @Test func ownChangeEndsAMoveThatWaits() async throws {
        let result = try await play(
            [
                TimedStep(minute: 10, .move(0, byCode: false)),
                TimedStep(minute: 11, .changeNumber(0, .right)),
            ], days: 3)
        #expect(result.sights.contains("number: changed by its person"))
        #expect(!result.sights.contains("Your phone number stays"))
    }

    @Test(arguments: 1...7) func codesHaveFiveAttempts(tries: Int) async throws {
        let result = try await play([TimedStep(minute: 10, .guessCode(0, tries: tries))], days: 1)
        #expect(result.sights.contains("code: used up") == (tries >= 5))
        #expect(result.sights.contains("New sign-in to your account"))
    }

    @Test func codeIsValidForFiveMinutes() async throws {
        let result = try await play([
            TimedStep(minute: 10, .keepCode(0)), TimedStep(minute: 14, .enterKeptCode(0)),
        ])
        #expect(result.sights.contains("New sign-in to your account"))
        let late = try await play([
            TimedStep(minute: 10, .keepCode(0)), TimedStep(minute: 16, .enterKeptCode(0)),
        ])
        #expect(late.sights.contains("code: too old"))
    }

    /// Seed 2 has the limits of the product.
    @Test func strangersDoNotUseUpTheCodes() async throws {
        let floods = (1...4).map { TimedStep(minute: 10 + $0, .floodCodes(0, times: 8)) }
        let known = [TimedStep(minute: 10, .guessCode(0, tries: 6))]
        let result = try await play(known + floods, seed: 2)
        #expect(result.sights.contains("codes: refused"))
    }

    @Test func tokensEnd() async throws {
        let result = try await play([
            TimedStep(minute: 5, .useSession(0)), TimedStep(minute: 10, .endNewSession(0)),
            TimedStep(minute: 11, .copyToken(0)), TimedStep(minute: 20, .useSession(0)),
            TimedStep(minute: 21, .refresh(0, answerLost: false)),
            TimedStep(minute: 22, .useSession(0)),
        ])
        let expected: Set = ["session: ended", "A session was ended", "access token: too old"]
        #expect(expected.isSubset(of: result.sights))
    }

    @Test func sessionEndsAfter90DaysWithoutUse() async throws {
        let result = try await play(
            [
                TimedStep(day: 95, .refresh(0, answerLost: false)),
                TimedStep(day: 95, hour: 1, .useSession(0)),
            ], days: 96)
        #expect(result.sights.contains("session: expired"))
    }

    @Test func repeatedRequestBringsTheSameRecoveryCodes() async throws {
        let result = try await play([
            TimedStep(minute: 10, .repeatCodes(0, isUsed: true)),
            TimedStep(minute: 11, .signInLock(0, isOn: true, byCode: false)),
            TimedStep(minute: 12, .repeatCodes(0, isUsed: false)),
            TimedStep(minute: 13, .useCode(0, isUsed: true)),
        ])
        #expect(
            result.sights.isSuperset(of: ["recovery code: used", "recovery code: used before"]))
    }

    @Test func passkeySignsIn() async throws {
        let uses = Step.PasskeyUse.allCases.filter { $0 != .removed }.enumerated().map {
            TimedStep(minute: 20 + $0.offset, .usePasskey(0, $0.element))
        }
        let result = try await play(
            [
                TimedStep(minute: 10, .addPasskey(0)),
                TimedStep(minute: 11, .signInLock(0, isOn: true, byCode: false)),
            ] + uses + [
                TimedStep(minute: 40, .removePasskey(0)),
                TimedStep(minute: 41, .usePasskey(0, .removed)),
            ])
        let expected: Set = [
            "A passkey was added", "A passkey was renamed", "A passkey was removed",
            "A passkey may have been copied", "passkey: used",
        ]
        #expect(expected.isSubset(of: result.sights))
    }

    @Test(arguments: Step.Admission.allCases)
    func strangersGetNoCode(admission: Step.Admission) async throws {
        let result = try await play([TimedStep(minute: 10, .limitSignUp(0, admission))])
        let expected: Set = ["sign-up: \(admission)", "New sign-in to your account"]
        #expect(expected.isSubset(of: result.sights))
    }
}
