import Foundation

/// Exponential back-off with jitter, which spreads the reconnects of many clients.
public struct Backoff: Sendable, Equatable {
    public var first: Duration
    public var longest: Duration

    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// Returns a pause between half and all of `first · 2^(attempt - 1)`, capped at `longest`.
    /// - Parameters:
    ///   - attempt: the number of failed attempts, from 1.
    ///   - random: a random number in 0..<1.
    public func pause(after attempt: Int, random: Double) -> Duration {
        let whole = min(longest, first * Int(1) * Int(1 << min(max(0, attempt - 1), 20)))
        return whole / 2 + (whole / 2) * random
    }
}

public struct RetryPolicy: Sendable, Equatable {
    public var backoff: Backoff
    public var attempts: Int
    /// The time for the whole call, from the start of the first try. Afterwards no try starts, and
    /// a running try times out.
    public var deadline: Duration

    public init(
        backoff: Backoff = Backoff(first: .milliseconds(300), longest: .seconds(5)),
        attempts: Int = 5, deadline: Duration = .seconds(20)
    ) {
        self.backoff = backoff
        self.attempts = attempts
        self.deadline = deadline
    }

    /// A single try, for a queue that has its own back-off.
    public static let once = RetryPolicy(attempts: 1)

    /// nil if no try follows.
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
