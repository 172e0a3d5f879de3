import Domain
import Foundation
import Persistence

/// Tells people that no message can reach one of their responders, now or soon. Publishes what the
/// contacts of a person see of that person's channels.
public struct Reach: Commands {
    public let core: Core
    let notifier: Notifier
    let refusedAlerts: RefusedAlerts

    /// The shortest time between two messages about the loss of one person's last channel.
    private static let pauseBetweenLosses: Duration = .days(1)

    /// What a person's contacts see of that person's channels.
    struct Known: Equatable, Sendable {
        /// Shown to those who rely on the person.
        var reachability: Reachability
        /// Shown to the person's responders: true if a device announces pings.
        var hearsPings: Bool
    }

    /// Announces a person's reachability if it has changed, and returns it. Returns nil if the
    /// person doesn't exist. After the loss of the person's last channel, restarts the alerts that
    /// everyone else has refused.
    /// - Parameters:
    ///   - known: the state that was announced last; nil if unknown.
    ///   - own: the state that this server announced last; nil if it hasn't announced any.
    ///   - mayBeLoss: false if no channel has changed.
    func tellReach(
        of person: UserID, unless known: Known?, own: Known?, mayBeLoss: Bool = true
    ) async throws -> Known? {
        let present = try await announceReach(of: person, unless: known, mayBeLoss: mayBeLoss)
        if mayBeLoss, present?.reachability.state == .unreachable,
            own?.reachability.state != .unreachable
        {
            try await restartAlertsRefused(without: person)
        }
        return present
    }

    func restartAlertsRefused(without person: UserID) async throws {
        let owners = try await database.read { connection in
            try refusedAlerts.alertsRefused(without: person, in: connection).map(\.userID)
        }
        guard !owners.isEmpty else { return }
        try await database.write(
            about: Subjects([person] + owners, isRepeatable: true)
        ) { transaction in
            for var alert in try refusedAlerts.alertsRefused(without: person, in: transaction)
            where owners.contains(alert.userID) {
                guard let owner = try transaction.user(alert.userID) else { continue }
                try refusedAlerts.restartRefused(&alert, of: owner, by: person, in: transaction)
            }
        }
    }

    private func announceReach(
        of person: UserID, unless known: Known?, mayBeLoss: Bool
    ) async throws -> Known? {
        let channels = availableChannels
        return try await database.write(
            about: Subjects([person], isRepeatable: true)
        ) { transaction in
            guard let user = try transaction.user(person),
                let present = try self.known(of: user, by: channels, in: transaction)
            else { return nil }
            guard present != known else { return present }
            let owners =
                present.reachability == known?.reachability
                ? [] : try transaction.owners(relyingOn: person)
            if present.hearsPings != known?.hearsPings {
                let event = try EncodedEvent(.contactChanged(.init(contactID: person)))
                let told = Set(owners.map(\.id))
                for responder in try transaction.responderIDs(of: person)
                where !told.contains(responder) {
                    try transaction.append(event, to: responder)
                }
            }
            guard mayBeLoss, present.reachability.state == .unreachable, !owners.isEmpty,
                try transaction.noteUnreachable(
                    person,
                    unlessToldAfter: transaction.now.adding(.zero - Self.pauseBetweenLosses))
            else { return present }
            // `textsStopped` has already told the owners of a guest's STOP.
            if user.guestSince == nil || user.smsStoppedAt == nil {
                try notifier.notify(
                    owners.map { Recipient($0) },
                    Notice(
                        text: .responderIsSilent(
                            name: user.displayName, isGuest: user.guestSince != nil,
                            hasStoppedTexts: user.smsStoppedAt != nil),
                        about: person, cannotBeMuted: true),
                    in: transaction)
            }
            try notifier.notify(
                Recipient(user), Notice(text: .nothingReachesYou, cannotBeMuted: true),
                in: transaction)
            return present
        }
    }

