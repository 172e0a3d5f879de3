import Domain
import Foundation
import Testing

@testable import Persistence

@Suite(
    "Deadlines of calls to PostgreSQL", .enabled(if: PostgreSQLDatabase.isAvailable),
    .timeLimit(.minutes(5)))
struct DeadlineTests {
    let database: PostgreSQLDatabase
    let proxy: Proxy

    init() throws {
        database = try PostgreSQLDatabase()
        try database.makeNotes()
        proxy = try Proxy(to: PostgreSQLDatabase.port)
    }

    /// Sets short limits. They are still seconds long, for calls that must succeed on a busy
    /// machine.
    private func impatient(_ options: inout PostgreSQLEngine.Options) {
        options.connections = 1
        options.patience = .zero
        options.limits.connect = .seconds(6)
        options.limits.statement = .seconds(6)
        options.limits.commit = .seconds(6)
        options.limits.waiting = .seconds(6)
    }

    private func error<Value>(of work: () async throws -> Value) async -> DatabaseError? {
        do {
            _ = try await work()
            return nil
        } catch {
            return error as? DatabaseError
        }
    }

    private var place: String {
        get throws { try database.address(port: proxy.port).description }
    }

    @Test("Calls to a hanging server time out, then recover")
    func hangingServer() async throws {
        let engine = try database.engine(port: proxy.port, impatient)
        try await engine.probe()
        _ = try await engine.read { try $0.count("SELECT 1", []) }
        proxy.set(.hang)
        let late = DatabaseError.unreachable(path: try place, reason: "it did not answer in time")
        #expect(await error { try await engine.probe() } == late)
        #expect(engine.health.lastFailure == late)
        // The read is retried, but it can't get a connection either.
        let failure = await error { try await engine.read { try $0.count("SELECT 1", []) } }
        #expect(failure?.isOfTheConnection == true)
        proxy.set(.forward)
        proxy.cut()
        try await engine.probe()
        #expect(try await engine.read { try $0.count("SELECT 1", []) } == 1)
        #expect(engine.health.lastFailure == nil)
        try engine.close()
        proxy.stop()
    }

    @Test(
        "After a timeout, other connections that answer are kept",
        arguments: [true, false])
    func silence(doOthersAnswer: Bool) async throws {
        let engine = try database.engine(port: proxy.port) { options in
            impatient(&options)
            options.connections = 3
            options.limits.answer = .milliseconds(200)
            // Nothing waits this long, except on a busy machine: a new connection must succeed.
            options.limits.connect = .seconds(60)
            options.limits.waiting = .seconds(60)
        }
        try await meet(on: engine)
        let before = proxy.connections
        if doOthersAnswer { proxy.set(.hang) } else { proxy.hangOpenConnections() }
        _ = await error { try await engine.probe() }
        proxy.set(.forward)
        try await meet(on: engine)
        #expect(proxy.connections == before + (doOthersAnswer ? 1 : 3))
        try engine.close()
        proxy.stop()
    }

    /// The timeouts run at the same time. One after the other, they would take 14 s.
    @Test("A write doesn't wait for each dead connection in turn")
    func manyAreSilent() async throws {
        let engine = try database.engine(port: proxy.port) { options in
            impatient(&options)
            options.connections = 8
            options.patience = .seconds(60)
            options.limits.answer = .seconds(2)
            options.limits.waiting = .seconds(10)
        }
        try await meet(on: engine, count: 8)
        proxy.hangOpenConnections()
        try await engine.probe()
        try engine.close()
        proxy.stop()
    }

