import Domain
import Foundation
import Persistence

/// Contacts and their roles (product.md, "Contacts").
public struct Contacts: Commands {
    public let core: Core
    let relations: Relations
    let qrCodes: QRCodes

    public func contacts(of caller: Caller) async throws -> [ContactData] {
        try await database.read {
            try $0.contactData(
                of: caller.userID, by: availableChannels, pictureURL: pictureURL)
        }
    }

    /// Adds the owner of a QR code as a contact. By showing the code, the owner agrees that the
    /// caller becomes their responder. Making the owner the caller's responder is only a request.
    /// Throws `notFound` for a code that isn't current, and `alreadyExists` for a contact. Throws
    /// `invalidArgument` for the caller's own code and that of a locked account, and
    /// `permissionDenied` for a person the caller has blocked.
    public func addContact(
        code: QRCodeID, roles: ContactRoles, to caller: Caller
    ) async throws -> ContactData {
        try await database.write(
            about: Subjects([caller.userID]) { try $0.owner(ofCode: code).map { [$0] } ?? [] }
        ) { transaction in
            guard let me = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            try checkSession(of: caller, in: transaction)
            let other = try qrCodes.owner(ofCode: code, for: me, in: transaction)
            guard other.id != me.id else { throw ContactRules.ownCode }
            guard try transaction.contact(other.id, of: me.id) == nil else {
                throw CommandError.alreadyExists(RefusalWords.alreadyConnected.detail)
            }
            guard try block(of: other, by: me.id, in: transaction) == nil else {
                throw CommandError.permissionDenied(RefusalWords.blocked.detail)
            }
            try checkRoom(for: me, other, in: transaction)
            let now = transaction.now
            let relation = Relation(scannedFor: roles, at: now)
            try checkRequests(of: me, adding: relation.requests, in: transaction)
            // By showing the code, a locked person would agree to a role.
            guard other.lockedAt == nil else {
                throw CommandError.invalidArgument(
                    field: "code", RefusalWords.codeHeld.detail, reason: .codeHeld)
            }
            try relations.settle(
                RelationChange(news: .added, me: me, them: other, old: Relation(), new: relation),
                in: transaction)
            return try contactData(other.id, of: me.id, in: transaction)
        }
    }

    private func checkRoom(for me: UserRow, _ other: UserRow, in transaction: Transaction) throws {
        for side in [me, other]
        where try transaction.countContacts(of: side.id) >= ContactRules.limit {
            let isMine = side.id == me.id
            throw CommandError.invalidArgument(
                field: "code",
                (isMine ? RefusalWords.contactsFull : .otherContactsFull).detail,
                reason: isMine ? .contactsFull : .otherContactsFull)
        }
    }

    private func checkRequests(
        of me: UserRow, adding requests: [RoleRequest], in transaction: Transaction
    ) throws {
        let added = requests.count(where: \.isMine)
        guard added > 0 else { return }
        let open = try transaction.contacts(of: me.id).flatMap(\.relation.requests)
            .count(where: \.isMine)
        guard open + added <= ContactRules.openRequests else {
            throw CommandError.invalidArgument(
                field: "requests", RefusalWords.openRequests.detail)
        }
    }

    /// Changes the contact's roles. Ends roles that aren't listed, accepts those that the other
    /// person has requested, and requests the rest. Clears pings that the new roles don't allow.
    /// Renews the caller's QR code if the other person is no longer their responder. Throws
    /// `invalidArgument` for a request to a guest, who can't accept it. Throws `accountLocked` if
    /// an administrator has locked the caller's account, unless the change only ends roles or
    /// withdraws requests.
    /// - Parameter key: idempotency key. A repeat changes nothing and gets the present state.
    public func changeRoles(
        of other: UserID, to roles: ContactRoles, by caller: Caller, key: UUID? = nil
    ) async throws -> ContactData {
        try await database.write(about: Subjects([caller.userID, other], isRepeatable: true)) {
            transaction in
            try checkSession(of: caller, in: transaction)
            let (me, them, old) = try pair(caller, other, in: transaction)
            let now = transaction.now
            if try isRepeat("changeRoles \(other)", key, of: caller, in: transaction) {
                return try contactData(them.id, of: me.id, in: transaction)
            }
            let new = old.changed(to: roles, at: now)
            let asked = new.requests.filter { request in
                request.isMine && !old.requests.contains(request)
            }
            if let request = asked.first, them.guestSince != nil {
                throw CommandError.invalidArgument(
                    field: request.role == .responder ? "isResponder" : "isDependent",
                    RefusalWords.guestContact(request.role).detail, reason: .guestContact)
            }
            let accepted = ContactRole.allCases.contains {
                new[$0].isInForce && !old[$0].isInForce
            }
            guard me.lockedAt == nil || asked.isEmpty && !accepted else {
                throw CommandError.accountLocked
            }
            try checkRequests(of: me, adding: asked, in: transaction)
            let ended = ContactRole.allCases.contains {
                old[$0].isInForce && !new[$0].isInForce
            }
            // A title about a request would hide the end of a role.
            let news: ContactNews =
                ended
                ? .rolesChanged
                : !asked.isEmpty ? .asked : accepted ? .accepted : .rolesChanged
            try relations.settle(
                RelationChange(news: news, me: me, them: them, old: old, new: new), in: transaction)
            // By the previous code, the former responder could return without consent.
            if old.responder.isInForce, !new.responder.isInForce {
                try qrCodes.renewCode(of: me.id, in: transaction)
            }
            return try contactData(them.id, of: me.id, in: transaction)
        }
    }

