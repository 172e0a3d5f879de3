import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import LifeSignalDevice
import UserNotifications

/// Taps on notifications and on their buttons.
final class NotificationHandler: NSObject, UNUserNotificationCenterDelegate, Sendable {
    private let open: @Sendable (NotificationSubject) async -> Void

    init(open: @escaping @Sendable (NotificationSubject) async -> Void) { self.open = open }

    /// The categories that the server names, each with its buttons.
    static var categories: Set<UNNotificationCategory> {
        let buttons: [(PushMessage.Action, [PushMessage.Action])] = [
            (.acknowledgeAlert, [.acknowledgeAlert, .declineAlert]),
            (.respondToPing, [.respondToPing]), (.checkIn, [.checkIn]),
            (.confirmDrill, [.confirmDrill]),
        ]
        return Set(
            buttons.map { category, actions in
                UNNotificationCategory(
                    identifier: category.rawValue, actions: actions.map(\.button),
                    intentIdentifiers: [])
            })
    }

    /// Also shown while the app is in front: its own banner may be behind a sheet.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions { [.banner, .list, .sound] }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async {
        let content = response.notification.request.content
        guard let message = PushMessage(content.userInfo) else { return }
        if let action = PushMessage.Action(rawValue: response.actionIdentifier) {
            await perform(action, of: message)
        } else if response.actionIdentifier == UNNotificationDefaultActionIdentifier {
            await markAsRead(message)
            if let subject = NotificationSubject(message) { await open(subject) }
        }
    }

    /// Says NOT SENT unless the server has taken it: nobody may believe in help that nobody
    /// announced.
    private func perform(_ action: PushMessage.Action, of message: PushMessage) async {
        @Dependency(\.authClient) var authClient
        guard let user = await authClient.session()?.userID, user == message.recipientID else {
            return await notify(
                AppWords.notSent(action.title), AppWords.notSignedIn, id: "not-sent")
        }
        do {
            try await send(action, of: message)
            await notify(action.done, action.then, id: action.rawValue)
        } catch {
            await notify(AppWords.notSent(action.title), AppWords.tryAgain, id: "not-sent")
            if let subject = NotificationSubject(message) { await open(subject) }
        }
    }

    private func send(_ action: PushMessage.Action, of message: PushMessage) async throws {
        @Dependency(\.alertClient) var alertClient
        @Dependency(\.pingClient) var pingClient
        @Dependency(\.drillClient) var drillClient
        switch action {
        case .acknowledgeAlert:
            guard let alert = message.alertID else { throw MissingField() }
            _ = try await alertClient.acknowledge(id: alert)
        case .declineAlert:
            guard let alert = message.alertID else { throw MissingField() }
            _ = try await alertClient.decline(id: alert)
        case .respondToPing:
            guard let user = message.aboutUserID else { throw MissingField() }
            try await pingClient.respondToPing(id: user)
        case .confirmDrill:
            let asked = try await drillClient.overview().asked
            guard let drill = asked.first(where: { $0.notificationID == message.notificationID })
            else { throw MissingField() }
            _ = try await drillClient.answer(id: drill.id)
        case .checkIn:
            try await CheckInAction.perform()
        }
    }

    private func markAsRead(_ message: PushMessage) async {
        @Dependency(\.notificationClient) var notificationClient
        guard let id = message.notificationID else { return }
        try? await notificationClient.markAsRead(id: id)
    }

    private func notify(_ title: String, _ body: String, id: String) async {
        let content = UNMutableNotificationContent()
        content.title = title
        content.body = body
        content.sound = .default
        let request = UNNotificationRequest(identifier: id, content: content, trigger: nil)
        try? await UNUserNotificationCenter.current().add(request)
    }

    /// The message does not say what the button is about.
    private struct MissingField: Error {}
}

extension NotificationSubject {
    /// nil for a message with nothing to open.
    init?(_ message: PushMessage) {
        if let alert = message.alertID {
            self = .alert(alert, user: message.aboutUserID)
        } else if let ping = message.pingID {
            self = .ping(ping, user: message.aboutUserID)
        } else if let user = message.aboutUserID {
            self = .person(user)
        } else {
            return nil
        }
    }
}

extension PushMessage.Action {
    var title: String {
        switch self {
        case .acknowledgeAlert: "I’m on it"
        case .declineAlert: "I can’t"
        case .respondToPing, .checkIn: "I’m fine"
        case .confirmDrill: "Got it"
        }
    }

    /// Said once the server has taken it.
    var done: String {
        switch self {
        case .acknowledgeAlert: "You are on it"
        case .declineAlert: "You have said that you can’t"
        case .respondToPing, .confirmDrill: "Your answer is sent"
        case .checkIn: "You are checked in"
        }
    }

    var then: String {
        switch self {
        case .acknowledgeAlert: "Tap to open the alert and call."
        case .declineAlert: "Tap to open the alert. You can still take it on."
        case .respondToPing, .confirmDrill: ""
        case .checkIn: "Your deadline has started again."
        }
    }

    /// A locked phone has to be unlocked first: a stranger must not answer for its owner.
    fileprivate var button: UNNotificationAction {
        UNNotificationAction(
            identifier: rawValue, title: title, options: [.authenticationRequired])
    }
}
