import Cryptography
import Domain
import Foundation

/// The relation in which `responder` watches over `owner`.
struct Edge: Hashable, Sendable {
    var responder: Int
    var owner: Int
}

/// The observer's own account of what the server has to know: built from the answers that people
/// got, never from the product's rows. It goes back with a restore, as a database does.
struct Truth: Sendable {
    struct Account: Sendable {
        var caller: Caller
        var refreshToken: Token
        var interval: Duration = .hours(24)
        /// As the server stores it.
        var lastCheckIn: Date?
        var checkIns: Set<CheckInID> = []
        /// True time of the last check-in that the server answered.
        var heardAt: Date?
        /// How far the server's clock was off when the last check-in came.
        var receiptError: Duration = .zero
        /// True time since which the deadline is what it is.
        var deadlineSince: Date
        var endpoints: [Int: PushEndpointID] = [:]
        /// Webhooks whose removal the server has told.
        var removalsTold = 0
        var isMuted = false
        var raises: Set<AlertID> = []
        /// Did not use the session for so long that it may be over.
        var refreshedAt: Date

        var deadline: Date? { lastCheckIn?.adding(interval) }

        /// True if the server may hold this for the last check-in: what was received while its
        /// clock was wrong is set right with the clock.
        func mayHaveCounted(from time: Date?) -> Bool {
            guard receiptError > .zero, let time, let lastCheckIn else {
                return time == lastCheckIn
            }
            let slack = receiptError + CheckInRules.clockSkew
            return abs(time.since(lastCheckIn).milliseconds) <= slack.milliseconds
        }
    }

    /// The consent between a responder and an owner.
    enum Consent: Equatable, Sendable {
        case absent, inForce
        /// The other side has not answered.
        case requested(by: Int)
    }

    struct Block: Hashable, Sendable {
        var blocker: Int
        var blocked: Int
    }

    /// A backup has taken the place of the database. In true time.
    struct Restore: Sendable {
        var at: Date
        /// Since when the server's knowledge is incomplete.
        var to: Date
    }

    /// By person; nil without an account.
    var accounts: [Account?]
    /// Roles in force, with the true time since which they are.
    var roles: [Edge: Date] = [:]
    /// Roles asked for that the other side has not answered.
    var requests: [Edge: Int] = [:]
    /// People told of an owner's alerts, and since when: responders, and those the owner has asked.
    var listeners: [Edge: Date] = [:]
    /// With the account that was blocked, and the server's time.
    var blocks: [Block: (user: UserID, at: Date)] = [:]
    var restore: Restore?
    /// Open alerts in the order in which they were noticed.
    var alarms: [Alarm] = []
    /// The present code of each person, if anybody has seen it.
    var codes: [Int: QRCodeID] = [:]
    /// Codes that were renewed since they were seen.
    var worthless: Set<QRCodeID> = []

    init(people: Int) { accounts = Array(repeating: nil, count: people) }

    func responders(of owner: Int) -> [Int] {
        listeners.keys.filter { $0.owner == owner }.map(\.responder).sorted()
    }

    func consent(_ edge: Edge) -> Consent {
        roles[edge] != nil ? .inForce : requests[edge].map { .requested(by: $0) } ?? .absent
    }

    func alarm(of owner: Int, _ kind: AlertKind) -> Alarm? {
        alarms.first { $0.owner == owner && $0.kind == kind }
    }

    mutating func change(_ id: AlertID, _ body: (inout Alarm) -> Void) {
        guard let index = alarms.firstIndex(where: { $0.id == id }) else { return }
        body(&alarms[index])
    }
}

/// An open alert as the observer knows it. Its moments are those of the server's clock.
struct Alarm: Sendable {
    var id: AlertID
    var owner: Int
    var kind: AlertKind
    var startedAt: Date
    /// Repeats are counted from this time.
    var escalationFrom: Date
    /// True time.
    var noticedAt: Date
    var acknowledgedBy: Int?
    var acknowledgedAt: Date?
    var report: AlertReport?
    var reportedBy: Int?
    var reportedAt: Date?
    /// A responder gave it up, or a report has expired. That responder is not told.
    var released: (by: Int?, at: Date)?
    /// The deadline that this alert stands for.
    var deadline: Date?

    /// Nobody is on it, and no report pauses the repeats.
    var isUnattended: Bool { acknowledgedAt == nil && reportedAt == nil }

    /// Moments at which every responder is told, written down from product.md ("Escalation") and
    /// not taken from the product's code.
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
