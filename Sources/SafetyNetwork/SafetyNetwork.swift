import Domain
import Foundation
import Persistence
import Secrets

/// What people can ask for, and what the clock asks for. Each command is: who asks → load → rule from `Domain` → save →
/// events and deliveries, all in one transaction.
public struct SafetyNetwork: Sendable {
    public let database: any DatabaseEngine
    let options: Options
    let now: @Sendable () -> Date
    /// nil when `now` is all that is known of time.
    let clock: ServerClock?
    /// Which database this is; see `wake`.
    public let epoch = Epoch()
    let makeID: @Sendable () -> UUID
    let random: RandomBytes
    let key: ServerKey
    let sendCode: @Sendable (PhoneNumber, String) -> Void
    let callers: CallerCache

    public struct Options: Sendable {
        public var intervalLimits = IntervalLimits.standard
        /// Numbers that sign in with a fixed code and get no SMS.
        public var testNumbers: [PhoneNumber: String] = [:]
        public var codesPerNumber = SignInRules.codesPerNumber
        public var codesPerAddress = SignInRules.codesPerAddress
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
    ///   - now: the server's time.
    ///   - clock: where `now` comes from, with what is known of its errors.
    ///   - makeID: ids for what the server creates.
    ///   - sendCode: brings a sign-in code to a phone; returns at once.
    public init(
        database: any DatabaseEngine, options: Options, key: ServerKey, callers: CallerCache = CallerCache(),
        random: RandomBytes = .system, now: @escaping @Sendable () -> Date, clock: ServerClock? = nil,
        makeID: @escaping @Sendable () -> UUID = { UUID() },
        sendCode: @escaping @Sendable (PhoneNumber, String) -> Void
    ) {
        self.database = database
        self.options = options
        self.key = key
        self.callers = callers
        self.random = random
        self.now = now
        self.clock = clock
        self.makeID = makeID
        self.sendCode = sendCode
    }

    func newID<Tag>() -> ID<Tag> { ID(makeID()) }

    func pictureURL(_ id: PictureID) -> URL? { options.publicURL.appendingPathComponent("v1/pictures/\(id)") }

    static let noSuchUser = CommandError.unauthenticated("This account no longer exists.")
}
