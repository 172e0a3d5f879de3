import Clients
import Domain
import Foundation

// The values that `--json` prints. Docs/command-line.md documents the keys, which must not change.
// A key is omitted while its value is unknown.

struct ProfileView: Encodable, Sendable {
    var id: UserID
    var name: String
    var status: UserStatus
    var emergencyNote: String?
    var phoneNumber: String?
    var lastCheckInTime: Date?
    /// Omitted without deadlines.
    var nextCheckInTime: Date?
    var plan: CheckInPlan
    var pausedUntil: Date?
    /// The running journey.
    var journey: JourneyView?
    /// The time zone that a device last reported.
    var timeZone: String?
    var intervalSeconds: Int
    var remindTwoHoursBefore: Bool
    var remindThirtyMinutesBefore: Bool
    /// Omitted, like the next value, if the server keeps no copy with Google.
    var copiesToGoogle: Bool?
    var leavesNoteOutOfCopy: Bool?
    var lockedAt: Date?
    var numberMove: NumberMove?
    /// Omitted when it is over.
    var maintenance: Maintenance?

    /// - Parameter isWhole: whether to include the fields that only some commands show.
    init(_ profile: UserProfile, at now: Date, isWhole: Bool = false) {
        id = profile.id
        name = profile.name
        status = UserStatus(
            hasOpenManualAlert: profile.status == .alertActive,
            // The deadline may have moved since the alert. Only a check-in ends the alert.
            hasOpenMissedAlert: profile.status == .nonResponsive
                || profile.journey?.alertId != nil,
            deadline: profile.nextCheckInTime, at: now)
        if isWhole {
            (emergencyNote, phoneNumber) = (profile.emergencyNote, profile.phoneNumber.text)
            if profile.copiesToGoogle == true {
                copiesToGoogle = true
                leavesNoteOutOfCopy = profile.leavesNoteOutOfCopy == true
            }
        }
        lastCheckInTime = profile.lastCheckInTime
        nextCheckInTime = profile.nextCheckInTime
        plan = profile.settings.plan
        pausedUntil = profile.pausedUntil(at: now)
        journey = profile.journey.map { JourneyView($0, isWhole: isWhole) }
        timeZone = profile.timeZone
        intervalSeconds = profile.settings.intervalSeconds
        remindTwoHoursBefore = profile.settings.remindTwoHoursBefore
        remindThirtyMinutesBefore = profile.settings.remindThirtyMinutesBefore
        (lockedAt, numberMove) = (profile.lockedAt, profile.numberMove)
        maintenance = profile.maintenance.flatMap { $0.until > now ? $0 : nil }
    }
}

struct JourneyView: Encodable, Sendable {
    var id: JourneyID
    var name: String
    var note: String?
    var startTime: Date
    var expectedReturn: Date
    /// When the responders are told.
    var deadline: Date
    var graceMinutes: Int
    /// Omitted for all responders.
    var responderIDs: [UserID]?
    var tellsResponders: Bool
    /// The open alert about the journey.
    var alertID: AlertID?

    /// - Parameter isWhole: whether to include the note.
    init(_ journey: JourneyRecord, isWhole: Bool = false) {
        id = journey.id
        name = journey.name
        if isWhole { note = journey.note }
        startTime = journey.startTime
        expectedReturn = journey.expectedReturn
        deadline = journey.deadline
        graceMinutes = journey.graceMinutes
        responderIDs = journey.responderIds
        tellsResponders = journey.tellsResponders
        alertID = journey.alertId
    }
}

struct ContactView: Encodable, Sendable {
    var id: UserID
    var name: String
    var isResponder: Bool
    var isDependent: Bool
    var reachability: Reachability?
    var requests: [RoleRequest]
    var status: UserStatus?
    /// Whether only the clock says that they are overdue, because this device is offline.
    var isUnconfirmed: Bool?
    var lastCheckInTime: Date?
    var nextCheckInTime: Date?
    var secondsLeft: Int?
    var plan: CheckInPlan?
    var pausedUntil: Date?
    /// The running journey that they told the user of.
    var journey: WatchedJourney?
    var hasPendingPing: Bool
    var pingedAt: Date?
    var hearsPings: Bool?
    /// Whether the ping is queued on this device and not on the server yet.
    var isPingWaiting: Bool?
    var phoneNumber: String?
    var emergencyNote: String?

