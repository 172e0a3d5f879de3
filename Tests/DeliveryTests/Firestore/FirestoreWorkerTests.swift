import Domain
import Foundation
import HTTPClient
import Synchronization
import TestDatabase
import Testing

@testable import Delivery
@testable import Persistence

@Suite(.timeLimit(.minutes(5))) struct FirestoreWorkerTests {
    private let scene: CopyScene
    private static let path = FirestoreDocuments.path(of: id(1))

    /// Ada is user 1. Her documents exist.
    init() async throws {
        scene = try await CopyScene()
        try await scene.database.moveIn(1, device: nil)
        try await scene.name(1, "Ada")
        try await scene.finish(scene.worker())
        #expect(scene.google.paths == [Self.path])
    }

    private var name: FirestoreValue? { scene.google.fields(Self.path)?["name"] }

    // MARK: Documents

    @Test func changedProfileAndAlertsAreCopied() async throws {
        let worker = scene.worker()
        try await scene.name(1, "Ada L.")
        try await scene.raise(8, of: 1)
        try await scene.finish(worker)
        #expect(name == .text("Ada L."))
        #expect(scene.google.fields(Self.path)?["isAlertActive"] == .boolean(true))
        scene.clock.advance(by: .hours(1))
        try await scene.end(8, of: 1)
        try await scene.raise(9, of: 1)
        try await scene.finish(worker)
        #expect(try await scene.differences() == [])
        #expect(scene.google.paths.count == 3)
        #expect(try await scene.waiting == 0)
    }

    @Test func eachCopyIsReportedOnce() async throws {
        let before = scene.copies
        try await scene.name(1, "Ada L.")
        try await scene.finish(scene.worker())
        #expect(scene.copies == before + 1)
    }

    @Test func nothingIsSentWithoutAChange() async throws {
        let before = scene.google.requests.count
        #expect(try await scene.worker().work() == nil)
        #expect(scene.google.requests.count == before)
    }

    @Test func leftOutNoteIsNeverSent() async throws {
        try await scene.write {
            try $0.updateUser(id(1), name: "Ada", emergencyNote: "Insulin")
            try $0.setLeavesNoteOutOfCopy(true, of: id(1))
        }
        try await scene.finish(scene.worker())
        #expect(!scene.google.commits.contains { $0.contains("Insulin") })
        try await scene.write { try $0.setLeavesNoteOutOfCopy(false, of: id(1)) }
        try await scene.finish(scene.worker())
        #expect(scene.google.fields(Self.path)?["emergencyNote"] == .text("Insulin"))
    }

    /// A person without a name is in the onboarding, and may not have read of the copy.
    @Test func nothingOfAPersonWithoutANameIsSent() async throws {
        try await scene.database.moveIn(2, device: nil)
        try await scene.raise(8, of: 2)
        let before = scene.google.commits.count
        try await scene.finish(scene.worker())
        #expect(scene.google.commits.count == before)
        #expect(try await scene.waiting == 0)
        try await scene.name(2, "Ben")
        try await scene.finish(scene.worker())
        #expect(try await scene.differences() == [])
        #expect(scene.google.paths.count == 3)
    }

    @Test func deletedAccountLeavesNoDocument() async throws {
        try await scene.raise(8, of: 1)
        try await scene.finish(scene.worker())
        scene.google.answer { _ in .status(503) }
        try await scene.delete(1)
        _ = try await scene.worker().work()
        #expect(try await scene.waiting == 1)
        scene.google.answerHonestly()
        try await scene.finish(scene.worker())
        #expect(scene.google.paths == [])
        #expect(try await scene.waiting == 0)
    }

    @Test func onlyTheNewestStateIsWritten() async throws {
        for number in 1...50 { try await scene.name(1, "Name \(number)") }
        let before = scene.google.commits.count
        try await scene.finish(scene.worker())
        #expect(scene.google.commits.count == before + 1)
        #expect(name == .text("Name 50"))
    }

    @Test func changeDuringACopyIsCopiedNext() async throws {
        let gate = RequestGate()
        scene.google.answer { request in
            if request.kind == .commit { await gate.pass() }
            return nil
        }
        let worker = scene.worker()
        try await scene.name(1, "First")
        async let pass = worker.work()
        await gate.arrival()
        try await scene.name(1, "Second")
        gate.open()
        _ = try await pass
        #expect(name == .text("First"))
        scene.google.answerHonestly()
        try await scene.finish(worker)
        #expect(name == .text("Second"))
        #expect(try await scene.waiting == 0)
    }

    // MARK: Several servers

    /// A server hangs for longer than its lease, and Google gets its commit after a newer one.
    @Test func lateCommitNeverReplacesNewerState() async throws {
        let gate = scene.google.holdFirstCommit()
        try await scene.name(1, "Older")
        let slow = scene.worker()
        async let pass = slow.work()
        await gate.arrival()
        scene.clock.advance(by: FirestoreWorker.lease)
        try await scene.name(1, "Newer")
        try await scene.finish(scene.worker())
        #expect(name == .text("Newer"))
        gate.open()
        _ = try await pass
        #expect(name == .text("Newer"))
        #expect(slow.warning == nil)
        #expect(try await scene.waiting == 0)
    }

    /// Google gets a commit about a new person after the person has deleted the account.
    @Test(arguments: [("version", true), ("Ben", false)])
    func lateCommitNeverBringsAPersonBack(part: String, isCreation: Bool) async throws {
        let gate = scene.google.holdFirstCommit(with: part)
        try await scene.database.moveIn(2, device: nil)
        try await scene.name(2, "Ben")
        let slow = scene.worker()
        async let pass = slow.work()
        await gate.arrival()
        scene.clock.advance(by: FirestoreWorker.lease)
        try await scene.delete(2)
        try await scene.finish(scene.worker())
        #expect(scene.google.paths == [Self.path])
        gate.open()
        _ = try await pass
        // A late creation leaves an empty document.
        let wanted: [String: FirestoreValue]? = isCreation ? [:] : nil
        #expect(scene.google.fields(FirestoreDocuments.path(of: id(2))) == wanted)
    }

    @Test func lateFirstCommitOfSeveralReplacesNothing() async throws {
        try await scene.raiseAndEnd(510, of: 1)
        scene.google.setPageSize(300)
        let gate = scene.google.holdFirstCommit()
        let slow = scene.worker()
        async let pass = slow.work()
        await gate.arrival()
        scene.clock.advance(by: FirestoreWorker.lease)
        try await scene.delete(1)
        try await scene.finish(scene.worker())
        #expect(scene.google.paths == [])
        gate.open()
        _ = try await pass
        #expect(scene.google.paths == [])
    }

    @Test func moreAlertsThanACommitHoldsAreCopiedAndDeleted() async throws {
        try await scene.raiseAndEnd(510, of: 1)
        scene.google.setPageSize(300)
        let before = scene.google.commits.count
        try await scene.finish(scene.worker())
        #expect(scene.google.commits.count == before + 2)
        #expect(try await scene.differences() == [])
        try await scene.delete(1)
        try await scene.finish(scene.worker())
        #expect(scene.google.commits.count == before + 4)
        #expect(scene.google.paths == [])
    }

    @Test func commitNeedsTimeWithinTheLease() async throws {
        let clock = scene.clock
        scene.google.answer { request in
            if request.kind == .list {
                clock.advance(
                    by: FirestoreWorker.lease - FirestoreWorker.longestCommit + .milliseconds(1))
            }
            return nil
        }
        try await scene.name(1, "Late")
        let before = scene.google.commits.count
        _ = try await scene.worker().work()
        #expect(scene.google.commits.count == before)
        #expect(try await scene.waiting == 1)
        scene.google.answerHonestly()
        try await scene.finish(scene.worker())
        #expect(name == .text("Late"))
    }

    @Test func serverKilledAfterItsCommitRepeatsIt() async throws {
        let database = scene.database
        scene.google.answer { request in
            if request.kind == .commit { database.fail(true) }
            return nil
        }
        try await scene.name(1, "Ada L.")
        await #expect(throws: DatabaseError.self) { try await scene.worker().work() }
        database.fail(false)
        #expect(name == .text("Ada L.") && scene.google.commits.count > 1)
        scene.google.answerHonestly()
        #expect(try await scene.waiting == 1)
        // On SQLite, no other server can hold the lease.
        if TestDatabase.isPostgreSQL { scene.clock.advance(by: FirestoreWorker.lease) }
        try await scene.finish(scene.worker())
        #expect(try await scene.differences() == [])
        #expect(try await scene.waiting == 0)
    }

    // MARK: Failures

    /// Commits that fail together are one failure.
    @Test func failingServiceIsTriedWithOnePerson() async throws {
        let worker = scene.worker()
        for user in 2...20 as ClosedRange<UInt8> {
            try await scene.database.moveIn(user, device: nil)
            try await scene.name(user, "User")
        }
        try await scene.finish(worker)
        for user in 1...20 as ClosedRange<UInt8> { try await scene.name(user, "New name") }
        scene.google.answer { $0.kind == .commit ? .status(503) : nil }
        #expect(try await worker.work() == scene.clock.now().adding(.seconds(1)))
        scene.clock.advance(by: .seconds(1))
        let before = scene.google.commits.count
        #expect(try await worker.work() == scene.clock.now().adding(.seconds(2)))
        #expect(scene.google.commits.count == before + 1)
    }

    @Test func backOffThatGoogleAsksForIsLimited() async throws {
        scene.google.answer { _ in .status(429, headers: ["retry-after": "36000"]) }
        try await scene.name(1, "Ada L.")
        let end = scene.clock.now().adding(FirestoreWorker.longestWish)
        #expect(try await scene.worker().work() == end)
    }

    @Test func pauseByAClockThatWasAheadIsOver() async throws {
        scene.google.answer { _ in .status(503) }
        try await scene.name(1, "Ada L.")
        let worker = scene.worker()
        _ = try await worker.work()
        scene.google.answerHonestly()
        scene.clock.advance(by: .zero - .hours(2))
        try await scene.write {
            _ = try $0.execute("UPDATE firestore_changes SET next_try_at = $1", [.date($0.now)])
        }
        try await scene.finish(worker)
        #expect(name == .text("Ada L."))
    }

    @Test func retryAfterIsObeyed() async throws {
        scene.google.answer { _ in .status(429, headers: ["retry-after": "30"]) }
        try await scene.name(1, "Ada L.")
        let worker = scene.worker()
        let end = scene.clock.now().adding(.seconds(30))
        #expect(try await worker.work() == end)
        scene.google.answerHonestly()
        let before = scene.google.requests.count
        scene.clock.advance(by: .seconds(30) - .milliseconds(1))
        #expect(try await worker.work() == end)
        #expect(scene.google.requests.count == before)
        scene.clock.advance(by: .milliseconds(1))
        try await scene.finish(worker)
        #expect(name == .text("Ada L."))
    }

    /// In an hour, a server that Google refuses sends no more than a request for each pause.
    @Test func refusalStopsHammering() async throws {
        for user in 2...20 as ClosedRange<UInt8> {
            try await scene.database.moveIn(user, device: nil)
            try await scene.name(user, "User")
        }
        scene.google.answer { _ in .status(403) }
        let worker = scene.worker()
        let before = scene.google.requests.count
        for _ in 1...3_600 {
            _ = try await worker.work()
            scene.clock.advance(by: .seconds(1))
        }
        // At first; then after 1, 2, 4, … 256 and each 300 seconds.
        #expect(scene.google.requests.count - before <= 1 + 9 + 12)
        #expect(try await scene.waiting == 19)
        scene.google.answerHonestly()
        scene.clock.advance(by: FirestoreWorker.longestPause)
        try await scene.finish(worker)
        #expect(try await scene.differences() == [])
        #expect(scene.failures.allSatisfy { $0 == .credentials(403) })
    }

    @Test func refusedPersonDelaysNoOther() async throws {
        try await scene.database.moveIn(2, device: nil)
        try await scene.name(2, "Ben")
        try await scene.name(1, "Refused")
        let worker = scene.worker()
        scene.google.answer { request in
            request.kind == .commit && request.body.contains("Refused") ? .status(400) : nil
        }
        try await scene.finish(worker)
        #expect(scene.google.paths.contains(FirestoreDocuments.path(of: id(2))))
        #expect(try await scene.waiting == 1)
        #expect(scene.failures == [.http(400)])
        scene.google.answerHonestly()
        scene.clock.advance(by: .seconds(1))
        try await scene.finish(worker)
        #expect(name == .text("Refused"))
    }

    @Test(arguments: [
        FakeFirestore.Trouble.lost, .broken(.timedOut), .broken(.offline), .status(500),
        .status(200, body: "<html>"),
    ])
    func failedCommitIsRepeated(trouble: FakeFirestore.Trouble) async throws {
        scene.google.answer { $0.kind == .commit ? trouble : nil }
        try await scene.name(1, "Ada L.")
        let worker = scene.worker()
        _ = try await worker.work()
        #expect(try await scene.waiting == 1)
        scene.google.answerHonestly()
        scene.clock.advance(by: .seconds(1))
        try await scene.finish(worker)
        #expect(name == .text("Ada L."))
        #expect(try await scene.waiting == 0)
    }

    @Test func backOffDoublesUpToFiveMinutes() {
        #expect(FirestoreWorker.backOff(after: 0) == .seconds(1))
        #expect(FirestoreWorker.backOff(after: 8) == .seconds(256))
        #expect(FirestoreWorker.backOff(after: 9) == .minutes(5))
        #expect(FirestoreWorker.backOff(after: 1_000) == .minutes(5))
    }

    // MARK: The operator

    @Test func lagWarnsAfterAMinuteOfFailures() async throws {
        scene.google.answer { _ in .status(403) }
        try await scene.name(1, "Ada L.")
        let worker = scene.worker()
        let since = Timestamp.text(scene.clock.now())
        _ = try await worker.work()
        scene.clock.advance(by: FirestoreWorker.patience - .milliseconds(1))
        _ = try await worker.work()
        #expect(worker.warning == nil)
        scene.clock.advance(by: .milliseconds(1))
        #expect(
            worker.warning
                == "Firestore's copy is late: 1 person waits since \(since) (credentials-403)")
        scene.google.answerHonestly()
        scene.clock.advance(by: FirestoreWorker.longestPause)
        try await scene.finish(worker)
        scene.clock.advance(by: FirestoreWorker.pauseBetweenCounts)
        _ = try await worker.work()
        #expect(worker.warning == nil && worker.backlog == CopyBacklog())
    }

    @Test func refusedPersonShowsThatTheServiceAnswers() async throws {
        scene.google.answer { _ in .status(503) }
        try await scene.name(1, "Refused")
        let worker = scene.worker()
        _ = try await worker.work()
        scene.google.answer { $0.kind == .commit ? .status(400) : nil }
        scene.clock.advance(by: FirestoreWorker.patience - .seconds(10))
        _ = try await worker.work()
        scene.clock.advance(by: .seconds(10))
        #expect(worker.warning == nil)
    }

    @Test func changeThatWaitsFiveMinutesWarns() async throws {
        scene.google.answer { $0.kind == .commit ? .status(400) : nil }
        try await scene.name(1, "Refused")
        let (worker, since) = (scene.worker(), Timestamp.text(scene.clock.now()))
        _ = try await worker.work()
        scene.clock.advance(by: FirestoreWorker.longestWait - .milliseconds(1))
        _ = try await worker.work()
        #expect(worker.warning == nil)
        scene.clock.advance(by: .milliseconds(1))
        #expect(
            worker.warning == "Firestore's copy is late: 1 person waits since \(since) (http-400)")
    }

    /// With a million people waiting, a count reads a million rows.
    @Test func backlogIsCountedAfterAPause() async throws {
        let worker = scene.worker()
        _ = try await worker.work()
        scene.google.answer { _ in .status(503) }
        try await scene.name(1, "Ada L.")
        scene.clock.advance(by: FirestoreWorker.pauseBetweenCounts - .milliseconds(1))
        _ = try await worker.work()
        #expect(worker.backlog.people == 0)
        scene.clock.advance(by: .milliseconds(1))
        _ = try await worker.work()
        #expect(worker.backlog.people == 1)
    }

    // MARK: Everyone

    @Test func everyoneIsCopiedOnceForAProject() async throws {
        try await scene.write { try $0.forgetCopiesFilled() }
        scene.google.remove(Self.path)
        let stranger = FirestoreDocuments.path(of: id(77))
        scene.google.put("\(stranger)/alerts/x", [:])
        scene.google.put("users/of-another-program", ["name": .text("Zoe")])
        try await scene.finish(scene.worker())
        #expect(scene.google.paths == [Self.path, "users/of-another-program"])
        let before = scene.google.requests.count
        try await scene.finish(scene.worker())
        #expect(scene.google.requests.count == before)
    }

    @Test func nobodyIsNotedWhileGoogleCannotBeAsked() async throws {
        try await scene.write { try $0.forgetCopiesFilled() }
        scene.google.answer { _ in .status(503) }
        let worker = scene.worker()
        _ = try await worker.work()
        #expect(try await scene.waiting == 0)
        scene.google.answerHonestly()
        scene.clock.advance(by: .seconds(1))
        let before = scene.google.commits.count
        try await scene.finish(worker)
        #expect(scene.google.commits.count == before + 1)
    }

    /// Google may refuse an old place, so the list then begins again.
    @Test(arguments: [(503, 2), (400, 4)])
    func listOfAllDocumentsContinuesAfterAFailure(status: Int, pages: Int) async throws {
        try await scene.write { try $0.forgetCopiesFilled() }
        for user in 70...75 as ClosedRange<UInt8> {
            scene.google.put(FirestoreDocuments.path(of: id(user)), [:])
        }
        let lists = Mutex(0)
        scene.google.answer { request in
            guard request.kind == .list else { return nil }
            let number = lists.withLock { count in
                count += 1
                return count
            }
            return number == 3 ? .status(status) : nil
        }
        let worker = scene.worker()
        _ = try await worker.work()
        #expect(lists.withLock { $0 } == 3)
        scene.clock.advance(by: .seconds(1))
        try await scene.finish(worker)
        // The rest of four pages, and the alerts of seven people.
        #expect(lists.withLock { $0 } == 3 + pages + 7)
        #expect(scene.google.paths == [Self.path])
    }

    @Test func comparisonNamesEachDifference() async throws {
        try await scene.raise(8, of: 1)
        try await scene.finish(scene.worker())
        #expect(try await scene.differences() == [])
        let alert = "\(Self.path)/alerts/\(id(8) as AlertID)"
        let fields = try #require(scene.google.fields(Self.path))
        let record = try #require(scene.google.fields(alert))
        let stranger = FirestoreDocuments.path(of: id(77))

        scene.google.put(Self.path, fields.merging(["age": .number(30)]) { $1 })
        #expect(try await scene.differences() == ["different: \(Self.path)"])
        scene.google.put(Self.path, fields)
        scene.google.put(alert, record.merging(["isActive": .boolean(false)]) { $1 })
        #expect(try await scene.differences() == ["different: \(alert)"])
        scene.google.remove(alert)
        #expect(try await scene.differences() == ["missing: \(alert)"])
        scene.google.put(alert, record)
        scene.google.put("\(stranger)/alerts/x", [:])
        #expect(try await scene.differences() == ["extra: \(stranger)/alerts/x"])
        scene.google.put(stranger, [:])
        #expect(
            try await scene.differences() == ["extra: \(stranger)", "extra: \(stranger)/alerts/x"])
    }
}

