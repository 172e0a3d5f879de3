import Cryptography
import Domain
import Foundation
import Persistence

/// The commands of people and of the clock. Each command is: who asks → load → rule from `Domain` →
/// save → events and deliveries, all in one transaction.
public struct SafetyNetwork: Sendable {
    public let database: any DatabaseEngine
    let options: Options
    /// nil when the database's `now` is all that is known of time.
    let clock: ServerClock?
    /// Which database this is; see `wake`.
    public let epoch = Epoch()
    let makeID: @Sendable () -> UUID
    let random: RandomBytes
    let key: ServerKey
    let sendText: @Sendable (PhoneNumber, String) -> Void
    let sendCode: @Sendable (PhoneNumber, String) -> Void
    let callers: CallerCache
    let checkInLimiter: CheckInLimiter
    let exports = ExportLimiter()
    let lookUps = Turns(1)

    public struct Options: Sendable {
        public var intervalLimits = IntervalLimits.standard
        /// Numbers that sign in with a fixed code and get no SMS.
        public var testNumbers: [PhoneNumber: String] = [:]
        /// Sign-in codes an hour for one number and requester; three times as many for the number.
        public var codesPerNumber = SignInRules.codesPerNumber
        public var codesPerAddress = SignInRules.codesPerAddress
        /// Sign-in codes an hour for all numbers; 0 for no limit.
        public var codesPerHour = SignInRules.codesPerHour
        /// Check-ins an hour for one user, beside those that no limit refuses; 0 for no limit.
        public var checkInsPerHour = CheckInLimits.perHour
        /// Notifications can go out by SMS.
        public var isSMSAvailable = false
        /// Notifications are also shown in the terminal of the server.
        public var showsNotifications = false
        public var publicURL: URL
        public var appVersion = "1"
        public var retention = CleanUp.Retention()

        public init(publicURL: URL) { self.publicURL = publicURL }
    }

    /// - Parameters:
    ///   - clock: where the database's `now` comes from, with what is known of its errors.
    ///   - makeID: ids for what the server creates. Nobody must be able to guess them.
    ///   - sendText: brings a text message to a phone that need not be a user's any more; returns
    ///     at once.
    ///   - sendCode: brings a sign-in code to a phone; returns at once.
    public init(
        database: any DatabaseEngine, options: Options, key: ServerKey,
        callers: CallerCache = CallerCache(),
        random: RandomBytes = .system, clock: ServerClock? = nil,
        makeID: @escaping @Sendable () -> UUID = { UUID() },
        sendText: @escaping @Sendable (PhoneNumber, String) -> Void = { _, _ in },
        sendCode: @escaping @Sendable (PhoneNumber, String) -> Void
    ) {
        self.database = database
        self.options = options
        self.key = key
        self.callers = callers
        self.random = random
        self.clock = clock
        self.makeID = makeID
        self.sendText = sendText
        self.sendCode = sendCode
        checkInLimiter = CheckInLimiter(perHour: options.checkInsPerHour)
    }

    /// The server's time, where no transaction has one.
    func now() -> Date { database.now() }

    func newID<Tag>() -> ID<Tag> { ID(makeID()) }

    func pictureURL(_ id: PictureID) -> URL? {
        options.publicURL.appendingPathComponent("v1/pictures/\(id)")
    }

    static let noSuchUser = CommandError.unauthenticated("This account no longer exists.")
}
