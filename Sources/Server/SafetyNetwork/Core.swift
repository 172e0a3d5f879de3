import Cryptography
import Domain
import Foundation
import Persistence

/// State and tools that the commands of all topics share.
public final class Core: Sendable {
    let database: any DatabaseEngine
    let options: SafetyNetwork.Options
    let key: ServerKey
    let environment: SafetyNetwork.Environment
    let callers: CallerCache
    let checkInLimiter: CheckInLimiter
    let checkInGroups = CheckInGroups()
    let epoch = Epoch()
    let pushKey = PushKey()
    let exports = ExportLimiter()
    /// For requests beyond the rate limits: tokens and secrets.
    let lookUps = Turns(1)
    /// For requests within the rate limits: the secrets of sources.
    let secretLookUps = Turns(1)
    /// The same for alert passes, so that a flood of sources' secrets delays no alert.
    let passLookUps = Turns(1)
    let sharedWork = SharedWork()
    let signsOfLife = SignsOfLife()
    let keyQuestions = KeyQuestions()

    /// The most look-ups that may wait. More of them mean a flood of requests.
    static let mostLookUps = 200

    init(
        database: any DatabaseEngine, options: SafetyNetwork.Options, key: ServerKey,
        callers: CallerCache, environment: SafetyNetwork.Environment
    ) {
        self.database = database
        self.options = options
        self.key = key
        self.callers = callers
        self.environment = environment
        checkInLimiter = CheckInLimiter(perHour: options.checkInsPerHour)
    }
}

/// The commands of one topic.
public protocol Commands: Sendable {
    var core: Core { get }
}

extension Commands {
    public var database: any DatabaseEngine { core.database }
    /// Identifies the database's contents between two restores from a backup; nil until
    /// `ServerLife.wake`.
    public var epoch: Epoch { core.epoch }
    public var pushKey: PushKey { core.pushKey }

    var options: SafetyNetwork.Options { core.options }
    var key: ServerKey { core.key }
    var callers: CallerCache { core.callers }
    var checkInLimiter: CheckInLimiter { core.checkInLimiter }
    var checkInGroups: CheckInGroups { core.checkInGroups }
    var exports: ExportLimiter { core.exports }
    var lookUps: Turns { core.lookUps }

    /// Returns the turns for the look-up of a secret. Requests beyond the rate limits have their
    /// own turns, so that a flood of them doesn't delay the others. Throws `refusal` or
    /// `unavailable` when too many look-ups wait.
    /// - Parameters:
    ///   - ordinary: the turns of requests within the limits.
    ///   - refusal: the error of the request limit; nil for a request within it.
    func turns(
        _ ordinary: Turns, unlessRefused refusal: CommandError?
    ) throws(CommandError) -> Turns {
        let turns = refusal == nil ? ordinary : lookUps
        guard turns.waitingCount < Core.mostLookUps else {
            throw refusal ?? CommandError.unavailable("Too many requests wait. Please try again.")
        }
        return turns
    }

    /// Throws `sessionOver` if the caller's session has ended. Another device may end it after the
    /// server has read the request's token and before the body arrives.
    func checkSession(of caller: Caller, in connection: any SQLConnection) throws {
        guard try connection.hasSession(caller) else { throw CommandError.sessionOver }
    }

    var sharedWork: SharedWork { core.sharedWork }
    var signsOfLife: SignsOfLife { core.signsOfLife }
    /// The channels that this server has, or another one that runs. The ledger's messages may use
    /// them all, because each server sends due messages of its channels.
    var availableChannels: Set<DeliveryChannel> {
        options.channels.union(signsOfLife.othersChannels)
    }
    var clock: ServerClock? { core.environment.clock }
    var serverID: Int64 { core.environment.serverID }
    var random: RandomBytes { core.environment.random }

    /// Returns the server's time. Code in a transaction uses the transaction's `now`.
    func now() -> Date { database.now() }

    func newID<Tag>() -> ID<Tag> { ID(core.environment.makeID()) }

    /// Returns an id for a row that many people get at the same moment. Such ids are neighbours in
    /// an index, so that a transaction writes few of its pages.
    func newID<Tag>(at time: Date) -> ID<Tag> {
        ID(core.environment.makeID().beginning(with: time))
    }

    func sendText(_ number: PhoneNumber, _ text: String) {
        core.environment.sendText(number, text)
    }

    func sendMail(_ address: EmailAddress, subject: String, paragraphs: [String]) {
        core.environment.sendMail(address, subject, paragraphs)
    }

    func sendCode(_ number: PhoneNumber, _ code: String) {
        core.environment.sendCode(number, code)
    }

    func noteCodeBound(_ bound: CodeBound) { core.environment.noteCodeBound(bound) }

    func sendInvitation(
        _ message: InvitationMessage, fail: @escaping @Sendable () async -> Void
    ) {
        core.environment.sendInvitation(message, fail)
    }

    func sendEmailCode(
        _ address: EmailAddress, _ code: String, fail: @escaping @Sendable () async -> Void
    ) {
        core.environment.sendEmailCode(address, code, fail)
    }

    func pictureURL(_ id: PictureID) -> URL? { options.pictureURL(id) }
}

extension CommandError {
    public static let sessionOver = CommandError.unauthenticated(RefusalWords.sessionOver.detail)
    static let passOver = CommandError.unauthenticated("This pass is not for this alert.")
    static let noSuchUser = CommandError.unauthenticated("This account no longer exists.")
    static let noSuchAlert = CommandError.notFound("There is no such alert.")
    static let noSuchJourney = CommandError.notFound("There is no such journey.")
    static let noSuchDrill = CommandError.notFound("There is no such drill.")
    static let noSuchNotification = CommandError.notFound("There is no such notification.")
}

extension Subjects {
    static let serverState = Subjects(names: ["server state"], isRepeatable: true)
}