    /// Accepts the other person's request. Changes nothing if the role is in force. Throws
    /// `permissionDenied` for the caller's own request, `notFound` without a request, and
    /// `accountLocked` if an administrator has locked the caller's account.
    public func acceptRequest(
        _ role: ContactRole, from other: UserID, by caller: Caller
    ) async throws -> ContactData {
        try await database.write(about: Subjects([caller.userID, other], isRepeatable: true)) {
            transaction in
            try checkSession(of: caller, in: transaction)
            let (me, them, old) = try pair(caller, other, in: transaction)
            let now = transaction.now
            let new = try old.accepting(role, at: now)
            guard me.lockedAt == nil || old[role].isInForce else {
                throw CommandError.accountLocked
            }
            try relations.settle(
                RelationChange(news: .accepted, me: me, them: them, old: old, new: new),
                in: transaction)
            return try contactData(them.id, of: me.id, in: transaction)
        }
    }

    /// Declines the other person's request, or withdraws the caller's. Ends the relation if nothing
    /// else connects the two. Renews the caller's QR code then, and if the caller declines a
    /// responder: by the previous code, the person could become one. Throws `alreadyExists` if the
    /// request was accepted.
    public func endRequest(
        _ role: ContactRole, with other: UserID, by caller: Caller
    ) async throws {
        try await database.write(about: Subjects([caller.userID, other])) { transaction in
            let (me, them, old) = try pair(caller, other, in: transaction)
            let new = try old.withoutRequest(role)
            let isMine = old.requests.contains { $0.role == role && $0.isMine }
            let news: ContactNews = isMine ? .withdrawn : .declined
            try relations.settle(
                RelationChange(news: news, me: me, them: them, old: old, new: new), in: transaction)
            let declinesResponder = old.requests.contains { $0.role == .responder && !$0.isMine }
            if new.isEmpty || role == .responder && declinesResponder {
                try qrCodes.renewCode(of: me.id, in: transaction)
            }
        }
    }

    /// Ends the relation for both sides. Renews the caller's QR code, because the previous code
    /// could restore the relation.
    /// - Parameter quietly: true if the other person gets no message, so that a person in danger
    ///   can leave. Throws `permissionDenied` if `ContactRules.checkQuietRemoval` doesn't allow
    ///   this.
    public func removeContact(
        _ other: UserID, quietly: Bool = false, by caller: Caller
    ) async throws {
        try await end(with: other, by: caller, quietly: quietly)
    }

    /// Ends a guest's relation with a person after the guest stopped the messages by a link, or
    /// lost the last channel. If the guest helped the person, tells the person on every channel,
    /// even if muted.
    func endHelp(of guest: UserID, for owner: UserID) async throws {
        try await end(
            with: owner, by: Caller(userID: guest, sessionID: newID()), stopsHelp: true)
    }

    /// - Parameter stopsHelp: true if the caller stops helping without the app.
    private func end(
        with other: UserID, by caller: Caller, quietly: Bool = false, stopsHelp: Bool = false
    ) async throws {
        try await database.write(about: Subjects([caller.userID, other])) { transaction in
            let (me, them, old) = try pair(caller, other, in: transaction)
            if quietly {
                let hasOpenAlert = try !transaction.openAlerts(of: me.id).isEmpty
                try ContactRules.checkQuietRemoval(old, duringAlert: hasOpenAlert)
            }
            let isStop = stopsHelp && old.dependent.isInForce
            let act =
                isStop ? try relations.stop(by: me.id, for: them.id, in: transaction) : nil
            try relations.settle(
                RelationChange(
                    news: nil, me: me, them: them, old: old, new: Relation(),
                    isByLink: isStop && act == nil, isQuiet: quietly, linkAct: act),
                in: transaction)
            try qrCodes.renewCode(of: me.id, in: transaction)
        }
    }

    private func pair(
        _ caller: Caller, _ other: UserID, in transaction: Transaction
    ) throws -> (me: UserRow, them: UserRow, relation: Relation) {
        guard let me = try transaction.user(caller.userID) else { throw CommandError.noSuchUser }
        guard let row = try transaction.contact(other, of: me.id),
            let them = try transaction.user(other)
        else { throw CommandError.notFound("There is no such contact.") }
        return (me, them, row.relation)
    }

    func contactData(
        _ other: UserID, of viewer: UserID, in connection: any SQLConnection
    ) throws -> ContactData {
        guard
            let data = try connection.contactData(
                of: viewer, only: other, by: availableChannels,
                pictureURL: pictureURL
            ).first
        else {
            throw CommandError.notFound("There is no such contact.")
        }
        return data
    }
}
