import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

/// The rows that say whose copy in Firestore is out of date.
@Suite struct CopyChangeTests {
    private static let lease: Duration = .minutes(2)

    private func withCopies(
        _ people: UserID..., story: (any DatabaseEngine) async throws -> Void
    ) async throws {
        let engine = try TestDatabase.make(notesCopyChanges: true, now: { noon })
        try await TestDatabase.allowUnnamedPeople(in: engine)
        for person in people { try await engine.moveIn(person) }
        try await story(engine)
        try engine.close()
    }

    private func waiting(_ engine: any DatabaseEngine) async throws -> Int {
        try await engine.read { try $0.copyBacklog().people }
    }

    private func lease(
        _ engine: any DatabaseEngine, at time: Date = noon, number: Int64 = 1, limit: Int = 10
    ) async throws -> [CopyChange] {
        try await engine.write(at: time) {
            try $0.leaseCopyChanges(number, for: Self.lease, limit: limit)
        }
    }

    private func settle(
        _ changes: [CopyChange], _ outcome: CopyOutcome, _ engine: any DatabaseEngine,
        at time: Date = noon
    ) async throws {
        try await engine.write(at: time) {
            try $0.settleCopyChanges(changes.map { (change: $0, outcome: outcome) })
        }
    }

    private func copyAll(_ engine: any DatabaseEngine) async throws {
        try await settle(try await lease(engine, limit: 1_000), .copied, engine)
        #expect(try await waiting(engine) == 0)
    }

    // MARK: What is noted

    private static let changes: [(name: String, change: @Sendable (Transaction) throws -> Void)] = [
        ("name", { try $0.updateUser(ada, name: "A", emergencyNote: "") }),
        ("number", { try $0.updatePhoneNumber(PhoneNumber("+15550109999"), of: ada) }),
        (
            "form of the number",
            {
                try $0.rewriteNumber(
                    number(of: ada), as: PhoneNumber("+15550109998"), of: ada)
            }
        ),
        (
            "picture",
            {
                try $0.setPicture(
                    ProfilePicture(id: id(9), contentType: "image/png", bytes: Data([1])), of: ada)
            }
        ),
        ("note left out", { try $0.setLeavesNoteOutOfCopy(true, of: ada) }),
        ("guest", { try $0.setGuest(since: noon, ada) }),
        ("alert", { try $0.insert(manualAlert(1, of: ada)) }),
        ("start of an alert", { try $0.saveStart(of: manualAlert(1, of: ada)) }),
        (
            "end of an alert",
            {
                var alert = manualAlert(1, of: ada)
                alert.endedAt = noon
                try $0.update(alert)
            }
        ),
        (
            "deletion",
            { transaction in
                if let user = try transaction.user(ada) { try transaction.deleteUser(user) }
            }
        ),
    ]

    @Test(arguments: CopyChangeTests.changes.indices)
    func changedFieldIsNoted(index: Int) async throws {
        try await withCopies(ada, ben) { engine in
            try await copyAll(engine)
            try await engine.write(about: .none, Self.changes[index].change)
            #expect(try await lease(engine).map(\.user) == [ada], "\(Self.changes[index].name)")
        }
    }

    @Test func checkInNotesNothing() async throws {
        try await withCopies(ada) { engine in
            try await copyAll(engine)
            try await engine.write(about: .none) { transaction in
                var schedule = try #require(try transaction.schedule(of: ada))
                schedule.lastCheckIn = noon
                try transaction.save(schedule, of: ada)
                try transaction.insert(checkIn(1, at: noon), of: ada)
                try transaction.append(.profileChanged, to: ada)
            }
            #expect(try await waiting(engine) == 0)
        }
    }

    @Test func repeatedAlertNotesNothing() async throws {
        try await withCopies(ada) { engine in
            try await engine.write(about: .none) { try $0.insert(manualAlert(1, of: ada)) }
            try await copyAll(engine)
            try await engine.write(about: .none) {
                var alert = manualAlert(1, of: ada)
                alert.repeats = 2
                try $0.update(alert)
            }
            #expect(try await waiting(engine) == 0)
        }
    }

    @Test func expiredAlertIsNoted() async throws {
        try await withCopies(ada) { engine in
            try await engine.write(about: .none) {
                var alert = manualAlert(1, of: ada)
                try $0.insert(alert)
                alert.endedAt = noon
                try $0.update(alert)
            }
            try await copyAll(engine)
            try await engine.write(at: noon.adding(.days(366))) {
                _ = try $0.cleanUp(.alerts, limit: 10)
            }
            #expect(try await waiting(engine) == 1)
            #expect(try await engine.read { try $0.copiedPerson(ada)?.alerts } == [])
        }
    }

