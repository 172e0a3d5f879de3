import Domain
import Foundation
import Synchronization

/// A dead man's switch: calls an address of the operator every minute while the server does its
/// work, and not otherwise. The absence of the calls is the alarm.
public final class Heartbeat: Sendable {
    public static let interval: Duration = .minutes(1)
    /// Between two looks while something is wrong.
    static let pauseInTrouble: Duration = .seconds(10)

    private struct State {
        var calledAt: Date?
        var trouble: String?
    }

    private let vitals: @Sendable () async -> Vitals
    private let call: @Sendable () async throws -> Void
    private let report: @Sendable (String?) -> Void
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// - Parameters:
    ///   - call: throws when the address does not take the call.
    ///   - report: called with what is wrong when that changes, and with nil when it is over.
    public init(
        vitals: @escaping @Sendable () async -> Vitals,
        call: @escaping @Sendable () async throws -> Void,
        now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (String?) -> Void = { _ in }
    ) {
        self.vitals = vitals
        self.call = call
        self.now = now
        self.report = report
    }

    /// In words for the operator; nil while the calls arrive.
    public var warning: String? {
        state.withLock { $0.trouble.map { "the heartbeat is not sent: \($0)" } }
    }

    /// Calls if it is time and all is well. Returns when to look again.
    public func beat() async -> Date {
        let problems = await vitals().problems
        guard problems.isEmpty else {
            note(problems.joined(separator: "; "))
            return now().adding(Self.pauseInTrouble)
        }
        let start = now()
        if let last = state.withLock({ $0.calledAt }), start >= last,
            start.since(last) < Self.interval
        {
            note(nil)
            return last.adding(Self.interval)
        }
        do {
            try await call()
        } catch {
            note("its address did not take the last call")
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

/// The signs by which a server knows whether it does its work.
public struct Vitals: Sendable {
    /// The monitor and the delivery loops pass at least every second.
    static let longestPass: Duration = .seconds(30)
    /// Bytes.
    static let leastFreeDisk: Int64 = 100_000_000

    public struct Loop: Sendable {
        public var name: String
        public var hasFailed: Bool
        /// nil before the first pass has ended.
        public var sinceLastPass: Duration?

        public init(name: String, hasFailed: Bool = false, sinceLastPass: Duration?) {
            self.name = name
            self.hasFailed = hasFailed
            self.sinceLastPass = sinceLastPass
        }

        public init(_ loop: BackgroundLoop) {
            self.init(
                name: loop.name, hasFailed: loop.hasFailed, sinceLastPass: loop.sinceLastPass)
        }
    }

    /// Why no check-in can be taken.
    public var database: [String]
    /// Those that handle deadlines and deliveries.
    public var loops: [Loop]
    /// Bytes; nil where the database is on another machine.
    public var freeDisk: Int64?
    /// The warnings of providers that accept nothing (`ProviderHealth`).
    public var providers: [String]

    public init(
        database: [String] = [], loops: [Loop] = [], freeDisk: Int64? = nil,
        providers: [String] = []
    ) {
        self.database = database
        self.loops = loops
        self.freeDisk = freeDisk
        self.providers = providers
    }

    /// In words for the operator; empty while all is well.
    public var problems: [String] {
        var problems = database
        for loop in loops {
            switch loop.sinceLastPass {
            case _ where loop.hasFailed: problems.append("\(loop.name) fails")
            case nil: problems.append("\(loop.name) has not finished a pass yet")
            case let age? where age > Self.longestPass:
                problems.append("\(loop.name) is stuck since \(age.components.seconds) s")
            case _?: break
            }
        }
        if let freeDisk, freeDisk < Self.leastFreeDisk {
            problems.append("the disk is nearly full: \(freeDisk / 1_000_000) MB are free")
        }
        return problems + providers
    }
}
