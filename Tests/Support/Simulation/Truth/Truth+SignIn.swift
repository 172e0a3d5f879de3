import Cryptography
import Domain
import Foundation
import SoftPasskey

/// Sign-in and administrators (product.md). All times are true.
extension Truth {
    /// A change of a person's number that waits.
    struct Move: Sendable {
        static let wait: Duration = .hours(24)

        /// The next value of `Truth.numbers`.
        var index: Int
        var begunAt: Date
        var dueAt: Date
        /// Whether the person began it, so that it ends with its session.
        var isOwn = false
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
        var wait: Wait?
    }

    struct RecoveryCodes: Sendable {
        var unused: [String] = []
        var used: [String] = []
        /// When codes were last made without an old one; nil before the first ones.
        var madeAt: Date?
        /// False if a wrong clock may have decided whether an old one was needed.
        var isAgeKnown = true
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

    struct AccessToken: Sendable {
        static let lifetime: Duration = .minutes(15)

        var token: Token
        var since: Date
    }

    /// A code that was sent to a number.
    struct SentCode: Sendable {
        static let lifetime: Duration = .minutes(5)
        static let tries = 5

        var number: PhoneNumber
        var text: String
        var request: CodeRequestID
        var sentAt: Date
    }

    /// An answered request for a code.
    struct CodeAsk: Sendable {
        /// The most codes an hour to one number: for one requester, and for all strangers.
        static let perRequester = 5
        static let perHour = 15
        /// The codes an hour beyond these for devices that signed in before.
        static let reserved = 3
        /// The most codes a day to one number, for all strangers.
        static let perDay = 20
        /// The most codes a day to one number, for the person's own devices.
        static let ownPerDay = 30

        var number: PhoneNumber
        var at: Date
        /// Whether the person's own device has asked.
        var isOwn: Bool
    }

    struct KnownPasskey: Sendable {
        var id: PasskeyID
        var device: SoftPasskey
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