    @Test func nothingIsNotedWithoutCopy() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            #expect(try await waiting(engine) == 0)
        }
    }

    @Test func failedChangeNotesNothing() async throws {
        struct Failure: Error {}
        try await withCopies(ada, ben) { engine in
            try await copyAll(engine)
            await #expect(throws: Failure.self) {
                try await engine.write(about: .none) { transaction -> Void in
                    try transaction.updateUser(ada, name: "A", emergencyNote: "")
                    throw Failure()
                }
            }
            try await engine.write(about: .none) { transaction in
                _ = try transaction.isolated {
                    try transaction.updateUser(ada, name: "A", emergencyNote: "")
                    throw Failure()
                }
                try transaction.updateUser(ben, name: "B", emergencyNote: "")
            }
            #expect(try await lease(engine).map(\.user) == [ben])
        }
    }

    @Test func changesOfAPersonShareARow() async throws {
        try await withCopies(ada) { engine in
            for name in ["A", "B", "C"] {
                try await engine.write(at: noon.adding(.hours(1))) {
                    try $0.updateUser(ada, name: name, emergencyNote: "")
                }
            }
            let backlog = try await engine.read { try $0.copyBacklog() }
            #expect(backlog == CopyBacklog(people: 1, oldest: noon))
        }
    }

    // MARK: What the copy has

    @Test func noteThatIsLeftOutIsNil() async throws {
        try await withCopies(ada) { engine in
            try await engine.write(about: .none) {
                try $0.updateUser(ada, name: "Ada", emergencyNote: "Insulin")
                try $0.setLeavesNoteOutOfCopy(true, of: ada)
            }
            #expect(try await engine.read { try $0.copiedPerson(ada)?.emergencyNote } == nil)
            try await engine.write(about: .none) { try $0.setLeavesNoteOutOfCopy(false, of: ada) }
            #expect(
                try await engine.read { try $0.copiedPerson(ada)?.emergencyNote } == "Insulin")
        }
    }

    @Test func alertsAreInTheOrderOfTheirStarts() async throws {
        try await withCopies(ada, ben) { engine in
            try await engine.write(about: .none) {
                try $0.insert([
                    manualAlert(1, of: ada, at: noon.aMillisecondAfter), missedAlert(2, of: ada),
                    manualAlert(3, of: ben),
                ])
            }
            let copied = try await engine.read { try $0.copiedPerson(ada) }
            #expect(copied?.alerts.map(\.id) == [id(2), id(1)])
        }
    }

    @Test func guestHasNoCopy() async throws {
        try await withCopies(ada, ben) { engine in
            try await engine.write(about: .none) { try $0.setGuest(since: noon, ada) }
            #expect(try await engine.read { try $0.copiedPerson(ada) } == nil)
            #expect(try await engine.read { try $0.copiedAccounts(after: nil, limit: 9) } == [ben])
        }
    }

    @Test func personWithoutANameHasNoCopy() async throws {
        try await withCopies(ada, ben) { engine in
            try await engine.write(about: .none) {
                try $0.updateUser(ada, name: "", emergencyNote: "Insulin")
            }
            #expect(try await engine.read { try $0.copiedPerson(ada) } == nil)
            #expect(try await engine.read { try $0.copiedAccounts(after: nil, limit: 9) } == [ben])
        }
    }

    /// The onboarding saves the profile after it has named the copy.
    @Test func formerGuestIsCopiedOnceTheyHaveSavedTheirProfile() async throws {
        try await withCopies(ada) { engine in
            try await engine.write(about: .none) { transaction in
                try transaction.setGuest(since: noon, ada)
                try transaction.setGuest(since: nil, ada)
            }
            #expect(try await engine.read { try $0.copiedPerson(ada) } == nil)
            #expect(try await engine.read { try $0.copied(among: [ada, ben]) } == [])
            #expect(try await engine.read { try $0.copiedAccounts(after: nil, limit: 9) } == [])
            try await copyAll(engine)
            try await engine.write(about: .none) {
                try $0.updateUser(ada, name: "Ada", emergencyNote: "")
            }
            #expect(try await lease(engine).map(\.user) == [ada])
            #expect(try await engine.read { try $0.copiedPerson(ada)?.name } == "Ada")
            #expect(try await engine.read { try $0.copied(among: [ada, ben]) } == [ada])
        }
    }

    // MARK: Leases

    /// The server's clock was a day ahead when it noted, or tried, a copy.
    @Test func copyNotedByAWrongClockIsDueAfterTheCorrection() async throws {
        let wrong = noon.adding(.hours(24))
        let engine = try TestDatabase.make(notesCopyChanges: true, now: { wrong })
        try await TestDatabase.allowUnnamedPeople(in: engine)
        try await engine.moveIn(ada)
        let correction = ClockCorrection(
            by: .hours(-24), since: wrong.adding(.hours(-1)), until: wrong)
        #expect(try await lease(engine) == [])
        try await engine.write(at: noon) { try $0.correctMoments(by: correction) }
        #expect(try await lease(engine).map(\.user) == [ada])
        try engine.close()
    }

    @Test func leaseEndsAfterItsTime() async throws {
        try await withCopies(ada) { engine in
            let first = try await lease(engine)
            #expect(first.count == 1)
            let end = noon.adding(Self.lease)
            #expect(try await lease(engine, at: end.aMillisecondBefore, number: 2) == [])
            #expect(try await lease(engine, at: end, number: 3).map(\.lease) == [3])
        }
    }

    @Test func changeDuringCopyStaysDue() async throws {
        try await withCopies(ada) { engine in
            let first = try await lease(engine)
            try await engine.write(about: .none) {
                try $0.updateUser(ada, name: "A", emergencyNote: "")
            }
            // Nobody else takes her meanwhile.
            #expect(try await lease(engine, number: 2) == [])
            try await settle(first, .copied, engine)
            let second = try await lease(engine, number: 3)
            #expect(second.map(\.number) == first.map { $0.number + 1 })
            try await settle(second, .copied, engine)
            #expect(try await waiting(engine) == 0)
        }
    }

    @Test func changeDuringCopyLeavesOthersOfTheLease() async throws {
        try await withCopies(ada, ben) { engine in
            let both = try await lease(engine)
            #expect(both.count == 2)
            try await engine.write(about: .none) {
                try $0.updateUser(ada, name: "A", emergencyNote: "")
            }
            try await settle(both.filter { $0.user == ada }, .copied, engine)
            // Ben's copy is still being made.
            #expect(try await lease(engine, number: 2).map(\.user) == [ada])
            try await settle(both.filter { $0.user == ben }, .copied, engine)
            #expect(try await waiting(engine) == 1)
        }
    }

    @Test func waitOfAChangeDuringACopyBeginsAtItsEnd() async throws {
        try await withCopies(ada) { engine in
            let first = try await lease(engine)
            try await engine.write(about: .none) {
                try $0.updateUser(ada, name: "A", emergencyNote: "")
            }
            let end = noon.adding(.seconds(9))
            try await settle(first, .copied, engine, at: end)
            #expect(try await engine.read { try $0.copyBacklog().oldest } == end)
        }
    }

    @Test func lateResultOfAnEndedLeaseChangesNothing() async throws {
        try await withCopies(ada) { engine in
            let late = try await lease(engine)
            let end = noon.adding(Self.lease)
            let next = try await lease(engine, at: end, number: 2)
            for outcome in [CopyOutcome.copied, .untried, .failed(until: end)] {
                try await settle(late, outcome, engine, at: end)
                #expect(try await lease(engine, at: end, number: 3) == [])
            }
            try await settle(next, .copied, engine, at: end)
            #expect(try await waiting(engine) == 0)
        }
    }

    @Test func failureIsRetriedAtItsTime() async throws {
        try await withCopies(ada) { engine in
            let retry = noon.adding(.seconds(8))
            try await settle(try await lease(engine), .failed(until: retry), engine)
            #expect(try await lease(engine, at: retry.aMillisecondBefore) == [])
            #expect(try await lease(engine, at: retry, number: 2).map(\.attempts) == [1])
        }
    }

    @Test func untriedPersonIsDueAtOnce() async throws {
        try await withCopies(ada) { engine in
            try await settle(try await lease(engine), .untried, engine)
            #expect(try await lease(engine, number: 2).map(\.attempts) == [0])
        }
    }

    @Test func deadProcessesLeasesAreReleased() async throws {
        try await withCopies(ada, ben) { engine in
            #expect(try await lease(engine, limit: 1).count == 1)
            try await engine.write(about: .none) { try $0.releaseCopyLeases() }
            #expect(try await lease(engine, number: 2).count == 2)
        }
    }

    @Test func releaseKeepsTheTimesOfRetries() async throws {
        try await withCopies(ada) { engine in
            let retry = noon.adding(.seconds(8))
            try await settle(try await lease(engine), .failed(until: retry), engine)
            try await engine.write(about: .none) { try $0.releaseCopyLeases() }
            #expect(try await lease(engine) == [])
        }
    }

    // MARK: Everyone

    @Test func fillNotesEveryoneInPages() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben, cleo)
            let last = try await engine.write(about: .none) {
                try $0.fillCopyChanges(after: nil, limit: 2)
            }
            #expect(last == ben)
            let end = try await engine.write(about: .none) {
                try $0.fillCopyChanges(after: last, limit: 2)
            }
            #expect(end == nil)
            #expect(try await waiting(engine) == 3)
        }
    }

    @Test(.enabled(if: !TestDatabase.isPostgreSQL))
    func fillIsAskedForWhileAServerRuns() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.write(about: .none) { try $0.noteCopiesFilled(7) }
        #expect(try await engine.read { try $0.filledCopies() } == 7)
        try CopyCommands.fill(folder.file())
        #expect(try await engine.read { try $0.filledCopies() } == nil)
        try engine.close()
        #expect(throws: DatabaseError.self) { try CopyCommands.fill(folder.file("none.db")) }
    }

    @Test func copyIsKeptFromItsFirstRowOn() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            func isKept() async throws -> Bool { try await engine.read { try $0.keepsCopies() } }
            #expect(try await !isKept())
            try await engine.write(about: .none) { try $0.saveCopyChanges(of: [ada]) }
            #expect(try await isKept())
            try await copyAll(engine)
            #expect(try await !isKept())
            try await engine.write(about: .none) { try $0.noteCopiesFilled(7) }
            #expect(try await isKept())
            try await engine.write(about: .none) { try $0.forgetCopiesFilled() }
            #expect(try await !isKept())
        }
    }
}
