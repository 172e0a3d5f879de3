import Domain
import Foundation

/// Sign-in and administrators (product.md). All times are true.
extension Truth {
    /// A change of a person's number that waits.
    struct Move: Sendable {
        static let wait: Duration = .hours(24)

        /// The next value of `Truth.numbers`.
        var index: Int
        var begunAt: Date
        var dueAt: Date
    }

    struct SignInLock: Sendable {
        /// How long a code waits, how long the lock stays on, and how long a stop lasts.
        static let week: Duration = .days(7)

        struct Wait: Sendable {
            var begunAt: Date
            var stoppedAt: Date?

            var end: Date { begunAt.adding(week) }
            /// A later code begins another wait.
            var expiry: Date { end.adding(week) }
        }

        /// When the person turned it off without a recovery code.
        var turnedOffAt: Date?
        /// When codes were made without an old one while the lock was on.
        var codesMadeAt: Date?
        var wait: Wait?
    }

    struct RecoveryCodes: Sendable {
        var unused: [String] = []
        var used: [String] = []
        /// The number of the server's key that made the unused ones.
        var keyNumber = World.firstKey

        mutating func use(_ code: String) {
            unused.removeAll { $0 == code }
            used.append(code)
        }
    }

    /// An administrators' token.
    struct Ticket: Sendable {
        var id: SignUpTokenID
        /// nil for a token that opens accounts.
        var number: PhoneNumber?
        var uses: Int
        var days: Int
        var madeAt: Date
        var used = 0
        /// Whether an administrator has ended it.
        var isRevoked = false

        var end: Date { madeAt.adding(.days(days)) }
    }

    struct Announcement: Sendable {
        static let title = "From the people who run this server"

        var text: String
        var madeAt: Date
        /// Those with an account, who must be told.
        var people: [Int: UserID]
        var told: Set<Int> = []
    }
}
