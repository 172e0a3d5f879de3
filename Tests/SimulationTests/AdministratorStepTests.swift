import Domain
import Foundation
import Testing

@testable import Simulation

/// Administrators, and the sign-in lock. Two people have an account after the second minute.
@Suite struct AdministratorStepTests {
    private func play(_ steps: [TimedStep], days: Int = 2) async throws -> RunResult {
        let joins = [TimedStep(minute: 1, .join(0)), TimedStep(minute: 2, .join(1))]
        let result = try await Simulator(.init(seed: 1, people: 3)).play(
            joins + steps, until: Int64(days) * 86_400_000)
        #expect(result.violation == nil)
        return result
    }

    @Test func lockedPersonStillCallsForHelp() async throws {
        let result = try await play([
            TimedStep(minute: 10, .lock(0)), TimedStep(minute: 11, .changeProfile(0)),
            TimedStep(minute: 12, .checkIn(0, answerLost: false)),
            TimedStep(minute: 13, .raise(0, answerLost: false)), TimedStep(minute: 14, .end(0)),
            TimedStep(minute: 15, .readActs(0)), TimedStep(minute: 16, .unlock(0)),
            TimedStep(minute: 17, .changeProfile(0)),
        ])
        let expected: Set = [
            "lock: checkIn", "lock: raiseAlert", "lock: endAlert", "lock: stopped", "acts: read",
            "Your account was unlocked",
        ]
        #expect(expected.isSubset(of: result.sights))
    }

    @Test func numberChangesAfterADay() async throws {
        let result = try await play([
            TimedStep(hour: 1, .move(0, byCode: false)),
            TimedStep(day: 1, hour: 2, .signInElsewhere(0)),
        ])
        #expect(result.sights.contains("Your phone number was changed"))
    }

    @Test func stoppedMoveKeepsTheNumber() async throws {
        let result = try await play([
            TimedStep(hour: 1, .move(0, byCode: false)), TimedStep(hour: 20, .stopMove(0)),
            TimedStep(day: 1, hour: 2, .signInElsewhere(0)),
        ])
        #expect(result.sights.contains("Your phone number stays"))
        #expect(!result.sights.contains("Your phone number was changed"))
    }

    @Test func recoveryCodeMovesAtOnceAndWorksOnce() async throws {
        let result = try await play([
            TimedStep(minute: 10, .makeCodes(0)), TimedStep(minute: 11, .move(0, byCode: true)),
            TimedStep(minute: 12, .useCode(0, isUsed: false)),
            TimedStep(minute: 13, .useCode(0, isUsed: true)),
        ])
        let expected: Set = [
            "move: by a recovery code", "recovery code: used", "recovery code: used before",
        ]
        #expect(expected.isSubset(of: result.sights))
    }

    @Test func announcementReachesEveryone() async throws {
        let result = try await play([
            TimedStep(minute: 10, .addEndpoint(0)),
            TimedStep(minute: 11, .announce(maintenance: true)),
            TimedStep(minute: 11, .restart(kill: true, seconds: 5)),
        ])
        #expect(result.sights.contains(Truth.Announcement.title))
        #expect(result.counts.heard > 0)
    }

    @Test func tokenOpensAnAccountOnce() async throws {
        let result = try await play([
            TimedStep(minute: 10, .makeToken(2)), TimedStep(minute: 11, .useToken(2)),
            TimedStep(minute: 12, .useToken(2)),
        ])
        #expect(result.sights.isSuperset(of: ["token: used", "token: used before"]))
    }

    @Test func codeWaitsAWeek() async throws {
        let result = try await play(
            [
                TimedStep(hour: 1, .signInLock(0, isOn: true, byCode: false)),
                TimedStep(hour: 2, .enterCode(0)), TimedStep(day: 3, .enterCode(0)),
                TimedStep(day: 7, hour: 3, .enterCode(0)),
            ], days: 8)
        #expect(result.sights.isSuperset(of: ["sign-in: waits", "sign-in: after its wait"]))
    }

    @Test func stoppedWaitRefusesCodes() async throws {
        let result = try await play(
            [
                TimedStep(hour: 1, .signInLock(0, isOn: true, byCode: false)),
                TimedStep(hour: 2, .enterCode(0)), TimedStep(hour: 3, .stopWait(0)),
                TimedStep(day: 6, .enterCode(0)), TimedStep(day: 8, .enterCode(0)),
            ], days: 9)
        #expect(result.sights.isSuperset(of: ["sign-in: stopped", "sign-in: waits"]))
        #expect(!result.sights.contains("sign-in: after its wait"))
    }

    @Test func newKeyKeepsWhatPeopleHave() async throws {
        let result = try await play([
            TimedStep(minute: 10, .makeCodes(0)), TimedStep(minute: 11, .backUp),
            TimedStep(minute: 12, .rotateKey(forgets: false)),
            TimedStep(minute: 13, .restart(kill: true, seconds: 5)),
            TimedStep(minute: 14, .useCode(0, isUsed: false)),
            TimedStep(minute: 15, .rotateKey(forgets: true)), TimedStep(minute: 16, .readActs(0)),
            TimedStep(minute: 17, .restore(seconds: 5)),
            TimedStep(minute: 20, .useCode(0, isUsed: false)),
        ])
        #expect(result.sights.isSuperset(of: ["key: replaced", "key: former ones ended"]))
    }

    @Test func deletedPersonIsOutOfTheLog() async throws {
        let result = try await play([
            TimedStep(minute: 10, .lock(0)), TimedStep(minute: 11, .delete(0)),
        ])
        #expect(result.counts.deletions == 1)
    }
}

@Suite struct ChoresTests {
    private let start = SimulatedTime.start(of: 1)

    @Test func eachLoopBeginsWithAPass() {
        var chores = Chores(from: start)
        #expect(chores.take(by: start) == nil)
        let first = start.adding(.seconds(1))
        var taken: Set<Chores.Kind> = []
        while let kind = chores.take(by: first) { taken.insert(kind) }
        #expect(taken == Set(Chores.Kind.allCases))
        #expect(chores.next == .distantFuture)
    }

    @Test func earlierPlanWins() {
        var chores = Chores(from: start)
        while chores.take(by: start.adding(.seconds(1))) != nil {}
        chores.plan(.moves, at: start.adding(.hours(2)))
        chores.plan(.moves, at: start.adding(.hours(1)))
        #expect(chores.next == start.adding(.hours(1)))
        #expect(chores.take(by: start.adding(.hours(1))) == .moves)
    }
}