    init(
        _ contact: ContactData, at now: Date, isWhole: Bool = false, in snapshot: Snapshot? = nil
    ) {
        id = contact.id
        name = contact.name
        isResponder = contact.isResponder
        isDependent = contact.isDependent
        reachability = contact.reachability
        requests = contact.requests
        status = contact.status(at: now)
        if let snapshot, contact.isUnconfirmed(in: snapshot, at: now) { isUnconfirmed = true }
        lastCheckInTime = contact.watch?.lastCheckInTime
        nextCheckInTime = contact.watch?.nextCheckInTime
        secondsLeft = contact.watch?.nextCheckInTime.map { Int($0.since(now).components.seconds) }
        plan = contact.watch.map { $0.plan ?? .interval }
        pausedUntil = contact.watch?.pausedUntil(at: now)
        journey = contact.watch?.journey
        hasPendingPing = contact.hasPendingPing
        pingedAt = contact.pingedAt
        hearsPings = contact.hearsPings
        if snapshot?.connectivity.isWaiting(.ping, about: contact.id) == true {
            isPingWaiting = true
        }
        if isWhole {
            (phoneNumber, emergencyNote) = (contact.phoneNumber?.text, contact.watch?.emergencyNote)
        }
    }
}

struct AlertView: Encodable, Sendable {
    var id: String
    var userID: String
    var name: String
    var kind: AlertKind
    var isActive: Bool
    /// True while the alert is queued on this device; otherwise nil.
    var isUnsent: Bool?
    var startTime: Date
    var endTime: Date?
    var deadline: Date?
    /// The journey's name.
    var journey: String?
    var note: String?
    var acknowledgedBy: String?
    var acknowledgedAfterSeconds: Double?
    var acknowledgementEnd: AlertRecord.Acknowledgement.End?
    var report: AlertAction?
    /// When the report's pause ends.
    var pausedUntil: Date?
    /// The responders who can't come. Only for the user's own alert.
    var refusals: [AlertAction]?
    var isRefusedByAll: Bool?
    /// True if the messages to the responders have failed. Only for the user's own alert.
    var isUnheard: Bool?
    /// The device that ended the alert; only for the user's own alert.
    var ending: AlertRecord.Ending?
    var history: [AlertAction]?
    var ledger: [AlertRecord.LedgerEntry]?

    /// - Parameter isWhole: whether to include the note, the history and the ledger. Only an alert
    ///   that was loaded singly has them.
    init(_ alert: AlertRecord, in snapshot: Snapshot, isWhole: Bool = false) {
        id = alert.id
        userID = alert.userId
        name =
            snapshot.isOwn(alert) ? snapshot.profile?.name ?? "" : snapshot.name(of: alert.userId)
        kind = alert.kind
        isActive = alert.isActive
        if snapshot.isUnsent(alert) { isUnsent = true }
        startTime = alert.startTime
        endTime = alert.endTime
        (deadline, journey) = (alert.deadline, alert.journey)
        acknowledgedBy = alert.acknowledgement?.name
        acknowledgedAfterSeconds = alert.acknowledgement?.afterSeconds
        acknowledgementEnd = alert.acknowledgementEnd
        (report, pausedUntil) = (alert.report, alert.pausedUntil)
        (refusals, isRefusedByAll) = (alert.refusals, alert.isRefusedByAll)
        isUnheard = alert.isUnheard
        ending = alert.ending
        if isWhole { (note, history, ledger) = (alert.note, alert.history, alert.ledger) }
    }
}

struct PingView: Encodable, Sendable {
    var id: PingID
    var responderID: UserID
    var dependentID: UserID
    var name: String
    var state: PingRecord.State
    var createdAt: Date
    var settledAt: Date?

    init(_ ping: PingRecord, in snapshot: Snapshot) {
        id = ping.id
        responderID = ping.responderID
        dependentID = ping.dependentID
        name = snapshot.name(
            of: ping.responderID == snapshot.profile?.id ? ping.dependentID : ping.responderID)
        state = ping.state
        createdAt = ping.createdAt
        settledAt = ping.settledAt
    }
}

struct StatusView: Encodable, Sendable {
    var profile: ProfileView?
    var openAlerts: [AlertView]
    var contacts: [ContactView]
    var pingsToAnswer: [PingView]
    var pingsSent: [PingView]
    var drillsToAnswer: [DrillQuestion]
    var unreadNotifications: Int
    /// `nobody`, `asked` or `accepted`; omitted until the contacts are known.
    var protection: String?

