import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import LifeSignalDevice
import UserNotifications

/// Handles taps on notifications and on their buttons.
///
/// Implements the delegate methods with a completion handler, because the `async` methods complete
/// on a background thread. On completion, UIKit takes a snapshot of the app, which traps on that
/// thread.
final class NotificationTapHandler: NSObject, UNUserNotificationCenterDelegate, Sendable {
    private let open: @Sendable (NotificationSubject) async -> Void

    init(open: @escaping @Sendable (NotificationSubject) async -> Void) { self.open = open }

    static var categories: Set<UNNotificationCategory> {
        let buttons: [(PushAction, [PushAction])] = [
            (.acknowledgeAlert, [.acknowledgeAlert, .declineAlert]),
            (.respondToPing, [.respondToPing]), (.checkIn, [.checkIn]),
            (.confirmDrill, [.confirmDrill]), (.arrived, [.arrived, .later]),
        ]
        return Set(
            buttons.map { category, actions in
                UNNotificationCategory(
                    identifier: category.rawValue, actions: actions.map(\.notificationAction),
                    intentIdentifiers: [])
            })
    }

    /// Shows a notification even while the app is in the foreground, because a sheet may cover the
    /// app's own banner.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping (UNNotificationPresentationOptions) -> Void
    ) { completionHandler([.banner, .list, .sound]) }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let completion = Completion(completionHandler)
        let request = response.notification.request
        let message = PushMessage(request.content.userInfo)
        let subject = NotificationSubject(request)
        let (identifier, date) = (response.actionIdentifier, response.notification.date)
        Task {
            await handle(identifier, of: message, about: subject, shownAt: date)
            await completion.call()
        }
    }

    /// - Parameters:
    ///   - identifier: the button's identifier, or the system's for a tap on the notification.
    ///   - message: nil for a notification of this device.
    private func handle(
        _ identifier: String, of message: PushMessage?, about subject: NotificationSubject?,
        shownAt date: Date
    ) async {
        if let action = PushAction(rawValue: identifier) {
            if let message { await perform(action, of: message, shownAt: date) }
        } else if identifier == UNNotificationDefaultActionIdentifier {
            // Opens the subject first. An alert must not wait until its notification is marked as
            // read.
            if let subject { await open(subject) }
            if let message { await markAsRead(message) }
        }
    }

    /// Performs the action, and shows the result. If the server has not answered, shows "NOT SENT".
    /// If it answered but did not do what the button says, shows "Nothing was changed" and the
    /// reason.
    func perform(
        _ action: PushAction, of message: PushMessage, shownAt date: Date
    ) async {
        guard let user = try? await DeviceSession.user(), user == message.recipientID else {
            return await PressNotice.show(
                AppWords.notSent(action.button), MessageRecipient.notSignedIn,
                id: PressNotice.notSent)
        }
        func identifier(_ kind: String) -> String {
            PressNotice.identifier(kind, of: action, about: message)
        }
        do {
            let then = try await send(action, of: message, by: user, shownAt: date)
            PressNotice.removeNotSent(of: action, about: message)
            await PressNotice.show(
                action.done, then, id: identifier(action.rawValue), level: .active, about: message)
        } catch let refusal as NothingChanged {
            let id = identifier(PressNotice.nothingChanged)
            await notifyOfNothing(refusal.reason, id: id, message)
        } catch let error as UserFacingError where error.has(.notFound) {
            let id = identifier(PressNotice.nothingChanged)
            await notifyOfNothing(error.message, id: id, message)
        } catch {
            await PressNotice.show(
                AppWords.notSent(action.button), AppWords.tryAgain,
                id: identifier(PressNotice.notSent), about: message)
            await open(NotificationSubject(message))
        }
    }

    /// Sends the action. Throws `NothingChanged` if the server did something else than the button
    /// says. Also throws the clients' errors.
    /// - Returns: what follows from the action.
    private func send(
        _ action: PushAction, of message: PushMessage, by user: UserID, shownAt date: Date
    ) async throws -> String {
        @Dependency(\.alertClient) var alertClient
        @Dependency(\.pingClient) var pingClient
        @Dependency(\.drillClient) var drillClient
        switch action {
        case .acknowledgeAlert:
            guard let alert = message.alertID else { throw MissingField() }
            let record = try await alertClient.acknowledge(id: alert)
            try NothingChanged.check(record.acknowledgementRefusal(by: user))
        case .declineAlert:
            guard let alert = message.alertID else { throw MissingField() }
            try NothingChanged.check(try await alertClient.decline(id: alert).declineRefusal)
        case .respondToPing:
            guard let ping = message.pingID else { throw MissingField() }
            try NothingChanged.check(try await pingClient.answer(id: ping).answerRefusal)
        case .confirmDrill:
            guard let notification = message.notificationID else { throw MissingField() }
            let drills = try await drillClient.overview()
            guard let drill = drills.asked.first(where: { $0.notificationID == notification })
            else { throw NothingChanged(reason: drills.refusal(of: notification)) }
            try NothingChanged.check(try await drillClient.answer(id: drill.id).answerRefusal)
        case .arrived: try await JourneyAction.arrive(askedAt: date)
        case .later: return try await JourneyAction.extend(askedAt: date)
        case .checkIn:
            let record = try await CheckInAction.perform()
            guard let due = record.nextDueWords else {
                throw NothingChanged(reason: CheckInRecord.cameTooLate)
            }
            return due
        }
        return action.then
    }

    private func markAsRead(_ message: PushMessage) async {
        @Dependency(\.notificationClient) var notificationClient
        guard let id = message.notificationID else { return }
        try? await notificationClient.markAsRead(id: id)
    }

    /// - Parameter message: the message whose button was pressed.
    private func notifyOfNothing(_ reason: String, id: String, _ message: PushMessage) async {
        await PressNotice.show(
            AppWords.nothingChanged, "\(reason) \(AppWords.tapToSee)", id: id, about: message)
    }

    /// The system's completion handler, which must be called on the main thread.
    ///
    /// Unchecked: the system's thread creates the value, and only the main actor uses it.
    private struct Completion: @unchecked Sendable {
        private let handler: () -> Void

        init(_ handler: @escaping () -> Void) { self.handler = handler }

        @MainActor func call() { handler() }
    }

    private struct MissingField: Error {}

    /// The server has answered, but didn't do what the button says.
    private struct NothingChanged: Error {
        let reason: String

        /// Throws the refusal, if there is one.
        static func check(_ refusal: String?) throws(NothingChanged) {
            if let refusal { throw NothingChanged(reason: refusal) }
        }
    }
}

extension NotificationSubject {
    /// Returns nil for a notification of this device that only says something.
    init?(_ request: UNNotificationRequest) {
        if let message = PushMessage(request.content.userInfo) {
            self.init(message)
        } else if request.identifier.hasPrefix(LocalReminder.mark) {
            self = .home
        } else {
            return nil
        }
    }

    init(_ message: PushMessage) {
        self.init(
            pushed: message.type, alert: message.alertID, ping: message.pingID,
            user: message.aboutUserID, recipient: message.recipientID,
            hasButtons: !message.actions.isEmpty)
    }
}

extension PushAction {
    /// The action's button. Requires an unlocked phone, so that a stranger can't answer for the
    /// owner.
    fileprivate var notificationAction: UNNotificationAction {
        UNNotificationAction(
            identifier: rawValue, title: button, options: [.authenticationRequired])
    }
}