@Suite(.enabled(if: TestDatabase.isPostgreSQL), .timeLimit(.minutes(5)))
struct FirestoreServersTests {
    private static let people = (1...100 as ClosedRange<UInt8>).map { id($0) as UserID }

    @Test func twoServersShareThePeople() async throws {
        let scene = try await CopyScene()
        let clock = scene.clock
        let shared = try SharedDatabase()
        let engines = try (1...2).map { _ in
            try shared.engine(notesCopyChanges: true, now: { clock.now() })
        }
        let workers = engines.map { scene.worker(on: $0) }
        for worker in workers { _ = try await worker.work() }
        for (index, person) in Self.people.enumerated() {
            let number = try PhoneNumber("+4915\(100_000_000 + index)")
            try await engines[0].write(about: Subjects([person])) {
                try $0.insertUser(person, phoneNumber: number)
                try $0.updateUser(person, name: "First", emergencyNote: "")
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { try await scene.finish(worker) } }
            for person in Self.people {
                try await engines[1].write(about: Subjects([person])) {
                    try $0.updateUser(person, name: "Second", emergencyNote: "")
                }
            }
            try await group.waitForAll()
        }
        for worker in workers { try await scene.finish(worker) }
        #expect(try await engines[0].read { try $0.copyBacklog() } == CopyBacklog())
        for person in Self.people {
            let fields = scene.google.fields(FirestoreDocuments.path(of: person))
            #expect(fields?["name"] == .text("Second"))
        }
        // Nobody was copied by both servers at once, so no condition failed.
        #expect(scene.failures == [])
        for engine in engines { try engine.close() }
    }
}
