import Foundation

/// One side's view of a relation between two users.
public struct ContactData: Codable, Equatable, Sendable, Identifiable {
    /// The other user.
    public var id: UserID
    public var name: String
    /// The number and the picture are nil until at least one role is in force.
    public var phoneNumber: PhoneNumber?
    public var profilePictureURL: URL?
    /// They are told when I need help.
    public var isResponder: Bool
    /// I watch over them.
    public var isDependent: Bool
    public var dateAdded: Date
    /// They have pinged me and await my answer.
    public var hasPendingPing: Bool
    /// The time when I pinged them, if that ping is pending.
    public var pingedAt: Date?
    /// The dependent's state; nil for contacts whom I don't watch over.
    public var watch: WatchedState?
    /// The place in the user's order of responders. Responders without a place (nil) come last.
    public var position: Int?
    /// Roles that await an answer.
    @GrowingList public var requests: [RoleRequest]
    /// Whether this responder would hear of my alert; nil for contacts who aren't my responders.
    public var reachability: Reachability?
    /// False if none of the dependent's devices announces my pings, so that they see a ping only
    /// when they open LifeSignal. nil if unknown, and for other contacts.
    public var hearsPings: Bool?

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
        // product.md, "Who may see what": only those who watch over a person see their emergency
        // note, deadline and status.
        self.watch = roles.isDependent ? watch : nil
        self.requests = requests
        self.reachability = roles.isResponder ? reachability : nil
    }

    public func request(_ role: ContactRole) -> RoleRequest? { requests.first { $0.role == role } }

    /// True if they have no account and were invited by e-mail. Connected people see each other's
    /// numbers, so a contact whose number is missing has none.
    public var isByMail: Bool { phoneNumber == nil && (isResponder || isDependent) }

    /// Returns true if they have this role for me, or I have asked for it.
    public func isWanted(_ role: ContactRole) -> Bool {
        (role == .responder ? isResponder : isDependent) || request(role)?.isMine == true
    }

    /// Returns true if they have this role for me, or one of us has asked for it.
    public func isConsidered(_ role: ContactRole) -> Bool {
        isWanted(role) || request(role) != nil
    }

    /// The relation. Its roles begin at `dateAdded`, because only the server knows the real times.
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
            if !isDependent { (watch, hearsPings) = (nil, nil) }
            if !isResponder { reachability = nil }
        }
    }

    /// Returns whether this responder is called before another: by the user's order, then the
    /// oldest contact first.
    public func isCalledBefore(_ other: ContactData) -> Bool {
        let (own, theirs) = (position ?? .max, other.position ?? .max)
        return (own, dateAdded, id) < (theirs, other.dateAdded, other.id)
    }

    /// True if I may see their alerts: I watch over them, or they have asked me to.
    public var showsAlerts: Bool { isDependent || request(.dependent)?.isMine == false }

    public struct WatchedState: Codable, Equatable, Sendable {
        public var emergencyNote: String
        public var lastCheckInTime: Date?
        public var nextCheckInTime: Date?
        public var checkInIntervalSeconds: Int
        public var status: UserStatus
        /// The IANA name of their time zone; nil if unknown, and in the copy that a device stores.
        public var timeZone: String?

        public init(
            emergencyNote: String, lastCheckInTime: Date?, nextCheckInTime: Date?,
            checkInIntervalSeconds: Int, status: UserStatus, timeZone: String? = nil
        ) {
            self.emergencyNote = emergencyNote
            self.lastCheckInTime = lastCheckInTime
            self.nextCheckInTime = nextCheckInTime
            self.checkInIntervalSeconds = checkInIntervalSeconds
            self.status = status
            self.timeZone = timeZone
        }

        /// Returns a time on their clock, such as "20:05 JST for them"; nil if the reader's clock
        /// shows the same.
        /// - Parameter zone: the reader's time zone.
        public func theirTime(_ date: Date, readIn zone: ClockZone?, at now: Date) -> String? {
            guard let theirs = timeZone.flatMap({ ClockZone($0) }), let zone,
                theirs.offset(at: date) != zone.offset(at: date)
            else { return nil }
            return "\(Timestamp.clockTime(date, in: theirs, at: now)) for them"
        }

        /// Returns the status to show now. It depends on the deadline as well, because the device
        /// may have missed events since the deadline passed, and silence must never be shown as
        /// "fine". The device's clock never overrides a worse status from the server.
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

    /// Throws `invalidArgument` if neither role is on.
    public init(isResponder: Bool, isDependent: Bool) throws(CommandError) {
        guard isResponder || isDependent else {
            throw .invalidArgument(field: "isResponder", RefusalWords.noRole.message)
        }
        self.init(unchecked: isResponder, isDependent)
    }

    /// Returns the roles in force. While a request is pending, there may be none, unlike in `init`,
    /// which requires at least one.
    public static func shown(isResponder: Bool, isDependent: Bool) -> ContactRoles {
        ContactRoles(unchecked: isResponder, isDependent)
    }

    private init(unchecked isResponder: Bool, _ isDependent: Bool) {
        self.isResponder = isResponder
        self.isDependent = isDependent
    }

    /// Throws `invalidArgument` if neither role is on, so that a request can't remove the last
    /// role.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            isResponder: container.decode(Bool.self, forKey: .isResponder),
            isDependent: container.decode(Bool.self, forKey: .isDependent)
        )
    }

    enum CodingKeys: String, CodingKey { case isResponder, isDependent }

    /// My roles for the contact, which follow from these.
    public var mirrored: ContactRoles { ContactRoles(unchecked: isDependent, isResponder) }
}