    private func known(
        of user: UserRow, by channels: Set<DeliveryChannel>, in connection: any SQLConnection
    ) throws -> Known? {
        // As in lists of contacts: pings go only to devices.
        let devices = channels.filter { !$0.isCarrier }
        guard let all = try connection.reachability(of: [user.id], by: channels)[user.id],
            let own = try connection.reachability(of: [user.id], by: devices)[user.id]
        else { return nil }
        return Known(
            reachability: all,
            hearsPings: user.preferences.allows(.ping) && own.state != .unreachable)
    }

    // MARK: Sessions that end

    private static let warningsPerPass = 100

    /// Warns people whose sessions with push endpoints soon expire. If no other channel would
    /// remain, warns the people who rely on them as well.
    public func warnOfSilence() async throws {
        guard try await isResponsible(for: .deviceTests) else { return }
        let sessions = try await database.read {
            try $0.sessionsToWarnOf(limit: Self.warningsPerPass)
        }
        for session in sessions { try await warn(ofTheEndOf: session) }
    }

    private func warn(ofTheEndOf session: Caller) async throws {
        let person = session.userID
        let channels = availableChannels
        try await database.write(
            about: Subjects([person], isRepeatable: true)
        ) { transaction in
            guard let user = try transaction.user(person),
                let ending = try transaction.beginExpiryWarning(of: session),
                try transaction.hasEndpoint(
                    ofSession: session.sessionID, of: person, by: channels),
                try !transaction.hasEndpoint(
                    of: person, inSessionsAfter: ending.end, by: channels)
            else { return }
            let days = SignInRules.days(until: ending.end, from: transaction.now)
            let isLastWay = try !hasCarrier(user, among: channels, in: transaction)
            // Uses all channels, because the channel that ends may already be dead.
            try notifier.notify(
                Recipient(user),
                Notice(
                    text: .deviceEnds(
                        deviceName: ending.deviceName, days: days, isLastWay: isLastWay),
                    isUrgent: true),
                in: transaction)
            guard isLastWay else { return }
            try notifier.notify(
                try transaction.owners(relyingOn: person).map { Recipient($0) },
                Notice(
                    text: .responderFallsSilent(name: user.displayName, days: days),
                    about: person, isUrgent: true),
                in: transaction)
        }
    }

    private func hasCarrier(
        _ user: UserRow, among channels: Set<DeliveryChannel>, in connection: any SQLConnection
    ) throws -> Bool {
        if channels.contains(.email), try connection.confirmedEmail(of: user.id) != nil {
            return true
        }
        guard user.phoneNumber != nil else { return false }
        return channels.contains(.voice) || channels.contains(.sms) && user.smsStoppedAt == nil
    }

    /// Returns true if a message about an alert can reach the responder. A person who has only been
    /// asked gets no SMS, no call and no e-mail.
    func reaches(_ responder: Recipient, in connection: any SQLConnection) throws -> Bool {
        let channels = availableChannels.filter { responder.isAccepted || !$0.isCarrier }
        let reach = try connection.reachability(of: [responder.id], by: channels)
        return reach[responder.id].map { $0.state != .unreachable } ?? false
    }

    func counted(
        _ responders: [Recipient], of owner: UserID, in connection: any SQLConnection
    ) throws -> ToldResponders {
        try counted([owner: responders], in: connection)[owner] ?? ToldResponders(told: 0, all: 0)
    }

    func counted(
        _ responders: [UserID: [Recipient]], in connection: any SQLConnection
    ) throws -> [UserID: ToldResponders] {
        let accepted = responders.mapValues { $0.filter(\.isAccepted).map(\.id) }
        let people = Set(accepted.values.flatMap(\.self)).sorted()
        let reach = try connection.reachability(of: people, by: availableChannels)
        return accepted.mapValues { ids in
            ToldResponders(
                told: ids.count { reach[$0].map { $0.state != .unreachable } ?? false },
                all: ids.count)
        }
    }
}
