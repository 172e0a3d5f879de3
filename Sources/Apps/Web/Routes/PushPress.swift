import API
import ClientsLive
import Domain
import Foundation
import LivePages

/// A button of a message, or a tap on it.
struct PushPress: Decodable, Sendable {
    enum Action: String, Decodable, Sendable {
        case acknowledgeAlert, declineAlert, respondToPing, checkIn, confirmDrill
        /// The message was opened.
        case read
    }

    /// The person whom the message was for.
    var user: String
    var action: Action
    var notification: NotificationID?
    var alert: AlertID?
    var ping: PingID?
    /// The id of a check-in, made for this press.
    var checkIn: CheckInID?
    /// The time of the press by the browser's clock.
    var at: Date?
}

/// The answer to a press that has come to its end.
struct PushPressReply: Encodable, Equatable, Sendable {
    var isDone: Bool
    /// Why not, in words.
    var reason: String?

    static let done = PushPressReply(isDone: true)

    static func refused(_ reason: String) -> PushPressReply {
        PushPressReply(isDone: false, reason: reason)
    }
}

extension PushPress {
    /// Does it in the name of who is signed in on the connection. Throws `PageError` for a press
    /// without its subject, and the connection's failures.
    func perform(
        as user: UserID, at now: Date, _ connection: Connection
    ) async throws -> PushPressReply {
        switch action {
        case .acknowledgeAlert:
            let alert = try await connection.call(
                Routes.acknowledgeAlert, id: try subject(alert, "alert").uuid)
            guard alert.isActive else { return .refused("This alert has ended.") }
            guard let helper = alert.acknowledgement, UserID(helper.responderId) != user else {
                return .done
            }
            return .refused("\(ProfileRules.displayName(helper.name)) is on it already.")
        case .declineAlert:
            let alert = try await connection.call(
                Routes.declineAlert, id: try subject(alert, "alert").uuid)
            return alert.isActive ? .done : .refused("This alert has ended.")
        case .respondToPing:
            let ping = try await connection.call(
                Routes.respondToPing, id: try subject(ping, "ping").uuid)
            return ping.state == .answered ? .done : .refused("This question is no longer open.")
        case .checkIn:
            _ = try await connection.call(
                Routes.checkIn, CheckInRequest(occurredAt: min(at ?? now, now)),
                id: try subject(checkIn, "checkIn").uuid)
            return .done
        case .confirmDrill:
            let message = try subject(notification, "notification")
            let asked = try await connection.call(Routes.drills).asked
            guard let question = asked.first(where: { $0.notificationID == message }) else {
                return .refused("The test is over.")
            }
            let answered = try await connection.call(
                Routes.answerDrill, DrillAnswerRequest(channel: .webPush), id: question.id.uuid)
            return answered.answeredAt == nil ? .refused("The test is over.") : .done
        case .read:
            _ = try await connection.call(
                Routes.readNotification, id: try subject(notification, "notification").uuid)
            return .done
        }
    }

    var operation: ClientOperation {
        switch action {
        case .acknowledgeAlert: .acknowledgeAlert
        case .declineAlert: .declineAlert
        case .respondToPing: .action(.respondToPing)
        case .checkIn: .action(.checkIn)
        case .confirmDrill: .answerDrill
        case .read: .action(.markAsRead)
        }
    }

    private func subject<Value>(_ value: Value?, _ field: String) throws(PageError) -> Value {
        guard let value else { throw .unreadable(field: field, "This press is about nothing.") }
        return value
    }
}
