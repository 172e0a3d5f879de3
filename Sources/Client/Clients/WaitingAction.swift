import Domain
import Foundation

/// An action of the person that the server does not know yet.
public struct WaitingAction: Equatable, Sendable, Identifiable {
    /// A kind of action. `words` returns the texts of each kind. `QueuedAction` in ClientsLive adds
    /// the payload and the request.
    public enum Kind: String, Equatable, Sendable, CaseIterable {
        case raiseAlert, endAlert, checkIn, ping, respondToPing, clearPing, updateProfile,
            updateSettings, changeRoles, updatePreferences,
            markAsRead, deleteNotification, pause, endPause,
            extendJourney, endJourney, resendJourney
    }

    public var id: UUID
    public var kind: Kind
    /// When the person acted, by the server's clock in `Connectivity`.
    public var createdAt: Date
    /// The contact of a ping or of a change of roles.
    public var contact: UserID?

    public init(id: UUID, kind: Kind, createdAt: Date, contact: UserID? = nil) {
        self.id = id
        self.kind = kind
        self.createdAt = createdAt
        self.contact = contact
    }
}

/// A queued action that the server has refused for good.
public struct RefusedAction: Equatable, Sendable {
    public var action: WaitingAction
    public var error: UserFacingError

    public init(action: WaitingAction, error: UserFacingError) {
        self.action = action
        self.error = error
    }
}

extension WaitingAction.Kind {
    public struct Words: Sendable {
        /// One action in a list of several: "an alert".
        public var one: String
        /// Several actions, after their number: "2 alerts".
        public var many: String
        /// The person's own action: "Waiting to be sent: your call for help."
        public var own: String
        /// The attempt: "We could not raise the alert."
        public var attempt: String
        /// The subject: "This alert is no longer there."
        public var subject: String
    }

    public var words: Words {
        switch self {
        case .raiseAlert:
            Words(
                one: "an alert", many: "alerts", own: "your call for help",
                attempt: "raise the alert", subject: "This alert")
        case .endAlert:
            Words(
                one: "the end of an alert", many: "ends of alerts", own: "the end of your alert",
                attempt: "end the alert", subject: "This alert")
        case .checkIn:
            Words(
                one: "a check-in", many: "check-ins", own: "your check-in",
                attempt: "check you in", subject: "What you asked for")
        case .ping:
            Words(
                one: "a ping", many: "pings", own: "your ping",
                attempt: "send the ping", subject: "This contact")
        case .respondToPing:
            Words(
                one: "an answer to a ping", many: "answers to pings", own: "your answer to a ping",
                attempt: "answer the ping", subject: "This ping")
        case .clearPing:
            Words(
                one: "a ping that you cleared", many: "pings that you cleared",
                own: "taking back your ping",
                attempt: "take the ping back", subject: "This ping")
        case .updateProfile:
            Words(
                one: "a change of your profile", many: "changes of your profile",
                own: "the change of your profile",
                attempt: "save your profile", subject: "What you asked for")
        case .updateSettings:
            Words(
                one: "a change of your check-in schedule",
                many: "changes of your check-in schedule",
                own: "the change of your check-in settings",
                attempt: "save your check-in settings", subject: "What you asked for")
        case .changeRoles:
            Words(
                one: "a change of roles", many: "changes of roles",
                own: "the change of a contact's roles",
                attempt: "change the contact's roles", subject: "This contact")
        case .updatePreferences:
            Words(
                one: "a change of your notifications", many: "changes of your notifications",
                own: "the change of your notifications",
                attempt: "save your notification settings", subject: "What you asked for")
        case .markAsRead:
            Words(
                one: "a notification that you read", many: "notifications that you read",
                own: "a notification that you have read",
                attempt: "mark the notification as read", subject: "This notification")
        case .deleteNotification:
            Words(
                one: "a notification that you deleted", many: "notifications that you deleted",
                own: "a notification that you have deleted",
                attempt: "delete the notification", subject: "This notification")
        case .pause:
            Words(
                one: "a pause", many: "pauses", own: "your pause",
                attempt: "pause your check-ins", subject: "What you asked for")
        case .endPause:
            Words(
                one: "the end of a pause", many: "ends of pauses", own: "the end of your pause",
                attempt: "end your pause", subject: "What you asked for")
        case .extendJourney:
            Words(
                one: "a later return", many: "later returns", own: "your later return",
                attempt: "extend your journey", subject: "This journey")
        case .endJourney:
            Words(
                one: "an arrival", many: "arrivals", own: "your arrival",
                attempt: "tell LifeSignal that you have arrived", subject: "This journey")
        case .resendJourney:
            Words(
                one: "a journey", many: "journeys", own: "your journey",
                attempt: "send your journey again", subject: "This journey")
        }
    }
}

extension [WaitingAction] {
    /// The queued actions in the order of sending: "an alert, 2 check-ins and a change of your
    /// profile".
    public var inWords: String {
        var kinds: [WaitingAction.Kind] = []
        for action in self where !kinds.contains(action.kind) { kinds.append(action.kind) }
        let parts = kinds.map { kind in
            let number = count { $0.kind == kind }
            return number == 1 ? kind.words.one : "\(number) \(kind.words.many)"
        }
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }
}
