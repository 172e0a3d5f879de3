import Foundation

/// A person as `admin people` shows them: no note and no history.
public struct AdminPerson: Codable, Equatable, Sendable {
    public var id: UserID
    public var name: String
    public var phoneNumber: PhoneNumber
    public var status: UserStatus
    public var lastCheckIn: Date?
    public var deadline: Date?
    /// The channels that reach the person with all pages closed, without the failing ones.
    public var channels: [DeliveryChannel]
    public var createdAt: Date
    /// nil unless an administrator has locked the account.
    public var lockedAt: Date?

    public init(
        id: UserID, name: String, phoneNumber: PhoneNumber, status: UserStatus,
        lastCheckIn: Date?, deadline: Date?, channels: [DeliveryChannel], createdAt: Date,
        lockedAt: Date?
    ) {
        self.id = id
        self.name = name
        self.phoneNumber = phoneNumber
        self.status = status
        self.lastCheckIn = lastCheckIn
        self.deadline = deadline
        self.channels = channels
        self.createdAt = createdAt
        self.lockedAt = lockedAt
    }
}

public struct AdminPeople: Codable, Equatable, Sendable {
    public var people: [AdminPerson]
    /// The value of `after` for the next page; nil at the end.
    public var next: String?

    public init(people: [AdminPerson], next: String?) {
        self.people = people
        self.next = next
    }
}

public struct AdminPersonDetails: Codable, Equatable, Sendable {
    public var person: AdminPerson
    public var responders: Int
    public var reachableResponders: Int
    public var sessions: Int
    public var openAlerts: [AlertID]
    /// The change of the number that an administrator has begun; nil without one.
    public var move: NumberMove?
    /// True if another account has the new number, so that the change will fail.
    public var isNewNumberTaken: Bool?
    public var acts: [AdminAct]

    public init(
        person: AdminPerson, responders: Int, reachableResponders: Int, sessions: Int,
        openAlerts: [AlertID], move: NumberMove?, isNewNumberTaken: Bool? = nil,
        acts: [AdminAct]
    ) {
        self.person = person
        self.responders = responders
        self.reachableResponders = reachableResponders
        self.sessions = sessions
        self.openAlerts = openAlerts
        self.move = move
        self.isNewNumberTaken = isNewNumberTaken
        self.acts = acts
    }
}

/// What may need an administrator's help.
public struct AdminStuck: Codable, Equatable, Sendable {
    /// An open alert without a delivered message to a present responder.
    public struct Alert: Codable, Equatable, Sendable {
        public var id: AlertID
        public var owner: UserID
        public var kind: AlertKind
        public var startedAt: Date

        public init(id: AlertID, owner: UserID, kind: AlertKind, startedAt: Date) {
            self.id = id
            self.owner = owner
            self.kind = kind
            self.startedAt = startedAt
        }
    }

    public struct Endpoint: Codable, Equatable, Sendable {
        public var owner: UserID
        public var channel: DeliveryChannel
        public var failingSince: Date

        public init(owner: UserID, channel: DeliveryChannel, failingSince: Date) {
            self.owner = owner
            self.channel = channel
            self.failingSince = failingSince
        }
    }

    /// Messages of one channel that are late.
    public struct Queue: Codable, Equatable, Sendable {
        public var channel: DeliveryChannel
        public var waiting: Int
        public var oldestDue: Date

        public init(channel: DeliveryChannel, waiting: Int, oldestDue: Date) {
            self.channel = channel
            self.waiting = waiting
            self.oldestDue = oldestDue
        }
    }

    public var alerts: [Alert]
    /// People with a deadline whose responders can't be reached.
    public var people: [UserID]
    /// Those of `people` with an open alert. Absent from an older server.
    public var peopleWithAlert: [UserID]?
    public var endpoints: [Endpoint]
    public var queues: [Queue]
    /// The value of `after` to examine further people; nil if all were examined.
    public var next: String?

    public init(
        alerts: [Alert], people: [UserID], peopleWithAlert: [UserID], endpoints: [Endpoint],
        queues: [Queue], next: String?
    ) {
        self.alerts = alerts
        self.people = people
        self.peopleWithAlert = peopleWithAlert
        self.endpoints = endpoints
        self.queues = queues
        self.next = next
    }

    public var isEmpty: Bool {
        alerts.isEmpty && people.isEmpty && endpoints.isEmpty && queues.isEmpty
    }
}

/// An entry of the log, for administrators.
public struct AdminLogEntry: Codable, Equatable, Sendable {
    public var act: AdminAct
    /// nil for an act without a person, and after the deletion of the account.
    public var person: UserID?

    public init(act: AdminAct, person: UserID?) {
        self.act = act
        self.person = person
    }
}

public struct AdminLog: Codable, Equatable, Sendable {
    /// The newest first.
    public var entries: [AdminLogEntry]

    public init(entries: [AdminLogEntry]) { self.entries = entries }
}

/// The answer to a command that changes something.
public struct AdminDone: Codable, Equatable, Sendable {
    /// One sentence that says what happens now.
    public var message: String
    /// True if no provider has accepted a test message; nil otherwise.
    public var isRefused: Bool?

    public init(message: String, isRefused: Bool = false) {
        self.message = message
        self.isRefused = isRefused ? true : nil
    }
}

/// A new token for signing up. The server can't show the link again.
public struct AdminInvitation: Codable, Equatable, Sendable {
    public var id: SignUpTokenID
    /// Contains the token's secret.
    public var link: URL

    public init(id: SignUpTokenID, link: URL) {
        self.id = id
        self.link = link
    }
}

/// A token for signing up, without its secret.
public struct AdminToken: Codable, Equatable, Sendable {
    public var id: SignUpTokenID
    public var note: String
    /// nil for a token that opens accounts.
    public var phoneNumber: PhoneNumber?
    public var uses: Int
    public var used: Int
    public var createdAt: Date
    public var expiresAt: Date
    public var isUsable: Bool

    public init(_ token: SignUpToken, at now: Date) {
        id = token.id
        note = token.note
        phoneNumber = token.phoneNumber
        uses = token.uses
        used = token.used
        createdAt = token.createdAt
        expiresAt = token.expiresAt
        isUsable = token.state(at: now) == .usable
    }
}

public struct AdminTokens: Codable, Equatable, Sendable {
    /// The newest first.
    public var tokens: [AdminToken]

    public init(tokens: [AdminToken]) { self.tokens = tokens }
}
