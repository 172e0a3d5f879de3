import Domain
import Foundation
import Testing

@testable import Persistence

private struct RefusedWrite: Error, Equatable {}

@Suite struct GroupCommitTests {
    @Test(arguments: Home.ofSQLite)
    func waitingWritesShareOneCommit(home: Home) async throws {
        let reports = Reports()
        try await withEngine(home, reports: reports) { engine in
            try await engine.moveIn(ada)
            reports.forget()
            let gate = Gate()
            let holding = await gate.hold(engine)
            let writes = await engine.enqueue(
                (0..<100).map { _ in
                    { @Sendable in try $0.append(.profileChanged, to: ada) }
                })
            gate.open()
            try await holding.value
            for write in writes { try await write.value }
            #expect(reports.operations == [1, 100])
            #expect(try await engine.read { try $0.eventRange(of: ada) } == 1...100)
        }
    }

    @Test func groupIsLimitedAndRestFollows() async throws {
        let reports = Reports()
        try await withEngine(.memory, reports: reports) { engine in
            let gate = Gate()
            let holding = await gate.hold(engine)
            let writes = await engine.enqueue((0..<300).map { _ in { @Sendable _ in } })
            gate.open()
            try await holding.value
            for write in writes { try await write.value }
            #expect(reports.operations == [1, 128, 128, 44])
        }
    }

    /// Every third write changes rows and fails. Only its own changes are undone.
    @Test(arguments: Home.ofSQLite)
    func failedWriteDoesNotAffectGroup(home: Home) async throws {
        let reports = Reports()
        try await withEngine(home, reports: reports) { engine in
            reports.forget()
            let gate = Gate()
            let holding = await gate.hold(engine)
            let writes = await engine.enqueue(
                (1...30).map { number in
                    { @Sendable transaction in
                        let user: UserID = id(UInt8(number))
                        try transaction.insertUser(
                            user, phoneNumber: try number.phoneNumber)
                        try transaction.append(.profileChanged, to: user)
                        transaction.wakeDeadlineMonitor(at: noon.adding(.seconds(-number)))
                        if number.isMultiple(of: 3) { throw RefusedWrite() }
                        return number
                    }
                })
            gate.open()
            try await holding.value
            for (number, write) in zip(1..., writes) {
                switch await write.outcome {
                case .success(let answer): #expect(answer == number && !number.isMultiple(of: 3))
                case .failure(let error): #expect(error is RefusedWrite && number.isMultiple(of: 3))
                }
            }
            let kept = (1...30).filter { !$0.isMultiple(of: 3) }
            let stored = try await engine.read {
                try $0.query("SELECT id FROM users ORDER BY id", []) {
                    (try $0["id"] as UUID).uuid.15
                }
            }
            #expect(stored.map(Int.init) == kept)
            #expect(try await engine.rows(in: "events") == 20)

            let group = try #require(reports.all.last)
            #expect(group.operations == 30)
            #expect(group.outbox.events.map { Int($0.userID.uuid.uuid.15) } == kept)
            #expect(group.outbox.nextDue == noon.adding(.seconds(-29)))
        }
    }

    @Test func constraintViolationDoesNotAffectGroup() async throws {
        try await withEngine(.disk) { engine in
            try await engine.moveIn(ada)
            let gate = Gate()
            let holding = await gate.hold(engine)
            let writes = await engine.enqueue([
                { @Sendable in try $0.append(.profileChanged, to: ada) },
                { @Sendable in
                    try $0.append(.profileChanged, to: ada)
                    try $0.insertUser(ben, phoneNumber: try number(of: ada))
                },
                { @Sendable in try $0.append(.profileChanged, to: ada) },
            ])
            gate.open()
            try await holding.value
            try await writes[0].value
            #expect(await writes[1].databaseError == .uniqueViolation)
            try await writes[2].value
            #expect(try await engine.read { try $0.eventRange(of: ada) } == 1...2)
        }
    }

    /// When a commit is reported or its writes are answered, other connections see its rows.
    @Test func reportsFollowCommit() async throws {
        let folder = try TestFolder()
        let seen = Seen()
        let engine = try SQLiteEngine(path: folder.file()) { seen.look($0) }
        seen.watch(engine)
        for _ in 1...20 {
            try await engine.write(about: .none) { try $0.append(.profileChanged, to: ada) }
        }
        #expect(await seen.ranges == (1...20).map { 1...$0 })
        try engine.close()
    }

    @Test func isolatedFailureIsUndoneAlone() async throws {
        let reports = Reports()
        try await withEngine(.memory, reports: reports) { engine in
            reports.forget()
            let error = try await engine.write(about: .none) { transaction in
                try transaction.append(.profileChanged, to: ada)
                let error = try transaction.isolated {
                    try transaction.append(.profileChanged, to: ben)
                    throw RefusedWrite()
                }
                try transaction.append(.profileChanged, to: cleo)
                return error as? RefusedWrite
            }
            #expect(error == RefusedWrite())
            #expect(try await engine.rows(in: "events") == 2)
            #expect(reports.all.flatMap(\.outbox.events).map(\.userID) == [ada, cleo])
        }
    }
}

extension Int {
    fileprivate var phoneNumber: PhoneNumber {
        get throws { try PhoneNumber("+1555010\(1000 + self)") }
    }
}

/// Reads the database on a separate connection at each report. `@unchecked Sendable`: only the
/// writer's thread changes it, and the test reads it after the last answer.
private final class Seen: @unchecked Sendable {
    private var engine: SQLiteEngine?
    private var looks: [Task<ClosedRange<Int64>?, any Error>] = []

    func watch(_ engine: SQLiteEngine) { self.engine = engine }

    func look(_ report: CommitReport) {
        guard let engine, !report.outbox.events.isEmpty else { return }
        let done = DispatchSemaphore(value: 0)
        looks.append(
            Task {
                defer { done.signal() }
                return try await engine.read { try $0.eventRange(of: ada) }
            })
        done.wait()
    }

    var ranges: [ClosedRange<Int64>] {
        get async {
            var ranges: [ClosedRange<Int64>] = []
            for look in looks { if let range = try? await look.value { ranges.append(range) } }
            engine = nil
            return ranges
        }
    }
}
