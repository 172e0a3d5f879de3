import Cryptography
import Domain
import Foundation

/// The relation of a responder to the owner of alerts.
struct Edge: Hashable, Sendable {
    var responder: Int
    var owner: Int
}

/// The observer's own record of what the server must know. It is built from the responses to
/// people, never from the product's rows. A restore resets it.
struct Truth: Sendable {
    struct Account: Sendable {
        var caller: Caller
        var refreshToken: Token
        var interval: Duration = .hours(24) { didSet { findDeadline() } }
        var plan = Plan.interval { didSet { findDeadline() } }
        var first: First? { didSet { findDeadline() } }
        /// The last pause, even if it has ended.
        var pause: Pause?
        /// The last journey, even if it has ended.
        var journey: Journey?
        /// The oldest first.
        var sources: [Source] = []
        var removedSources: [Source] = []
        /// The longest silence that the form showed; nil without deadlines.
        var shownSilence: Duration? = .hours(24)
        var lastCall = LastCall.standard
        /// The reminders that are on.
        var reminders = Set(Reminder.allCases)
        /// The last check-in, as the server stores it.
        var lastCheckIn: Date? { didSet { findDeadline() } }
        /// Computed once for each change, because windows take a while.
        var deadline: Date?
        /// When the window of the deadline opens; nil if any check-in counts.
        var opening: Date?
        var checkIns: Set<CheckInID> = []
        /// The true time of the last answered check-in.
        var heardAt: Date?
        /// The error of the server's clock when the last check-in arrived.
        var receiptError: Duration = .zero
        /// The true time when the deadline last changed.
        var deadlineSince: Date
        var endpoints: [Int: PushEndpointID] = [:]
        /// Browsers and apps that have begun to refuse everything, so that the server removes them.
        var endings: [Int: PushEndpointID] = [:]
        /// The confirmed e-mail address. `newMail` waits for its code.
        var mail: String?
        var newMail: String?
        /// The number of webhooks that the server has reported as removed.
        var removalsTold = 0
        var isMuted = false
        var raises: Set<AlertID> = []
        /// The alerts of key 2 in a last call, which no step raises.
        var raisedByKey: Set<AlertID> = []
        /// Whether an administrator has locked the account.
        var isLocked = false
        /// The change of the number that waits.
        var move: Move?
        /// The reason of each act of an administrator on the account.
        var acts: [String] = []
        /// nil if the sign-in lock is off. It stays after the lock's end.
        var signInLock: SignInLock?
        var recovery = RecoveryCodes()
        /// The last use of the session. After a long time, it may have expired.
        var refreshedAt: Date
        /// nil if the device may not have the newest one.
        var accessToken: AccessToken?
        /// The number of the account that knows the person's device. A change of the number makes
        /// the account forget the device.
        var knownNumber: PhoneNumber?
        /// The same, also after the end of sessions that may not have been the device's.
        var perhapsKnownNumber: PhoneNumber?
        /// The oldest first.
        var passkeys: [KnownPasskey] = []
        var removedPasskeys: [KnownPasskey] = []
        /// Whether the copy must not have the note.
        var leavesNoteOut = false
        var reading = Reading()
        /// The last alert pass.
        var pass: Pass?

        /// Returns whether the server may store this as the last check-in. It corrects times that
        /// it received while its clock was wrong.
        func mayHaveCounted(from time: Date?) -> Bool {
            guard receiptError > .zero, let time, let lastCheckIn else {
                return time == lastCheckIn
            }
            let slack = receiptError + CheckInRules.clockSkew
            return abs(time.since(lastCheckIn).milliseconds) <= slack.milliseconds
        }
    }

    struct Source: Sendable {
        var id: SourceID
        var name: String
        var secret: String
        /// The last use, by the server's clock.
        var usedAt: Date?
        /// Whether the server's clock was right at the last use.
        var isTimeSure = true
    }

    enum Consent: Equatable, Sendable {
        case absent, inForce
        /// The other person hasn't answered.
        case requested(by: Int)
    }

    struct Block: Hashable, Sendable {
        var blocker: Int
        var blocked: Int
    }

    /// A restored backup, in true times.
    struct Restore: Sendable {
        var at: Date
        /// The time since when the server's knowledge is incomplete.
        var to: Date
    }

    var accounts: [Account?]
    /// The roles in force, with the true times of their starts.
    var roles: [Edge: Date] = [:]
    /// The unanswered requests for roles, with the people who sent them.
    var requests: [Edge: Int] = [:]
    /// The people who are told of an owner's alerts, with the times since when. They are responders
    /// or have been asked by the owner.
    var listeners: [Edge: Date] = [:]
    /// The blocks, with the blocked account and the server's time.
    var blocks: [Block: (user: UserID, at: Date)] = [:]
    /// People without an account who have accepted an invitation.
    var guests: [Int: UserID] = [:]
    /// The true times when people have accepted to be responders.
    var acceptances: [Edge: Date] = [:]
    /// The people whose number gets no text messages, and the true time since when.
    var stops: [Int: Date] = [:]
    /// The true times when people have sent START.
    var starts: [Int: Date] = [:]
    /// How often each person's number has changed.
    var numbers: [Int: Int] = [:]
    /// The true times when accounts were deleted.
    var gone: [Int: Date] = [:]
    var announcements: [Announcement] = []
    /// The number of the server's key.
    var keyNumber = World.firstKey
    /// The last drill of each person, with the server's time of its start.
    var drills: [Int: (id: DrillID, at: Date)] = [:]
    var restore: Restore?
    /// The open alerts, in the order of their discovery.
    var alarms: [Alarm] = []
    /// The current code of each person, if another has seen it.
    var codes: [Int: QRCodeID] = [:]
    /// Seen codes that have since been renewed.
    var worthless: Set<QRCodeID> = []
    /// The reasons of all acts of administrators.
    var log: [String] = []
    /// The administrators' tokens, the oldest first.
    var tickets: [Ticket] = []
    /// The codes for each person's number of the last day.
    var codesAsked: [Int: [CodeAsk]] = [:]
    /// The code that each person may still enter.
    var keptCodes: [Int: SentCode] = [:]
    /// The true time of the last deletion of an account or a guest, even if the answer was lost.
    /// The server then shortens the logs of the person's acquaintances.
    var deletedAt: Date = .distantPast
    /// The true time when each person's number last changed.
    var numberSince: [Int: Date] = [:]
    /// The last ping of each pair.
    var pings: [Edge: Ping] = [:]
    /// The invitations that must be listed, by the invited person and the one who invited.
    var invited: [Edge: InvitationID] = [:]

