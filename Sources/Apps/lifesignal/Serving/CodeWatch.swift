import Domain
import Foundation
import HTTPServer
import Logging
import Synchronization

/// Tells the operator when a rate limit blocks sign-in codes: with a log line, a metric, and a
/// warning in `/health/ready`.
final class CodeWatch: Sendable {
    /// How long the warning lasts after the last blocked code.
    private static let memory: Duration = .minutes(60)

    private let metrics: Metrics
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let last = Mutex<[CodeBound: Date]>([:])

    init(metrics: Metrics, now: @escaping @Sendable () -> Date, logger: Logger) {
        self.metrics = metrics
        self.now = now
        self.logger = logger
        for bound in CodeBound.allCases {
            metrics.count(.codesHeldBack, labels: Self.label(bound), by: 0)
        }
    }

    func note(_ bound: CodeBound) {
        metrics.count(.codesHeldBack, labels: Self.label(bound))
        let now = now()
        let isNews = last.withLock { last in
            defer { last[bound] = now }
            return last[bound].map { now.since($0) > Self.memory } ?? true
        }
        if isNews { logger.warning("\(Self.words(bound))", metadata: ["limit": "\(bound)"]) }
    }

    var warnings: [String] {
        let now = now()
        let recent = last.withLock { $0.filter { now.since($0.value) <= Self.memory } }
        return CodeBound.allCases.filter { recent[$0] != nil }.map(Self.words)
    }

    private static func label(_ bound: CodeBound) -> String { "limit=\"\(bound.rawValue)\"" }

    private static func words(_ bound: CodeBound) -> String {
        switch bound {
        case .country:
            """
            sign-in codes to new numbers of a country are held back: the limit of \
            --codes-to-new-numbers-per-country is reached
            """
        case .newNumbers:
            """
            sign-in codes to new numbers are held back: the limit of --codes-to-new-numbers, or \
            half of --codes-per-hour, is reached
            """
        case .budget:
            """
            sign-in codes to new numbers are held back: they have used up their part of \
            --sms-budget for today
            """
        case .all: "sign-in codes are refused: the limit of --codes-per-hour is reached"
        }
    }
}
