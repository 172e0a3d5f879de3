import Foundation

/// One side's view of a relation between two users.
public struct ContactData: Codable, Equatable, Sendable, Identifiable {
    /// The other user.
    public var id: UserID
    public var name: String
    /// nil until at least one role is in force; the same with the picture.
    public var phoneNumber: PhoneNumber?
    public var profilePictureURL: URL?
    /// They are told when I need help.
    public var isResponder: Bool
    /// I watch over them.
    public var isDependent: Bool
    public var dateAdded: Date
    /// They have pinged me and wait for my answer.
    public var hasPendingPing: Bool
    /// The time when I pinged them, if that ping is pending.
    public var pingedAt: Date?
    /// The dependent's state for a responder; nil otherwise.
    public var watch: WatchedState?
    /// The place in the user's order of responders; nil: after those who have one.
    public var position: Int?
    /// Roles that wait for an answer.
    @GrowingList public var requests: [RoleRequest]
    /// Whether a responder of mine would hear of an alert; nil for anybody else.
    public var reachability: Reachability?

    public init(
        id: UserID, name: String, phoneNumber: PhoneNumber?, profilePictureURL: URL?,
        roles: ContactRoles, dateAdded: Date,
        hasPendingPing: Bool, pingedAt: Date?, watch: WatchedState?, requests: [RoleRequest] = [],
        reachability: Reachability? = nil
    ) {
        self.id = id
        self.name = name
        self.phoneNumber = phoneNumber
        self.profilePictureURL = profilePictureURL
        self.isResponder = roles.isResponder
        self.isDependent = roles.isDependent
        self.dateAdded = dateAdded
        self.hasPendingPing = hasPendingPing
        self.pingedAt = pingedAt
        // "Who may see what": the emergency note, deadline and status are for those who watch over
        // a person.
        self.watch = roles.isDependent ? watch : nil
        self.requests = requests
        self.reachability = roles.isResponder ? reachability : nil
    }

    public func request(_ role: ContactRole) -> RoleRequest? { requests.first { $0.role == role } }

    /// They have no account and no number: those of connected people are known.
    public var isByMail: Bool { phoneNumber == nil && (isResponder || isDependent) }

    /// They are this to me, or I have asked for it.
    public func isWanted(_ role: ContactRole) -> Bool {
        (role == .responder ? isResponder : isDependent) || request(role)?.isMine == true
    }

    /// They are this to me, or one of us has asked for it.
    public func isConsidered(_ role: ContactRole) -> Bool {
        isWanted(role) || request(role) != nil
    }

    /// The relation without the times its roles began, which only the server knows.
    public var relation: Relation {
        get {
            var relation = Relation(
                agreed: .shown(isResponder: isResponder, isDependent: isDependent), at: dateAdded)
            for request in requests {
                relation[request.role] = .requested(isMine: request.isMine, at: request.requestedAt)
            }
            return relation
        }
        set {
            (isResponder, isDependent) = (newValue.roles.isResponder, newValue.roles.isDependent)
            requests = newValue.requests
            if !isDependent { watch = nil }
            if !isResponder { reachability = nil }
        }
    }

    /// The order in which responders are called: the one that the user chose, then the oldest
    /// contact first.
    public func isCalledBefore(_ other: ContactData) -> Bool {
        let (own, theirs) = (position ?? .max, other.position ?? .max)
        return (own, dateAdded, id) < (theirs, other.dateAdded, other.id)
    }

    /// Their alerts are mine to see: I watch over them, or they have asked me to.
    public var showsAlerts: Bool { isDependent || request(.dependent)?.isMine == false }

    public struct WatchedState: Codable, Equatable, Sendable {
        public var emergencyNote: String
        public var lastCheckInTime: Date?
        public var nextCheckInTime: Date?
        public var checkInIntervalSeconds: Int
        public var status: UserStatus

        public init(
            emergencyNote: String, lastCheckInTime: Date?, nextCheckInTime: Date?,
            checkInIntervalSeconds: Int, status: UserStatus
        ) {
            self.emergencyNote = emergencyNote
            self.lastCheckInTime = lastCheckInTime
            self.nextCheckInTime = nextCheckInTime
            self.checkInIntervalSeconds = checkInIntervalSeconds
            self.status = status
        }

        /// The status now, on a device that may not have heard from the server since the deadline
        /// passed: silence is never shown as "fine". What the server said is never taken back by a
        /// device's clock.
        public func status(at now: Date) -> UserStatus {
            status == .active
                ? UserStatus(hasOpenManualAlert: false, deadline: nextCheckInTime, at: now) : status
        }
    }
}

/// A contact's roles for me. B is A's responder exactly when A is B's dependent.
public struct ContactRoles: Codable, Equatable, Sendable {
    public private(set) var isResponder: Bool
    public private(set) var isDependent: Bool

    /// Throws `invalidArgument` when neither role is on: at least one must remain.
    public init(isResponder: Bool, isDependent: Bool) throws(CommandError) {
        guard isResponder || isDependent else {
            throw .invalidArgument(
                field: "isResponder",
                "A contact is a responder, a dependent, or both. To end it, remove the contact.")
        }
        self.init(unchecked: isResponder, isDependent)
    }

    /// Roles in force; none while a request waits. Nobody asks for none.
    public static func shown(isResponder: Bool, isDependent: Bool) -> ContactRoles {
        ContactRoles(unchecked: isResponder, isDependent)
    }

    private init(unchecked isResponder: Bool, _ isDependent: Bool) {
        self.isResponder = isResponder
        self.isDependent = isDependent
    }

    /// Reads only what the rule allows: a body can't take the last role away either.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            isResponder: container.decode(Bool.self, forKey: .isResponder),
            isDependent: container.decode(Bool.self, forKey: .isDependent)
        )
    }

    enum CodingKeys: String, CodingKey { case isResponder, isDependent }

    /// The same relation seen from the other side.
    public var mirrored: ContactRoles { ContactRoles(unchecked: isDependent, isResponder) }
}

public enum ContactRules {
    /// The most contacts a user can have (product.md, "Contacts"). Requests count as well.
    public static let limit = 200
    /// How many requests of one person may wait for an answer, so that nobody asks the world.
    public static let openRequests = 20
    /// Nobody adds themselves.
    public static let ownCode = CommandError.invalidArgument(
        field: "code", "This is your own code.", reason: .ownCode)
}
