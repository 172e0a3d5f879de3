import Foundation

/// Growing pauses, each drawn anew, so that clients that lost the same server do not return at the
/// same moment.
public struct Backoff: Sendable, Equatable {
    public var first: Duration
    public var longest: Duration

    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// Between half and the whole of `first · 2^(attempt - 1)`, which ends at `longest`.
    /// - Parameters:
    ///   - attempt: how many have failed, from 1.
    ///   - random: in 0..<1.
    public func pause(after attempt: Int, random: Double) -> Duration {
        let whole = min(longest, first * Int(1) * Int(1 << min(max(0, attempt - 1), 20)))
        return whole / 2 + (whole / 2) * random
    }
}

/// How often and how long a call that may be repeated is tried.
public struct RetryPolicy: Sendable, Equatable {
    public var backoff: Backoff
    public var attempts: Int
    /// The time from the first try after which no try begins, and which no try outlives.
    public var deadline: Duration

    public init(
        backoff: Backoff = Backoff(first: .milliseconds(300), longest: .seconds(5)),
        attempts: Int = 5, deadline: Duration = .seconds(20)
    ) {
        self.backoff = backoff
        self.attempts = attempts
        self.deadline = deadline
    }

    /// One try: for a queue that has its own pauses.
    public static let once = RetryPolicy(attempts: 1)

    /// How long to wait before the next try; nil when there is none.
    func pause(after failure: ClientFailure, attempt: Int, random: Double) -> Duration? {
        guard attempt < attempts else { return nil }
        let pause = backoff.pause(after: attempt, random: random)
        switch failure {
        case .unreachable(let reason): return reason == .insecure ? nil : pause
        case .refused(let problem, let wait):
            return [.unavailable, .rateLimited].contains(problem.code)
                ? max(pause, wait ?? .zero) : nil
        case .sessionEnded, .malformedAnswer: return nil
        }
    }
}