    init(_ snapshot: Snapshot, at now: Date) {
        profile = snapshot.profile.map { ProfileView($0, at: now) }
        openAlerts = snapshot.openAlerts.map { AlertView($0, in: snapshot) }
        contacts = snapshot.contactsInOrder.map { ContactView($0, at: now, in: snapshot) }
        pingsToAnswer = snapshot.pingsToAnswer.map { PingView($0, in: snapshot) }
        pingsSent = snapshot.pingsSent.map { PingView($0, in: snapshot) }
        drillsToAnswer = snapshot.drills
        unreadNotifications = snapshot.unread.count
        protection = snapshot.protection.map { "\($0)" }
    }
}

struct DoneView<Value: Encodable & Sendable>: Encodable, Sendable {
    /// `done` or `waiting`.
    var state: String
    var value: Value?
    /// The JSON key of `value`.
    var key: String

    init(_ key: String, _ value: Value?, isWaiting: Bool) {
        (self.key, self.value, state) = (key, value, isWaiting ? "waiting" : "done")
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(state, forKey: Key(stringValue: "state"))
        try container.encodeIfPresent(value, forKey: Key(stringValue: key))
    }

    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

struct ListView<Item: Encodable & Sendable>: Encodable, Sendable {
    var key: String
    var items: [Item]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DoneView<String>.Key.self)
        try container.encode(items, forKey: .init(stringValue: key))
    }
}

struct Circumstances: Encodable, Sendable {
    struct Waiting: Encodable, Sendable {
        var id: String
        var kind: String
        var createdAt: Date
    }

    /// An alert that an ended session left unsent, until the person answers whether to send it.
    struct Unsent: Encodable, Sendable {
        var raisedAt: Date
        /// When it is sent without an answer.
        var sendsAt: Date
    }

    struct Refused: Encodable, Sendable {
        var kind: String
        var createdAt: Date
        var error: UserFacingError
    }

    var isOnline: Bool?
    /// True if the server's last answer asked to wait; otherwise nil, so that the key is left out.
    var isRateLimited: Bool?
    /// When the data last matched the server's.
    var asOf: Date?
    var unsentAlert: Unsent?
    var waiting: [Waiting] = []
    /// Queue entries that were sent since the command began.
    var sent: [Waiting] = []
    /// Queue entries that the command discarded, such as an arrival before a later return.
    var takenBack: [Waiting] = []
    /// Queue entries that the server rejected.
    var refused: [Refused] = []

    init(
        isOnline: Bool?, isRateLimited: Bool = false, connectivity: Connectivity?,
        before: [WaitingAction] = [], refusals: [RefusedAction] = []
    ) {
        self.isOnline = isOnline
        self.isRateLimited = isRateLimited ? true : nil
        asOf = connectivity?.lastSynced
        unsentAlert = connectivity?.unsentAlert.map {
            Unsent(raisedAt: $0.raisedAt, sendsAt: $0.sendsAt)
        }
        func view(_ action: WaitingAction) -> Waiting {
            Waiting(
                id: action.id.uuidString.lowercased(), kind: action.kind.rawValue,
                createdAt: action.createdAt)
        }
        let discarded = connectivity?.discarded ?? []
        let gone = Set((connectivity?.waiting ?? []).map(\.id) + refusals.map(\.action.id))
            .union(connectivity?.refused ?? []).union(discarded)
        waiting = (connectivity?.waiting ?? []).map(view)
        sent = before.filter { !gone.contains($0.id) }.map(view)
        takenBack = before.filter { discarded.contains($0.id) }.map(view)
        refused = refusals.map {
            Refused(kind: $0.action.kind.rawValue, createdAt: $0.action.createdAt, error: $0.error)
        }
    }
}

extension UserProfile {
    /// Returns the end of the present pause. A local copy may hold one that has ended.
    func pausedUntil(at now: Date) -> Date? { pause.flatMap { now < $0.until ? $0.until : nil } }
}

extension ContactData.WatchedState {
    /// Returns the end of their present pause, as for a profile.
    func pausedUntil(at now: Date) -> Date? { pausedUntil.flatMap { now < $0 ? $0 : nil } }
}

extension ContactData {
    /// Returns the contact's status; nil if the user does not watch over them. Computed for `now`,
    /// because a deadline can pass without a connection to the server.
    func status(at now: Date) -> UserStatus? { watch?.status(at: now) }
}
