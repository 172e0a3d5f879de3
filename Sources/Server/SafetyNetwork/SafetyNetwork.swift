import Cryptography
import Domain
import Foundation
import Persistence

/// The commands of people and of the clock. A command finds out who asks, loads, asks the rule in
/// `Domain`, saves, and adds events and deliveries, all in one transaction.
public struct SafetyNetwork: Sendable {
    public let database: any DatabaseEngine
    let options: Options
    /// The id of this state of the database; see `wake`.
    public let epoch = Epoch()
    public let pushKey = PushKey()
    let key: ServerKey
    private let environment: Environment
    let callers: CallerCache
    let checkInLimiter: CheckInLimiter
    let exports = ExportLimiter()
    let lookUps = Turns(1)
    let sharedWork = SharedWork()
    let signsOfLife = SignsOfLife()

    public struct Options: Sendable {
        public var intervalLimits = IntervalLimits.standard
        /// Numbers that sign in with a fixed code and get no SMS.
        public var testNumbers: [PhoneNumber: String] = [:]
        /// Test numbers of the operator's canary: they may check in at intervals of seconds.
        public var canaryNumbers: Set<PhoneNumber> = []
        /// Sign-in codes an hour for one number and requester; three times as many for the number.
        public var codesPerNumber = SignInRules.codesPerNumber
        public var codesPerAddress = SignInRules.codesPerAddress
        /// Sign-in codes an hour for all numbers; 0 for no limit.
        public var codesPerHour = SignInRules.codesPerHour
        /// Check-ins an hour for one user, beside those that no limit refuses; 0 for no limit.
        public var checkInsPerHour = CheckInLimits.perHour
        /// Notifications can go out by SMS.
        public var isSMSAvailable = false
        /// START reaches this server. Without it nobody could undo a STOP.
        public var takesTextAnswers = true
        /// Notifications can go out by e-mail.
        public var isEmailAvailable = false
        /// Responders can be called.
        public var isVoiceAvailable = false
        public var emailCodeLimits = EmailCodeLimits()
        /// Budgets for messages that cost the operator money.
        public var budgets = Budgets.unlimited
        /// The kinds of endpoints that this server can send to.
        public var pushKinds: Set<PushEndpoint.Kind> = [.webhook, .webPush]
        /// Notifications are also shown in the terminal of the server.
        public var showsNotifications = false
        public var publicURL: URL
        public var appVersion = "1"
        public var retention = CleanUp.Retention()
        /// The key of the database's rows is lost, and this server's takes its place.
        public var acceptsNewKey = false

        public init(publicURL: URL) { self.publicURL = publicURL }

        /// E-mail, SMS and calls, as far as the server has them.
        var carriers: Set<DeliveryChannel> {
            var carriers: Set<DeliveryChannel> = []
            if isEmailAvailable { carriers.insert(.email) }
            if isSMSAvailable { carriers.insert(.sms) }
            if isVoiceAvailable { carriers.insert(.voice) }
            return carriers
        }
    }

    /// The world outside of the database.
    public struct Environment: Sendable {
        /// The source of the database's `now`, with what is known of its errors; nil when nothing
        /// is.
        public var clock: ServerClock?
        public var random = RandomBytes.system
        /// Tells this process from the other servers of the database.
        public var serverID = RandomBytes.system.integer()
        /// Ids for what the server creates. Nobody must be able to guess them.
        public var makeID: @Sendable () -> UUID = { UUID() }
        /// Brings a text message to a phone that need not be a user's any more; returns at once.
        public var sendText: @Sendable (PhoneNumber, String) -> Void = { _, _ in }
        /// Brings the code for an e-mail address there; returns at once. `fail` runs when no server
        /// has taken it.
        public var sendEmailCode:
            @Sendable (EmailAddress, String, _ fail: @escaping @Sendable () async -> Void) -> Void =
                { _, _, _ in }
        /// Brings an invitation there; returns at once. `fail` runs when nobody has taken it.
        public var sendInvitation:
            @Sendable (InvitationMessage, _ fail: @escaping @Sendable () async -> Void) -> Void =
                { _, _ in }
        /// Brings a sign-in code to a phone; returns at once.
        public var sendCode: @Sendable (PhoneNumber, String) -> Void

        public init(sendCode: @escaping @Sendable (PhoneNumber, String) -> Void) {
            self.sendCode = sendCode
        }
    }

    public init(
        database: any DatabaseEngine, options: Options, key: ServerKey,
        callers: CallerCache = CallerCache(), environment: Environment
    ) {
        self.database = database
        self.options = options
        self.key = key
        self.callers = callers
        self.environment = environment
        checkInLimiter = CheckInLimiter(perHour: options.checkInsPerHour)
    }

    /// The server's time, where no transaction has one.
    func now() -> Date { database.now() }

    var clock: ServerClock? { environment.clock }
    var serverID: Int64 { environment.serverID }
    var random: RandomBytes { environment.random }
    func newID<Tag>() -> ID<Tag> { ID(environment.makeID()) }
    func sendText(_ number: PhoneNumber, _ text: String) { environment.sendText(number, text) }
    func sendCode(_ number: PhoneNumber, _ code: String) { environment.sendCode(number, code) }
    func sendInvitation(
        _ message: InvitationMessage, fail: @escaping @Sendable () async -> Void
    ) {
        environment.sendInvitation(message, fail)
    }
    func sendEmailCode(
        _ address: EmailAddress, _ code: String, fail: @escaping @Sendable () async -> Void
    ) {
        environment.sendEmailCode(address, code, fail)
    }

    func pictureURL(_ id: PictureID) -> URL? {
        options.publicURL.appendingPathComponent("v1/pictures/\(id)")
    }

    static let noSuchUser = CommandError.unauthenticated("This account no longer exists.")
}
