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
    private let recent = Mutex<[CodeBound: [Date]]>([:])

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
        let isNews = recent.withLock { recent in
            let before = Self.isFlood(recent[bound, default: []], of: bound, at: now)
            // The newest times decide whether the warning lasts.
            recent[bound] = Array((recent[bound, default: []] + [now]).suffix(Self.least(bound)))
            return !before && Self.isFlood(recent[bound, default: []], of: bound, at: now)
        }
        if isNews { logger.warning("\(Self.words(bound))", metadata: ["limit": "\(bound)"]) }
    }

    var warnings: [String] {
        let now = now()
        let recent = recent.withLock { $0 }
        return CodeBound.allCases.filter {
            Self.isFlood(recent[$0, default: []], of: $0, at: now)
        }.map(Self.words)
    }

    private static func isFlood(_ times: [Date], of bound: CodeBound, at now: Date) -> Bool {
        times.filter { now.since($0) <= memory }.count >= least(bound)
    }

    /// Returns how many blocked codes in an hour are worth a warning. A few strangers who try to
    /// sign up are none.
    private static func least(_ bound: CodeBound) -> Int {
        switch bound {
        case .country, .newNumbers, .budget, .all: 1
        case .otherCountry, .uninvited: 20
        }
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
            their part of --codes-per-hour, is reached
            """
        case .budget:
            """
            sign-in codes to new numbers are held back: they have used up their part of \
            --sms-budget for today
            """
        case .otherCountry:
            """
            sign-in codes to new numbers outside of --sms-countries are held back: 20 or more in \
            the last hour
            """
        case .uninvited:
            """
            strangers ask for sign-in codes: 20 or more in the last hour had neither an account \
            nor an invitation, and got none
            """
        case .all: "sign-in codes are refused: the limit of --codes-per-hour is reached"
        }
    }
}
