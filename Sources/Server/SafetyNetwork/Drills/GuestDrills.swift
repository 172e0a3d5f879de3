import Cryptography
import Domain
import Foundation
import Persistence

/// A drill on the page that a message to a responder links to.
public struct GuestDrill: Equatable, Sendable {
    public enum State: Equatable, Sendable {
        case asks
        case answered
        case over
        /// The drill's owner has an open alert that the reader is told of.
        /// - Parameter page: the URL of the alert's page.
        case alert(AlertKind, page: URL)
    }

    public var name: String
    public var state: State
    /// The present time on the reader's clock.
    public var nowWords: String
    /// True if the reader is a guest, and a STOP holds every message back.
    public var hasStoppedTexts: Bool

    public init(name: String, state: State, nowWords: String, hasStoppedTexts: Bool) {
        self.name = name
        self.state = state
        self.nowWords = nowWords
        self.hasStoppedTexts = hasStoppedTexts
    }
}

/// Answers to drills by the links in SMS and e-mails, for people without the app.
public struct GuestDrills: Commands {
    public let core: Core
    let drills: Drills
    let guestAlerts: GuestAlerts

    /// Returns the URL of the page where one person confirms the drill.
    /// - Parameter channel: SMS or e-mail. Pressing a button on the page proves that this channel
    ///   works.
    public func drillLink(
        to person: UserID, _ notification: NotificationID, in channel: DeliveryChannel
    ) -> URL {
        link(channel == .email ? .mailedDrill : .drill, person.uuid, notification.uuid)
    }

    /// Returns the token of a link, and the channel of the link's message.
    private func drillToken(
        _ secret: String
    ) async throws -> (token: LinkToken, channel: DeliveryChannel)? {
        try await verified {
            if let token = LinkToken(secret, .drill, key: key) { return (token, .sms) }
            return LinkToken(secret, .mailedDrill, key: key).map { ($0, .email) }
        }
    }

    /// Returns the drill of a link; nil for an invalid or expired link.
    public func guestDrill(by secret: String) async throws -> GuestDrill? {
        guard let (token, channel) = try await drillToken(secret) else { return nil }
        return try await database.read { connection in
            try question(behind: token, by: channel, in: connection).map { question in
                GuestDrill(
                    name: question.name,
                    state: try state(
                        of: question, for: UserID(token.owner), by: channel, in: connection),
                    nowWords: try nowWords(
                        about: question, for: UserID(token.owner), in: connection),
                    hasStoppedTexts: try connection.hasStoppedTexts(guest: UserID(token.owner)))
            }
        }
    }

    /// Returns true for the link of a drill that no longer asks the person, as after the end of
    /// their role. Returns false while an alert that they are told of is open: the page may not say
    /// that it was only a drill.
    public func noLongerAsks(by secret: String) async throws -> Bool {
        guard let (token, channel) = try await drillToken(secret) else { return false }
        let (id, person) = (NotificationID(token.subject), UserID(token.owner))
        return try await database.read { connection in
            guard try connection.drillQuestion(of: id, to: person) == nil,
                let sentAt = try connection.firstDeliveryTime(
                    about: .drill(id), to: person, by: channel),
                try connection.hasCarrier(channel, of: person, since: sentAt),
                connection.now < sentAt.adding(GuestAlerts.guestLinkLifetime)
            else { return false }
            for contact in try connection.contacts(of: person)
            where try connection.newestOpenAlert(of: contact.contact, visibleTo: person) != nil {
                return false
            }
            return true
        }
    }

    private func nowWords(
        about question: DrillQuestion, for person: UserID, in connection: any SQLConnection
    ) throws -> String {
        var reader = try connection.user(person).map { Recipient($0) }
        reader?.readTimes(like: try connection.user(question.ownerID))
        return clockTime(connection.now, in: reader?.timeZone, at: connection.now)
    }

    private func state(
        of question: DrillQuestion, for person: UserID, by channel: DeliveryChannel,
        in connection: any SQLConnection
    ) throws -> GuestDrill.State {
        if let alert = try connection.newestOpenAlert(of: question.ownerID, visibleTo: person) {
            let page = guestAlerts.alertLink(to: person, alert.id, in: channel)
            return .alert(alert.kind, page: page)
        }
        if question.answeredAt != nil { return .answered }
        return question.isOpen(at: connection.now) ? .asks : .over
    }

    /// Confirms a drill on its page. Returns the drill's new state; nil for an invalid link.
    public func answerDrill(by secret: String) async throws -> GuestDrill? {
        guard let (token, channel) = try await drillToken(secret),
            let question = try await database.read({
                try question(behind: token, by: channel, in: $0)
            })
        else { return nil }
        let person = UserID(token.owner)
        try await guestAlerts.provePress(by: person, about: question.ownerID) {
            try $0.lastDelivery(
                about: .drill(NotificationID(token.subject)), to: person, by: channel)
        }
        do {
            _ = try await drills.answerDrill(question, by: channel, person: person)
        } catch CommandError.notFound {
            return nil
        }
        return try await guestDrill(by: secret)
    }

    /// Returns nil for an expired link, and for one that may be at the person's former number or
    /// address.
    private func question(
        behind token: LinkToken, by channel: DeliveryChannel, in connection: any SQLConnection
    ) throws -> DrillQuestion? {
        let (id, person) = (NotificationID(token.subject), UserID(token.owner))
        let sentAt = try connection.firstDeliveryTime(about: .drill(id), to: person, by: channel)
        guard try connection.hasCarrier(channel, of: person, since: sentAt) else { return nil }
        return try connection.drillQuestion(of: id, to: person).flatMap { question in
            connection.now < question.endsAt.adding(GuestAlerts.guestLinkLifetime) ? question : nil
        }
    }
}
