import Domain
import Foundation
import Persistence

/// A blocked person can't add, ping or see the blocker (product.md, "Consent").
public struct Blocks: Commands {
    public let core: Core
    let accountNews: AccountNews
    let relations: Relations
    let invitations: Invitations
    let qrCodes: QRCodes

    /// The listed name of a person who wasn't a contact at the time of the block.
    public static let formerContact = "A former contact"

    public func blocks(of caller: Caller) async throws -> [BlockedPerson] {
        try await database.read { connection in
            guard try connection.user(caller.userID) != nil else { throw CommandError.noSuchUser }
            return try connection.blocks(of: caller.userID)
        }
    }

    /// Blocks a contact, or the person that a notification of the caller is about. Renews the
    /// caller's QR code, and ends the relation of a contact. Throws `notFound` for any other
    /// person.
    public func block(_ other: UserID, by caller: Caller) async throws -> BlockedPerson {
        try await database.write(about: Subjects([caller.userID, other], isRepeatable: true)) {
            transaction in
            guard let me = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            let known = try transaction.blocks(of: me.id).first { $0.id == other }
            if let known { return known }
            let contact = try transaction.contact(other, of: me.id)
            let hasMet =
                try contact != nil || transaction.hasNotification(about: other, of: me.id)
            guard other != me.id, hasMet, let them = try transaction.user(other) else {
                throw CommandError.notFound("There is no such person.")
            }
            let now = transaction.now
            if let contact {
                try relations.settle(
                    RelationChange(
                        news: nil, me: me, them: them, old: contact.relation, new: Relation()),
                    in: transaction)
            }
            // A former contact knows the code, too, and can give it to others.
            try qrCodes.renewCode(of: me.id, in: transaction)
            try invitations.endInvitations(of: me.id, to: them, in: transaction)
            try invitations.endInvitations(of: them.id, to: me, in: transaction)
            // A former contact may have blocked the caller, and must look like a stranger.
            let name = contact == nil ? Self.formerContact : them.displayName
            let person = BlockedPerson(id: other, name: name, blockedAt: now)
            let hash = key.hash(blockedNumber: them.textToBlock)
            try transaction.insertBlock(person, phoneHash: hash, by: me.id)
            return person
        }
    }

    /// Announces it: somebody with the unlocked phone could unblock themselves. Throws `notFound`
    /// for a person who isn't blocked.
    public func unblock(_ other: UserID, by caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID])) { transaction in
            guard try transaction.user(caller.userID) != nil else { throw CommandError.noSuchUser }
            try checkSession(of: caller, in: transaction)
            let blocked = try transaction.blocks(of: caller.userID).first { $0.id == other }
            guard let blocked, try transaction.deleteBlock(of: other, by: caller.userID) else {
                throw CommandError.notFound("This person is not blocked.")
            }
            try accountNews.announce(
                .personUnblocked(name: blocked.name), doneBy: caller, isOncePerWindow: false,
                in: transaction)
        }
    }
}

extension UserRow {
    /// The person's number. Without a number, their id, which lasts as long as their e-mail
    /// address.
    var textToBlock: String { phoneNumber?.text ?? "\(id)" }
}

extension Commands {
    /// Returns the block of this person or of their number; nil if there is none.
    func block(
        of person: UserRow, by blocker: UserID, in connection: any SQLConnection
    ) throws -> BlockedPerson? {
        let hashes = key.hashes(blockedNumber: person.textToBlock)
        return try connection.block(of: person.id, phoneHashes: hashes, by: blocker)
    }

    /// Returns true if one of the two has blocked the other. A response to an invitation must not
    /// reveal this: it would show whose number or address was invited.
    func isBlocked(
        _ me: UserRow, inviting recipient: InvitationRecipient, in connection: any SQLConnection
    ) throws -> Bool {
        try connection.people(at: recipient, knownBy: me.id).contains { id in
            guard let them = try connection.user(id) else { return false }
            return try block(of: me, by: id, in: connection) != nil
                || block(of: them, by: me.id, in: connection) != nil
        }
    }
}
