import Domain
import Foundation
import Synchronization

/// A dead man's switch: requests the operator's URL every minute while the server is healthy. When
/// the requests stop, the service behind the URL raises the alarm.
public final class Heartbeat: Sendable {
    public static let interval: Duration = .minutes(1)
    static let pauseInTrouble: Duration = .seconds(10)

    /// Why a request to the URL failed.
    public struct RequestFailure: Error {
        public var reason: String

        public init(reason: String) { self.reason = reason }
    }

    private struct State {
        /// The time of the first check.
        var begunAt: Date?
        var calledAt: Date?
        var trouble: String?
    }

    private let vitals: @Sendable () async -> Vitals
    private let request: @Sendable () async throws -> Void
    private let report: @Sendable (String?) -> Void
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// - Parameters:
    ///   - request: requests the URL. If the request fails, throws the reason in `RequestFailure`.
    ///   - report: receives each new trouble, and nil at its end.
    public init(
        vitals: @escaping @Sendable () async -> Vitals,
        request: @escaping @Sendable () async throws -> Void,
        now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (String?) -> Void = { _ in }
    ) {
        self.vitals = vitals
        self.request = request
        self.now = now
        self.report = report
    }

    public var warning: String? {
        state.withLock { $0.trouble.map { "the heartbeat is not sent: \($0)" } }
    }

    /// Requests the URL if the request is due and the server is healthy. Returns the time of the
    /// next check.
    public func beat() async -> Date {
        let vitals = await vitals()
        let problems = vitals.problems
        let start = now()
        let begin = state.withLock { state in
            let begin = state.begunAt ?? start
            state.begunAt = begin
            return begin
        }
        guard problems.isEmpty else {
            let isExpected =
                vitals.isStarting && start >= begin && start.since(begin) < Vitals.longestPass
            if !isExpected { note(problems.joined(separator: "; ")) }
            return start.adding(Self.pauseInTrouble)
        }
        if let last = state.withLock({ $0.calledAt }), start >= last,
            start.since(last) < Self.interval
        {
            note(nil)
            return last.adding(Self.interval)
        }
        do {
            try await request()
        } catch {
            let reason = (error as? RequestFailure).map { ": \($0.reason)" } ?? ""
            note("its address did not take the last call\(reason)")
            return now().adding(Self.pauseInTrouble)
        }
        state.withLock { $0.calledAt = start }
        note(nil)
        return start.adding(Self.interval)
    }

    private func note(_ trouble: String?) {
        let isNew = state.withLock { state in
            defer { state.trouble = trouble }
            return state.trouble != trouble
        }
        if isNew { report(trouble) }
    }
}

/// The signs that a server does its work.
public struct Vitals: Sendable {
    /// A healthy loop completes a pass within a second.
    static let longestPass: Duration = .seconds(30)

    public struct Loop: Sendable {
        public var name: String
        public var hasFailed: Bool
        /// nil before the first pass has ended.
        public var timeWithoutProgress: Duration?

        public init(name: String, hasFailed: Bool = false, timeWithoutProgress: Duration?) {
            self.name = name
            self.hasFailed = hasFailed
            self.timeWithoutProgress = timeWithoutProgress
        }

        public init(_ loop: BackgroundLoop) {
            self.init(
                name: loop.name, hasFailed: loop.hasFailed,
                timeWithoutProgress: loop.timeWithoutProgress)
        }
    }

    /// The reasons why no check-in can be stored.
    public var database: [String]
    public var loops: [Loop]
    /// The warning of `DeadlineMonitor`; nil while it handles all that is due.
    public var deadlines: String?
    /// In bytes; nil if the database is on another machine.
    public var freeDisk: Int64?
    /// The warnings of providers that fail now (`ProviderHealth.isFailing`).
    public var providers: [String]

    public init(
        database: [String] = [], loops: [Loop] = [], deadlines: String? = nil,
        freeDisk: Int64? = nil, providers: [String] = []
    ) {
        self.database = database
        self.loops = loops
        self.deadlines = deadlines
        self.freeDisk = freeDisk
        self.providers = providers
    }

    /// True if nothing is wrong, except that loops have not finished their first pass.
    var isStarting: Bool {
        var rest = self
        rest.loops.removeAll { !$0.hasFailed && $0.timeWithoutProgress == nil }
        return rest.problems.isEmpty
    }

    public var problems: [String] {
        var problems = database
        for loop in loops {
            switch loop.timeWithoutProgress {
            case _ where loop.hasFailed: problems.append("\(loop.name) fails")
            case nil: problems.append("\(loop.name) has not finished a pass yet")
            case let age? where age > Self.longestPass:
                problems.append("\(loop.name) is stuck since \(age.components.seconds) s")
            case _?: break
            }
        }
        if let deadlines { problems.append(deadlines) }
        if let words = DiskSpace.words(freeDisk, below: DiskSpace.least) { problems.append(words) }
        return problems + providers
    }
}
