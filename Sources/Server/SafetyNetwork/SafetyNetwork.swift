import Cryptography
import Domain
import Foundation
import Persistence

/// The server's commands, each triggered by a person or by the passing of time. Within one
/// transaction, a command loads rows, applies a rule of `Domain`, saves the result, and adds events
/// and deliveries.
public struct SafetyNetwork: Sendable {
    public let database: any DatabaseEngine
    let options: Options
    /// Identifies the database's contents between two restores from a backup; nil until `wake`.
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
        /// Sign-in codes an hour for one number and one requester. All requesters together can
        /// request three times as many for one number.
        public var codesPerNumber = SignInRules.codesPerNumber
        public var codesPerAddress = SignInRules.codesPerAddress
        /// Sign-in codes an hour for all numbers; 0 for no limit.
        public var codesPerHour = SignInRules.codesPerHour
        /// Sign-in codes an hour to numbers without an account; 0 for no limit.
        public var codesToNewNumbers = SignInRules.codesToNewNumbers
        /// Sign-in codes an hour to numbers of one country without an account; 0 for no limit.
        public var codesToNewNumbersPerCountry = SignInRules.codesToNewNumbersPerCountry
        /// Check-ins an hour for one user, not counting exempt ones; 0 for no limit.
        public var checkInsPerHour = CheckInLimits.perHour
        /// True if sign-in codes reach phones. Otherwise only test numbers can sign in.
        public var sendsCodes = true
        /// The channels whose messages appear only on the operator's terminal.
        public var channelsShownHere: Set<DeliveryChannel> = []
        /// True if notifications can go out by SMS.
        public var isSMSAvailable = false
        /// True if this server receives the text message START. Without START, the server could
        /// never lift a STOP, so it stores none.
        public var takesTextAnswers = true
        /// True if notifications can go out by e-mail.
        public var isEmailAvailable = false
        /// True if the server can call responders.
        public var isVoiceAvailable = false
        public var emailCodeLimits = EmailCodeLimits()
        /// Budgets for messages that cost the operator money.
        public var budgets = Budgets.unlimited
        /// The kinds of endpoints that this server can send to.
        public var pushKinds: Set<PushEndpoint.Kind> = [.webhook, .webPush]
        /// True if notifications also appear on the server's terminal.
        public var showsNotifications = false
        public var publicURL: URL
        public var appVersion = "1"
        public var retention = CleanUp.Retention()
        /// True if the key of the database's rows is lost and this server's key replaces it.
        public var acceptsNewKey = false

        public init(publicURL: URL) { self.publicURL = publicURL }

        /// The channels that the server offers, out of e-mail, SMS and calls.
        var carriers: Set<DeliveryChannel> {
            var carriers: Set<DeliveryChannel> = []
            if isEmailAvailable { carriers.insert(.email) }
            if isSMSAvailable { carriers.insert(.sms) }
            if isVoiceAvailable { carriers.insert(.voice) }
            return carriers
        }
    }

    /// Access to everything outside of the database.
    public struct Environment: Sendable {
        /// The clock that supplies the database's `now` and knows its own error; nil if no error is
        /// tracked.
        public var clock: ServerClock?
        public var random = RandomBytes.system
        /// Distinguishes this process from the other servers of the database.
        public var serverID = RandomBytes.system.integer()
        /// Makes unguessable ids for everything that the server creates.
        public var makeID: @Sendable () -> UUID = { .random() }
        /// Sends a text message to a phone that may no longer belong to a user; returns at once.
        public var sendText: @Sendable (PhoneNumber, String) -> Void = { _, _ in }
        /// Sends the code to an e-mail address; returns at once. Runs `fail` if no mail server
        /// accepts it.
        public var sendEmailCode:
            @Sendable (EmailAddress, String, _ fail: @escaping @Sendable () async -> Void) -> Void =
                { _, _, _ in }
        /// Sends an invitation; returns at once. Runs `fail` if no carrier accepts it.
        public var sendInvitation:
            @Sendable (InvitationMessage, _ fail: @escaping @Sendable () async -> Void) -> Void =
                { _, _ in }
        /// Sends a sign-in code to a phone; returns at once.
        public var sendCode: @Sendable (PhoneNumber, String) -> Void

        /// Called when a limit on the codes to all numbers, or to all new numbers, holds a code
        /// back.
        public var noteCodeBound: @Sendable (CodeBound) -> Void = { _ in }

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

    /// Returns the server's time, for code outside of transactions.
    func now() -> Date { database.now() }

    var clock: ServerClock? { environment.clock }
    var serverID: Int64 { environment.serverID }
    var random: RandomBytes { environment.random }
    func newID<Tag>() -> ID<Tag> { ID(environment.makeID()) }
    func sendText(_ number: PhoneNumber, _ text: String) { environment.sendText(number, text) }
    func sendCode(_ number: PhoneNumber, _ code: String) { environment.sendCode(number, code) }
    func noteCodeBound(_ bound: CodeBound) { environment.noteCodeBound(bound) }
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
