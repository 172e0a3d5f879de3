import Domain
import Foundation
import Persistence

/// Pings and their answers (product.md, "Pings").
public struct Pings: Commands {
    public let core: Core
    let notifier: Notifier

    /// Asks a dependent "Are you fine?" Returns the pair's pending ping if there is one. Throws
    /// `permissionDenied` if the other person isn't the caller's dependent, `notFound` for a
    /// stranger.
    public func ping(_ id: PingID, dependent: UserID, by caller: Caller) async throws -> PingRecord
    {
        try await database.write(about: Subjects([dependent], isRepeatable: true)) { transaction in
            let me = caller.userID
            if let known = try transaction.ping(id, from: me) { return known }
            if let stands = try earlierOutcome("ping", id, of: caller, in: transaction).flatMap({
                try transaction.ping($0, from: me)
            }) {
                return stands
            }
            guard let relation = try transaction.contact(dependent, of: me),
                let asking = try transaction.user(me),
                let asked = try transaction.user(dependent)
            else { throw CommandError.notFound("There is no such contact.") }
            try PingRules.check(relation.roles)
            let now = transaction.now
            if let pending = try transaction.pendingPing(from: me, to: dependent) {
                if !PingRules.isExpired(createdAt: pending.createdAt, at: now) {
                    try remember("ping", id, stoodFor: pending.id, of: caller, in: transaction)
                    return pending
                }
                try expire(pending, in: transaction)
            }
            let ping = PingRecord(
                id: id, responderID: me, dependentID: dependent, createdAt: now, state: .pending,
                settledAt: nil)
            try transaction.insert(ping)
            try publish(ping, in: transaction)
            try notifier.notify(
                Recipient(asked),
                Notice(
                    text: .ping(name: asking.displayName), about: me, ping: id, purpose: .ping),
                in: transaction
            )
            // Makes the caller's clients reload the contact, which shows whether a device of the
            // dependent announces pings.
            try transaction.append(.contactChanged(.init(contactID: dependent)), to: me)
            return ping
        }
    }

    public func pings(of caller: Caller, page: Page) async throws -> [PingRecord] {
        try await database.read { try $0.pings(of: caller.userID, page: page) }
    }

    /// Answers one ping with "I am fine". Doesn't change a settled ping.
    /// - Parameters:
    ///   - pressedAt: when the person answered, by the device's clock; nil for now. Never refused.
    ///   - sentAt: when the device sent the request, by the device's clock.
    public func respond(
        to id: PingID, pressedAt: Date? = nil, sentAt: Date? = nil, by caller: Caller
    ) async throws -> PingRecord {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard let ping = try transaction.ping(id, to: caller.userID) else {
                throw CommandError.notFound("There is no such ping.")
            }
            guard ping.state == .pending else { return ping }
            let now = transaction.now
            if PingRules.isExpired(createdAt: ping.createdAt, at: now) {
                return try expire(ping, in: transaction)
            }
            let pressed = AlertRules.moment(
                raisedAt: pressedAt, sentAt: sentAt, receivedAt: now,
                clockGap: clock?.knownError ?? .zero)
            return try answer(ping, pressedAt: pressed, in: transaction)
        }
    }

    public func respondToAll(by caller: Caller) async throws -> [PingRecord] {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            try answerPings(to: caller.userID, in: $0)
        }
    }

    public func clearPing(_ id: PingID, by caller: Caller) async throws -> PingRecord {
        try await database.write(
            about: Subjects([], isRepeatable: true) {
                try $0.ping(id, from: caller.userID).map { [$0.dependentID] } ?? []
            }
        ) { transaction in
            guard let ping = try transaction.ping(id, from: caller.userID) else {
                throw CommandError.notFound("There is no such ping.")
            }
            guard ping.state == .pending else { return ping }
            let cleared = try transaction.settle(ping, as: .cleared)
            try publish(cleared, in: transaction)
            if let me = try transaction.user(caller.userID),
                let asked = try transaction.user(ping.dependentID)
            {
                try notifier.notify(
                    Recipient(asked),
                    Notice(text: .pingCleared(name: me.displayName), about: me.id, ping: id),
                    in: transaction)
            }
            return cleared
        }
    }

    /// - Parameter moment: the moment of the check-in that answers the pings; nil if the person
    ///   answers all of them now.
    @discardableResult
    func answerPings(
        to dependent: UserID, checkedInAt moment: Date? = nil, in transaction: Transaction
    ) throws -> [PingRecord] {
        let now = transaction.now
        var pings = try transaction.pendingPings(to: dependent).filter {
            !PingRules.isExpired(createdAt: $0.createdAt, at: now)
        }
        if let moment {
            pings = pings.filter {
                PingRules.isAnswered(byCheckInAt: moment, createdAt: $0.createdAt)
            }
        }
        return try pings.map { try answer($0, pressedAt: moment ?? now, in: transaction) }
    }

    /// - Parameter pressedAt: the press by the server's time.
    private func answer(
        _ ping: PingRecord, pressedAt: Date, in transaction: Transaction
    ) throws -> PingRecord {
        let answered = try transaction.settle(ping, as: .answered)
        try publish(answered, in: transaction)
        if let me = try transaction.user(ping.dependentID),
            let asking = try transaction.user(ping.responderID)
        {
            let text = NotificationText.pingAnswered(
                name: me.displayName,
                at: PingRules.answerTime(pressedAt: pressedAt, createdAt: ping.createdAt),
                receivedAt: transaction.now)
            try notifier.notify(
                Recipient(asking), Notice(text: text, about: me.id, ping: ping.id),
                in: transaction)
        }
        return answered
    }

    /// Ends a ping after a day. The deadline monitor or a person's action causes this, whichever is
    /// first.
    @discardableResult
    func expire(_ ping: PingRecord, in transaction: Transaction) throws -> PingRecord {
        let expired = try transaction.settle(ping, as: .expired)
        try publish(expired, in: transaction)
        return expired
    }

    func publish(_ ping: PingRecord, in transaction: Transaction) throws {
        let event = try EncodedEvent(.ping(ping))
        for side in [ping.responderID, ping.dependentID] {
            try transaction.append(event, to: side)
        }
    }
}
