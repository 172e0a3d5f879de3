import Foundation

/// The other person's role for me.
public enum ContactRole: String, Codable, Sendable, CaseIterable {
    /// They are told when I need help.
    case responder
    /// I watch over them.
    case dependent

    /// The same role seen from the other side.
    public var mirrored: ContactRole { self == .responder ? .dependent : .responder }
}

/// A role that one side has asked for and the other has not answered.
public struct RoleRequest: Codable, Equatable, Hashable, Sendable {
    public var role: ContactRole
    /// I asked, and they answer.
    public var isMine: Bool
    public var requestedAt: Date

    public init(role: ContactRole, isMine: Bool, requestedAt: Date) {
        self.role = role
        self.isMine = isMine
        self.requestedAt = requestedAt
    }
}

/// A relation as one side sees it, with what waits for an answer (product.md, "Consent").
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

    /// Both sides have agreed to these roles.
    public init(agreed roles: ContactRoles, at now: Date) {
        self.init(
            responder: roles.isResponder ? .inForce(since: now) : .absent,
            dependent: roles.isDependent ? .inForce(since: now) : .absent)
    }

    /// The relation after scanning a code. Showing a code lets the scanner become a responder;
    /// making its owner a responder is a request.
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

    /// The roles in force.
    public var roles: ContactRoles {
        .shown(isResponder: responder.isInForce, isDependent: dependent.isInForce)
    }

    public var requests: [RoleRequest] {
        ContactRole.allCases.compactMap { role in
            guard case .requested(let isMine, let time) = self[role] else { return nil }
            return RoleRequest(role: role, isMine: isMine, requestedAt: time)
        }
    }

    /// True if at least one role is in force.
    public var isConnected: Bool { responder.isInForce || dependent.isInForce }
    public var isEmpty: Bool { responder == .absent && dependent == .absent }

    /// They are told of my alerts: a responder, or one whom I have asked to be it.
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

/// How a relation changes by what one side does; the other's consent decides.
extension Relation {
    /// `roles` is what this side wants. A role that is on is asked for, or agreed to if the other
    /// has asked for it. One that is off goes at once, or is not asked for any longer. The other's
    /// requests are declined by name (`withoutRequest`).
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

    /// Throws `permissionDenied` for one's own request, `notFound` when nobody has asked. What is
    /// in force already stays.
    public func accepting(_ role: ContactRole, at now: Date) throws(CommandError) -> Relation {
        switch self[role] {
        case .inForce: return self
        case .requested(isMine: true, _):
            throw .permissionDenied("Only the other person can accept this request.")
        case .absent: throw .notFound("There is no such request.")
        case .requested(isMine: false, _):
            var accepted = self
            accepted[role] = .inForce(since: now)
            return accepted
        }
    }

    /// Declines the other's request or withdraws one's own; one that is gone stays gone.
    /// Throws `alreadyExists` when it has been accepted.
    public func withoutRequest(_ role: ContactRole) throws(CommandError) -> Relation {
        guard !self[role].isInForce else {
            throw .alreadyExists("This request has been accepted. Take the role away instead.")
        }
        var changed = self
        changed[role] = .absent
        return changed
    }
}

/// The state of a person's responders, ordered from none to accepted.
public enum Protection: Int, Comparable, Sendable {
    case nobody
    /// Only people who have not accepted yet: they get no SMS.
    case asked
    case accepted

    public init(hasAccepted: Bool, hasAsked: Bool) {
        self = hasAccepted ? .accepted : hasAsked ? .asked : .nobody
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Somebody who can't add, ping or see the person who blocked them.
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
