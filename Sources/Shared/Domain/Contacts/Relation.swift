import Foundation

/// The other person's role for me.
public enum ContactRole: String, Codable, Sendable, CaseIterable {
    /// They are told when I need help.
    case responder
    /// I watch over them.
    case dependent

    /// My role for the other person: B is A's responder exactly when A is B's dependent.
    public var mirrored: ContactRole { self == .responder ? .dependent : .responder }
}

/// A role that one side requested and the other hasn't answered.
public struct RoleRequest: Codable, Equatable, Hashable, Sendable {
    public var role: ContactRole
    /// True if I made the request; false if I should answer it.
    public var isMine: Bool
    public var requestedAt: Date

    public init(role: ContactRole, isMine: Bool, requestedAt: Date) {
        self.role = role
        self.isMine = isMine
        self.requestedAt = requestedAt
    }
}

/// A relation as one side sees it, including pending requests (product.md, "Consent").
public struct Relation: Equatable, Sendable {
    public enum Consent: Equatable, Sendable {
        case absent
        case requested(isMine: Bool, at: Date)
        case inForce(since: Date)
    }

    public var responder: Consent
    public var dependent: Consent

    public init(responder: Consent = .absent, dependent: Consent = .absent) {
        self.responder = responder
        self.dependent = dependent
    }

    public init(agreed roles: ContactRoles, at now: Date) {
        self.init(
            responder: roles.isResponder ? .inForce(since: now) : .absent,
            dependent: roles.isDependent ? .inForce(since: now) : .absent)
    }

    /// Creates the relation of a person who scanned a code. By showing the code, its owner agrees
    /// that the scanner becomes their responder. Making the owner a responder is only a request.
    public init(scannedFor roles: ContactRoles, at now: Date) {
        self.init(
            responder: roles.isResponder ? .requested(isMine: true, at: now) : .absent,
            dependent: roles.isDependent ? .inForce(since: now) : .absent)
    }

    public subscript(role: ContactRole) -> Consent {
        get { role == .responder ? responder : dependent }
        set { if role == .responder { responder = newValue } else { dependent = newValue } }
    }

    public var mirrored: Relation {
        Relation(responder: dependent.mirrored, dependent: responder.mirrored)
    }

    public var roles: ContactRoles {
        .shown(isResponder: responder.isInForce, isDependent: dependent.isInForce)
    }

    public var requests: [RoleRequest] {
        ContactRole.allCases.compactMap { role in
            guard case .requested(let isMine, let time) = self[role] else { return nil }
            return RoleRequest(role: role, isMine: isMine, requestedAt: time)
        }
    }

    public var isConnected: Bool { responder.isInForce || dependent.isInForce }
    public var isEmpty: Bool { responder == .absent && dependent == .absent }

    /// True if they are notified of my alerts: they are my responder, or I have requested it.
    public var tellsThem: Bool {
        switch responder {
        case .inForce, .requested(isMine: true, _): true
        case .requested(isMine: false, _), .absent: false
        }
    }
}

extension Relation.Consent {
    public var isInForce: Bool { if case .inForce = self { true } else { false } }

    var mirrored: Self {
        guard case .requested(let isMine, let time) = self else { return self }
        return .requested(isMine: !isMine, at: time)
    }
}

/// Changes by one side. Each respects the other side's consent.
extension Relation {
    /// Returns the relation after this side chooses its `roles`. For a role that is on: requests
    /// it, or accepts the other side's request. For a role that is off: ends it, or withdraws this
    /// side's request. The other side's request stays; `withoutRequest` declines it.
    public func changed(to roles: ContactRoles, at now: Date) -> Relation {
        var changed = self
        for role in ContactRole.allCases {
            switch (self[role], role == .responder ? roles.isResponder : roles.isDependent) {
            case (.absent, true): changed[role] = .requested(isMine: true, at: now)
            case (.requested(isMine: false, _), true): changed[role] = .inForce(since: now)
            case (.inForce, false), (.requested(isMine: true, _), false): changed[role] = .absent
            case (.absent, false), (.inForce, true): break
            case (.requested(isMine: true, _), true), (.requested(isMine: false, _), false): break
            }
        }
        return changed
    }

    /// Accepts the other side's request. Throws `permissionDenied` for this side's own request and
    /// `notFound` without a request. Changes nothing if the role is in force.
    public func accepting(_ role: ContactRole, at now: Date) throws(CommandError) -> Relation {
        switch self[role] {
        case .inForce: return self
        case .requested(isMine: true, _):
            throw .permissionDenied(RefusalWords.ownRequest.detail)
        case .absent: throw .notFound("There is no such request.")
        case .requested(isMine: false, _):
            var accepted = self
            accepted[role] = .inForce(since: now)
            return accepted
        }
    }

    /// Declines the other side's request, or withdraws this side's. Idempotent. Throws
    /// `alreadyExists` if the request was accepted.
    public func withoutRequest(_ role: ContactRole) throws(CommandError) -> Relation {
        guard !self[role].isInForce else {
            throw .alreadyExists(RefusalWords.requestAccepted.detail)
        }
        var changed = self
        changed[role] = .absent
        return changed
    }
}

/// How far a person's responders have agreed, in ascending order.
public enum Protection: Int, Comparable, Sendable {
    case nobody
    /// People were asked, and none has accepted. They get no SMS until they accept.
    case asked
    case accepted

    public init(hasAccepted: Bool, hasAsked: Bool) {
        self = hasAccepted ? .accepted : hasAsked ? .asked : .nobody
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A person that the user has blocked. They can't add, ping or see the user.
public struct BlockedPerson: Codable, Equatable, Sendable, Identifiable {
    public var id: UserID
    /// The name at the time of the block.
    public var name: String
    public var blockedAt: Date

    public init(id: UserID, name: String, blockedAt: Date) {
        self.id = id
        self.name = name
        self.blockedAt = blockedAt
    }
}
