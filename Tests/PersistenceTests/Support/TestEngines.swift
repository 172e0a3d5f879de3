import Foundation
import Synchronization
import TestDatabase
import Testing

@testable import Persistence

enum Home: Sendable, CustomTestStringConvertible {
    case memory, disk, postgreSQL

    static let ofSQLite = [memory, disk]
    static let all = TestDatabase.isPostgreSQL ? [postgreSQL] : ofSQLite

    var testDescription: String {
        switch self {
        case .memory: "in memory"
        case .disk: "on disk"
        case .postgreSQL: "in PostgreSQL"
        }
    }
}

/// A folder for one test. It is deleted with this object.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        var template = Array(
            (FileManager.default.temporaryDirectory.path + "/lifesignal-XXXXXX").utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "lifesignal.db") -> String { path + "/" + name }

    func write(_ bytes: Data, to name: String = "lifesignal.db") throws {
        try bytes.write(to: URL(filePath: file(name)))
    }
}

final class Reports: Sendable {
    private let reports = Mutex<[CommitReport]>([])

    func take(_ report: CommitReport) { reports.withLock { $0.append(report) } }
    func forget() { reports.withLock { $0 = [] } }
    var all: [CommitReport] { reports.withLock { $0 } }
    var operations: [Int] { all.map(\.operations) }
}

/// Initialisers for engines whose clock always shows noon.
extension SQLiteEngine {
    convenience init(
        path: String, runsOnCallersThread: Bool = false,
        report: @escaping @Sendable (CommitReport) -> Void = { _ in }
    ) throws {
        try self.init(
            path: path, now: { noon }, runsOnCallersThread: runsOnCallersThread, report: report)
    }

    convenience init(_ report: @escaping @Sendable (CommitReport) -> Void = { _ in }) throws {
        self.init(try InMemoryDatabase(), now: { noon }, report: report)
    }
}

/// Runs blocking work on a separate thread, because all tests share the few threads of tasks.
func onAnotherThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

extension DatabaseEngine {
    /// Closes the engine. Closing blocks, so it runs on a separate thread.
    func closeOnAnotherThread() async throws { try await onAnotherThread { [self] in try close() } }

    func write<Value: Sendable>(
        at time: Date, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await write(about: .none) { outer in
            let transaction = Transaction(outer, now: time)
            defer { outer.outbox = transaction.outbox }
            let value = try body(transaction)
            try transaction.finish()
            return value
        }
    }
}

/// Runs a test on a new database whose clock always shows noon. Removes it afterwards.
/// - Parameter home: the kind of database; nil for the fastest kind.
func withDatabase(
    _ home: Home? = nil, reports: Reports = Reports(),
    _ story: (any DatabaseEngine) async throws -> Void
) async throws {
    if home == .disk { return try await withEngine(.disk, reports: reports, story) }
    let engine = try TestDatabase.make(now: { noon }, report: reports.take)
    try await TestDatabase.allowUnnamedPeople(in: engine)
    reports.forget()
    try await story(engine)
    try engine.close()
}

/// Runs a SQLite test on a new database. Removes it afterwards.
func withEngine(
    _ home: Home, reports: Reports = Reports(), _ story: (SQLiteEngine) async throws -> Void
) async throws {
    switch home {
    case .memory, .postgreSQL:
        let engine = try SQLiteEngine(reports.take)
        try await story(engine)
        try engine.close()
    case .disk:
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file(), report: reports.take)
        try await story(engine)
        try engine.close()
        withExtendedLifetime(folder) {}
    }
}

/// Blocks the only writer, so that writes queue up as on a slow disk.
final class Gate: Sendable {
    private let opened = DispatchSemaphore(value: 0)
    private let isHeld = Mutex(false)

    /// Returns once the writer is blocked.
    func hold(_ engine: SQLiteEngine) async -> Task<Void, any Error> {
        let holding = Task {
            try await engine.write(about: .none) { [self] _ in
                isHeld.withLock { $0 = true }
                opened.wait()
            }
        }
        while !isHeld.withLock({ $0 }) { await Task.yield() }
        return holding
    }

    func open() { opened.signal() }
}

extension SQLiteEngine {
    /// Starts writes in this order while the writer is blocked. Returns once all of them wait.
    func enqueue<Value: Sendable>(_ bodies: [@Sendable (Transaction) throws -> Value]) async
        -> [Task<Value, any Error>]
    {
        var tasks: [Task<Value, any Error>] = []
        for body in bodies {
            let before = queue.waitingCount
            tasks.append(Task { try await self.write(about: .none, body) })
            while queue.waitingCount == before { await Task.yield() }
        }
        return tasks
    }
}

extension Task where Failure == any Error {
    var outcome: Result<Success, any Error> { get async { await result } }

    var databaseError: DatabaseError? {
        get async {
            if case .failure(let error) = await result { error as? DatabaseError } else { nil }
        }
    }
}