    /// Makes several connections do work at the same time.
    private func meet(on engine: PostgreSQLEngine, count: Int = 3) async throws {
        let meeting = Meeting(of: count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do {
                        try await engine.write(about: .none) { transaction in
                            _ = try transaction.count("SELECT 1", [])
                            try meeting.arrive()
                        }
                    } catch {
                        // On a busy machine, a connection may answer too late. The others would
                        // wait for minutes, and hide the cause.
                        meeting.cancel()
                        throw error
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A hanging commit times out with unknown outcome")
    func hangingCommit() async throws {
        let engine = try database.engine(port: proxy.port, impatient)
        proxy.set(.hangAtCommit)
        let failure = await error {
            try await engine.write(about: Subjects([])) { try $0.note(3) }
        }
        #expect(failure == .outcomeUnknown(path: try place))
        try engine.close()
        proxy.stop()
    }

    @Test("Waiting for another connection's lock times out as conflict")
    func keptLock() async throws {
        let other = try database.connection()
        try other.execute("BEGIN", [])
        try other.execute("UPDATE notes SET text = 'kept' WHERE id = 1", [])
        let engine = try database.engine { options in
            options.patience = .zero
            options.limits.lock = .milliseconds(100)
        }
        #expect(
            await error { try await engine.write(about: .none) { try $0.note(1, "mine") } }
                == .conflict)
        try other.execute("ROLLBACK", [])
        try await engine.write(about: .none) { try $0.note(1, "mine") }
        try engine.close()
        proxy.stop()
    }

    @Test("Waiting for several locks is not a timeout")
    func severalLocks() async throws {
        let engine = try database.engine { options in
            options.connections = 1
            options.patience = .zero
            options.limits.statement = .milliseconds(1_000)
            options.limits.lock = .milliseconds(1_200)
        }
        for user in [ada, ben] {
            let number = try number(of: user)
            try await engine.write(about: .none) { try $0.insertUser(user, phoneNumber: number) }
        }
        let backend = "SELECT pg_backend_pid()"
        let before = try await engine.write(about: .none) { try $0.count(backend, []) }
        let other = try database.connection()
        try other.execute("BEGIN", [])
        try other.execute("SELECT 1 FROM users FOR UPDATE", [])
        #expect(
            await error { try await engine.write(about: Subjects([ada, ben])) { _ in } }
                == .conflict)
        try other.execute("ROLLBACK", [])
        #expect(try await engine.write(about: .none) { try $0.count(backend, []) } == before)
        try engine.close()
        proxy.stop()
    }

    @Test("A write without a free connection fails for good")
    func exhaustedPool() async throws {
        let engine = try database.engine { options in
            impatient(&options)
            options.limits.statement = .seconds(60)
        }
        let (gate, runs) = (DispatchSemaphore(value: 0), Counter())
        let holding = Task {
            try await engine.write(about: .none) { transaction in
                try transaction.note(3)
                runs.next()
                try gate.waitInTime()
            }
        }
        try await wait { runs.value > 0 }
        #expect(engine.health.oldestWaiting == .zero)
        let failure = await error {
            try await engine.write(about: .none) { _ in runs.next() }
        }
        #expect(
            failure
                == .unreachable(
                    path: try database.address().description,
                    reason: "no connection answered in time: is it frozen, or cut off?"))
        gate.signal()
        try await holding.value
        try await engine.probe()
        #expect(runs.value == 1)
        try engine.close()
        proxy.stop()
    }

    @Test("While other writes finish, a write without a connection blames their number")
    func busyPool() async throws {
        let engine = try database.engine { options in
            impatient(&options)
            options.limits.statement = .seconds(60)
            options.limits.waiting = .seconds(4)
        }
        try await engine.probe()
        let errors = await withTaskGroup(of: DatabaseError?.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    await error {
                        try await engine.write(about: .none) {
                            // PostgreSQL keeps the only connection busy, as long statements do.
                            // The last writes then wait longer than their limit of 4 s.
                            try $0.execute("SELECT pg_sleep(0.5)", [])
                        }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
        }
        #expect(!errors.isEmpty)
        for error in errors {
            #expect(error.description.contains("raise --database-connections"))
        }
        try engine.close()
        proxy.stop()
    }

    @Test("Closing waits for running writes")
    func closing() async throws {
        let engine = try database.engine()
        let (gate, runs) = (DispatchSemaphore(value: 0), Counter())
        let writing = Task {
            try await engine.write(about: .none) { transaction in
                runs.next()
                try gate.waitInTime()
                try transaction.note(3)
            }
        }
        try await wait { runs.value > 0 }
        let closing = Task { try await engine.closeOnAnotherThread() }
        // The other connection is free, so only a closed engine rejects the probe.
        try await wait { await error { try await engine.probe() } == .closed }
        gate.signal()
        try await writing.value
        try await closing.value
        #expect(try database.count("SELECT COUNT(*) FROM notes WHERE id = 3") == 1)
        proxy.stop()
    }
}
