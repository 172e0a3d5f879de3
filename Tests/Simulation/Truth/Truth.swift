import Domain
import Foundation
import Secrets

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
        /// How far the server's clock was off when the last check-in came.
        var receiptError: Duration = .zero
        /// True time since which the deadline is what it is.
        var deadlineSince: Date
        var endpoints: [Int: DeviceID] = [:]
        var raises: Set<AlertID> = []
        /// Did not use the session for so long that it may be over.
        var refreshedAt: Date

        var deadline: Date? { lastCheckIn?.adding(interval) }
    }

    /// By person; nil without an account.
    var accounts: [Account?]
    /// Since when, in true time.
    var roles: [Edge: Date] = [:]
    /// Roles to which the person whom they concern has agreed.
    var consents: Set<Edge> = []
    /// Open alerts in the order in which they were noticed.
    var alarms: [Alarm] = []
    /// How often each person's code was made anew.
    var codes: [Int: QRCodeID] = [:]

    init(people: Int) { accounts = Array(repeating: nil, count: people) }

    func responders(of owner: Int) -> [Int] {
        roles.keys.filter { $0.owner == owner }.map(\.responder).sorted()
    }

    func areContacts(_ one: Int, _ other: Int) -> Bool {
        roles[Edge(responder: one, owner: other)] != nil
            || roles[Edge(responder: other, owner: one)] != nil
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
    /// What the repeats are counted from.
    var escalationFrom: Date
    /// True time.
    var noticedAt: Date
    var acknowledgedBy: Int?
    var acknowledgedAt: Date?
    /// The deadline that this alert stands for.
    var deadline: Date?

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
