import Cryptography
import Domain
import Foundation
import Persistence
import Synchronization
import TestDatabase
import Testing

@testable import SafetyNetwork

/// A server with a real database. Tests act as its users.
struct TestServer {
    let environment: TestEnvironment
    /// Reads and changes rows for the test itself. Doesn't show the rows of bystanders, who are in
    /// each test's database.
    let engine: any DatabaseEngine
    let network: SafetyNetwork
    /// Makes another server on the same database.
    let makeNetwork: @Sendable (SafetyNetwork.Options) throws -> SafetyNetwork
    let deadlineMonitor: DeadlineMonitor
    let watched: Watched
    let published: Published
    private let end: End

    var clock: TestClock { environment.clock }

    /// - Parameters:
    ///   - path: the path of the database; nil for one in memory.
    ///   - now: the server's time; nil for the environment's time.
    ///   - clock: the server's clock, for tests of wrong times.
    ///   - hasBystanders: true if the database also has rows of people who aren't part of the test.
    ///     False for tests of work on everyone's rows, such as clean-up.
    init(
        _ environment: TestEnvironment = TestEnvironment(), path: String? = nil,
        now: (@Sendable () -> Date)? = nil,
        by clock: ServerClock? = nil, hasBystanders: Bool = true,
        options change: (inout SafetyNetwork.Options) -> Void = { _ in }
    )
        throws
    {
        self.environment = environment
        let (callers, published, watched) = (CallerCache(), Published(), Watched())
        let report: @Sendable (CommitReport) -> Void = { report in
            callers.forget(report.outbox.changedSessions)
            published.record(report.outbox)
        }
        let now = now ?? { clock?.now() ?? environment.clock.now }
        let database: any DatabaseEngine =
            try path.map { try SQLiteEngine(path: $0, now: now, report: report) }
            ?? TestDatabase.make(hasBystanders: hasBystanders, now: now, report: report)
        engine = DatabaseWithoutBystanders(engine: database)
        var options = SafetyNetwork.Options(
            publicURL: try #require(URL(string: "https://lifesignal.example")))
        (options.codesToNewNumbers, options.codesToNewNumbersPerCountry) = (0, 0)
        change(&options)
        var world = SafetyNetwork.Environment { environment.send($1, to: $0) }
        world.clock = clock
        world.random = environment.random
        world.makeID = environment.makeID
        world.sendMail = { environment.mail(to: $0, subject: $1, $2) }
        world.sendEmailCode = { environment.email($1, to: $0, fail: $2) }
        world.noteCodeBound = environment.note
        world.noteCorrection = environment.noteCorrection
        world.sendText = { environment.text($1, to: $0) }
        world.sendInvitation = { environment.invite($0, fail: $1) }
        makeNetwork = { [database, world] options in
            SafetyNetwork(
                database: CheckedDatabase(database), options: options,
                key: try #require(ServerKey(bytes: Data(repeating: 7, count: 32))),
                callers: callers, environment: world)
        }
        network = try makeNetwork(options)
        deadlineMonitor = DeadlineMonitor(network, onPass: watched.record)
        self.watched = watched
        self.published = published
        end = End(environment: environment)
    }

    /// Breaks the cycle of the environment and its server when the test ends.
    private final class End: Sendable {
        private let environment: TestEnvironment

        init(environment: TestEnvironment) { self.environment = environment }

        deinit { environment.forgetFailures() }
    }
}

/// Adds up the deadline monitor's reports.
final class Watched: Sendable {
    private let work = Mutex(DeadlineMonitor.Report())

    func record(_ report: DeadlineMonitor.Report) {
        work.withLock { work in
            work.missed += report.missed
            work.reminders += report.reminders
            work.repeatedAlerts += report.repeatedAlerts
            work.expiredPings += report.expiredPings
            work.delays += report.delays
            work.failures += report.failures
            work.handled += report.handled
        }
    }

    var all: DeadlineMonitor.Report { work.withLock { $0 } }
}

/// Records what commits publish.
final class Published: Sendable {
    private let outboxes = Mutex<[Outbox]>([])

    func record(_ outbox: Outbox) { outboxes.withLock { $0.append(outbox) } }

    /// Passes the commits since the last call to `news`.
    func takeReach(to news: ReachNews) -> Bool {
        let new = outboxes.withLock { all in
            let outbox = all.reduce(into: Outbox()) {
                $0.changedReach.formUnion($1.changedReach)
                $0.changedPings.formUnion($1.changedPings)
                $0.failedMessages.formUnion($1.failedMessages)
            }
            for index in all.indices {
                (all[index].changedReach, all[index].changedPings) = ([], [])
                all[index].failedMessages = []
            }
            return outbox
        }
        return news.note(new)
    }

    var staleDevices: [StaleDevices] { outboxes.withLock { $0.flatMap(\.staleDevices) } }
    var events: [StoredEvent] { outboxes.withLock { $0.flatMap(\.events) } }
    var endedSessions: [SessionID] { outboxes.withLock { $0.flatMap(\.endedSessions) } }
}

struct Person: Sendable {
    var name: String
    var number: PhoneNumber
    var tokens: IssuedTokens

    var caller: Caller { tokens.caller }
    var id: UserID { caller.userID }
}

/// Returns the error that a command throws; nil if it succeeds.
func refusal<Value>(_ command: () async throws -> Value) async -> CommandError? {
    do {
        _ = try await command()
        return nil
    } catch {
        return error as? CommandError
    }
}

extension CommandError {
    var isNotFound: Bool { if case .notFound = self { true } else { false } }
    var isPermissionDenied: Bool { if case .permissionDenied = self { true } else { false } }
    var isUnauthenticated: Bool { if case .unauthenticated = self { true } else { false } }
    var isAlreadyExists: Bool { if case .alreadyExists = self { true } else { false } }

    /// The field of an `invalidArgument` error; nil for other errors.
    var field: String? { if case .invalidArgument(let field, _, _) = self { field } else { nil } }
    var reason: InvalidInputReason? {
        if case .invalidArgument(_, _, let reason) = self { reason } else { nil }
    }

    var retryAfter: Duration? { if case .rateLimited(let wait) = self { wait } else { nil } }
}

extension Date {
    var aMillisecondBefore: Date { adding(.milliseconds(-1)) }
}
