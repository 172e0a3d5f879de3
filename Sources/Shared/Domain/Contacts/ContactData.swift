import Foundation

/// One side's view of a relation between two users.
public struct ContactData: Codable, Equatable, Sendable, Identifiable {
    public var id: UserID
    public var name: String
    /// Number and picture are nil until at least one role is in force.
    public var phoneNumber: PhoneNumber?
    public var profilePictureURL: URL?
    /// They are told when I need help.
    public var isResponder: Bool
    /// I watch over them.
    public var isDependent: Bool
    public var dateAdded: Date
    /// They pinged me, and I haven't answered.
    public var hasPendingPing: Bool
    /// When I pinged them; nil without a pending ping.
    public var pingedAt: Date?
    /// The dependent's state; nil unless I watch over this contact.
    public var watch: WatchedState?
    /// The place in the user's order of responders. Responders without a place come last.
    public var position: Int?
    @GrowingList public var requests: [RoleRequest]
    /// Whether this responder would get my alert; nil unless this contact is my responder.
    public var reachability: Reachability?
    /// False if no device of the dependent announces pings. They then see a ping only when they
    /// open LifeSignal. nil if unknown, and for other contacts.
    public var hearsPings: Bool?
    /// True for a person without an account, who can't accept a request. nil for other contacts,
    /// and from servers that don't send it.
    public var isGuest: Bool?

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
        // product.md, "Who may see what": only responders see a person's emergency note, deadline
        // and status.
        self.watch = roles.isDependent ? watch : nil
        self.requests = requests
        self.reachability = roles.isResponder ? reachability : nil
    }

    public func request(_ role: ContactRole) -> RoleRequest? { requests.first { $0.role == role } }

    /// True if they were invited by e-mail and have no account. Connected people see each other's
    /// numbers, so a missing number means that there is none.
    public var isByMail: Bool { phoneNumber == nil && (isResponder || isDependent) }

    /// True if the server may call them about my alerts.
    public var isCalled: Bool { isResponder && !isByMail }

    /// Returns true if they have this role for me, or I have requested it.
    public func isWanted(_ role: ContactRole) -> Bool {
        (role == .responder ? isResponder : isDependent) || request(role)?.isMine == true
    }

    /// Returns true if I can turn this role on or off. A guest can't accept a request.
    public func canChange(_ role: ContactRole) -> Bool { isGuest != true || isWanted(role) }

    /// Returns true if they have this role for me, or one of us has requested it.
    public func isConsidered(_ role: ContactRole) -> Bool {
        isWanted(role) || request(role) != nil
    }

    /// The relation. Its roles begin at `dateAdded`, because clients don't know the real times.
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

    /// Returns true if this responder is called before `other`: by the user's order, then the
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
        /// The IANA name of their time zone; nil if unknown.
        public var timeZone: String?
        /// nil for an interval without sleep hours, and from servers that know only intervals.
        public var plan: CheckInPlan?
        /// The end of their pause; nil without a pause.
        public var pausedUntil: Date?
        /// Their running journey; nil without one, and if they don't tell this responder of it.
        public var journey: WatchedJourney?

        public init(
            emergencyNote: String, lastCheckInTime: Date?, nextCheckInTime: Date?,
            checkInIntervalSeconds: Int, status: UserStatus, timeZone: String? = nil,
            plan: CheckInPlan = .interval, pausedUntil: Date? = nil
        ) {
            self.plan = plan == .interval ? nil : plan
            self.pausedUntil = pausedUntil
            self.emergencyNote = emergencyNote
            self.lastCheckInTime = lastCheckInTime
            self.nextCheckInTime = nextCheckInTime
            self.checkInIntervalSeconds = checkInIntervalSeconds
            self.status = status
            self.timeZone = timeZone
        }

        /// Returns a time on their clock, such as "20:05 JST for them"; nil if both clocks agree.
        /// - Parameter zone: the reader's time zone, which may be UTC.
        public func theirTime(_ date: Date, readIn zone: TimeZone, at now: Date) -> String? {
            guard let theirs = timeZone.flatMap({ ClockZone($0) }),
                theirs.offset(at: date) != zone.secondsFromGMT(for: date)
            else { return nil }
            return "\(Timestamp.clockTime(date, in: theirs, at: now)) for them"
        }

        /// Returns the status to show now. A device may have missed events since the deadline, so a
        /// passed deadline replaces "active". It never replaces a worse status from the server.
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

    /// The refusal of a contact without any role.
    public static let noRole = CommandError.invalidArgument(
        field: "isResponder", RefusalWords.noRole.detail)

    /// Throws `invalidArgument` if neither role is on.
    public init(isResponder: Bool, isDependent: Bool) throws(CommandError) {
        guard isResponder || isDependent else { throw Self.noRole }
        self.init(unchecked: isResponder, isDependent)
    }

    /// Returns the roles in force. Unlike in `init`, there may be none while a request is pending.
    public static func shown(isResponder: Bool, isDependent: Bool) -> ContactRoles {
        ContactRoles(unchecked: isResponder, isDependent)
    }

    private init(unchecked isResponder: Bool, _ isDependent: Bool) {
        self.isResponder = isResponder
        self.isDependent = isDependent
    }

    /// Throws `invalidArgument` if neither role is on.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            isResponder: container.decode(Bool.self, forKey: .isResponder),
            isDependent: container.decode(Bool.self, forKey: .isDependent)
        )
    }

    enum CodingKeys: String, CodingKey { case isResponder, isDependent }

    /// Returns the roles to send to the server. A role that the person didn't change stays.
    /// - Parameters:
    ///   - role: the changed role; nil if both were chosen.
    ///   - present: the contact as the server has it; nil without a relation.
    public func merged(only role: ContactRole?, into present: ContactData?) -> ContactRoles {
        guard let role, let present else { return self }
        return ContactRoles(
            unchecked: role == .responder ? isResponder : present.isWanted(.responder),
            role == .dependent ? isDependent : present.isWanted(.dependent))
    }

    /// My roles for the contact.
    public var mirrored: ContactRoles { ContactRoles(unchecked: isDependent, isResponder) }
}