    /// The people who may have an account. The others are correspondents.
    let people: Int
    /// The mail to correspondents.
    var letters: [Int: Letters] = [:]
    /// Since when guests have had no relation, as far as the observer knows (true times).
    var aloneSince: [Int: Date] = [:]
    /// Whether the server has converted all numbers to the canonical form.
    var areNumbersCanonical = false

    init(people: Int) {
        self.people = people
        accounts = Array(repeating: nil, count: people + Self.correspondents)
    }

    func responders(of owner: Int) -> [Int] {
        listeners.keys.filter { $0.owner == owner }.map(\.responder).sorted()
    }

    func userID(of person: Int) -> UserID? {
        accounts[person]?.caller.userID ?? guests[person]
    }

    func consent(_ edge: Edge) -> Consent {
        roles[edge] != nil ? .inForce : requests[edge].map { .requested(by: $0) } ?? .absent
    }

    /// Returns whether the person's number has got text messages ever since `begin`.
    func getsTexts(_ person: Int, since begin: Date) -> Bool {
        !isCorrespondent(person) && stops[person] == nil
            && starts[person] ?? .distantPast < begin
    }

    func alarm(of owner: Int, _ kind: AlertKind) -> Alarm? {
        alarms.first { $0.owner == owner && $0.kind == kind }
    }

    mutating func change(_ id: AlertID, _ body: (inout Alarm) -> Void) {
        guard let index = alarms.firstIndex(where: { $0.id == id }) else { return }
        body(&alarms[index])
        let alarm = alarms[index]
        alarms[index].answeredAt =
            [alarm.answeredAt, alarm.acknowledgedAt, alarm.reportedAt].compactMap(\.self).max()
    }
}

/// An open alert, as the observer knows it. Its times are the server's, unless noted. For what
/// people do while those are behind, they are true: a correction moves the rows to the true time.
struct Alarm: Sendable {
    var id: AlertID
    var owner: Int
    var kind: AlertKind
    var startedAt: Date
    /// The start time for counting repeats.
    var escalationFrom: Date
    /// The true time when the observer noticed the alert.
    var noticedAt: Date
    var acknowledgedBy: Int?
    var acknowledgedAt: Date? {
        didSet { takenOnAt = acknowledgedAt == nil ? nil : takenOnAt ?? acknowledgedAt }
    }
    /// The first acknowledgement of the person who is on it. A confirmation is no news.
    private(set) var takenOnAt: Date?
    var report: AlertReport?
    var reportedBy: Int?
    var reportedAt: Date?
    /// When a responder last withdrew or left, or a report expired. Another person's report or
    /// acknowledgement may have remained. `by` is the responder who withdrew, who isn't told; nil
    /// for the other causes.
    var released: (by: Int?, at: Date)?
    /// The deadline that this alert covers.
    var deadline: Date?
    /// The last acknowledgement or report, even if it doesn't hold any more.
    var answeredAt: Date?
    /// The responders chosen for a journey; nil for all.
    var chosen: Set<Int>?
    /// The people who have said that they can't come.
    var refused: Set<Int> = []
    /// Whether an alert for chosen responders has reached all.
    var isWide = false

    /// Whether the alert is unacknowledged and no report pauses the repeats.
    var isUnattended: Bool { acknowledgedAt == nil && reportedAt == nil }

    /// Since when the same people have been on it, or nobody.
    var attentionSince: Date {
        [escalationFrom, takenOnAt, reportedAt, released?.at].compactMap(\.self).max()
            ?? escalationFrom
    }

    /// Returns whether this responder is told from the beginning.
    func wasChosen(_ person: Int) -> Bool { chosen?.contains(person) ?? true }

    func concerns(_ person: Int) -> Bool { isWide || wasChosen(person) }

    func allows(_ claim: Claim) -> Bool {
        switch claim {
        // The owner is told when all have refused, also during the pause after a report.
        case .nobodyIsOnIt:
            isUnattended || acknowledgedBy == nil && reportedBy.map(refused.contains) == true
        case .isOnIt(let person): acknowledgedBy == person
        case .reported(let person): reportedBy == person
        }
    }

    /// Returns when every responder must last have been told, derived from product.md
    /// ("Escalation") and not from the product's code.
    static func lastRepeat(by now: Date, from start: Date) -> Date {
        let minute: Int64 = 60_000
        let hour = 60 * minute
        let passed = now.since(start).milliseconds
        let moments: [Int64] =
            [0, 5 * minute, 15 * minute, 30 * minute] + (1...24).map { $0 * hour }
            + stride(from: 30, through: 168, by: 6).map { Int64($0) * hour }
        let day = 24 * hour
        let last = passed >= 168 * hour ? passed / day * day : moments.last { $0 <= passed } ?? 0
        return start.adding(.milliseconds(last))
    }
}
