import Foundation
import LifeSignalDevice
import UserNotifications

/// Shows each message for the signed-in user, and sends a receipt for it. Showing waits at most 1.5
/// seconds for the receipt, because the message may be an alert.
final class NotificationService: UNNotificationServiceExtension {
    private var delivery: Delivery?

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let message = PushMessage(request.content.userInfo)
        let configuration = DeviceConfiguration()
        guard isForThisUser(message, configuration) else { return contentHandler(.notSignedIn) }
        let delivery = Delivery(content: request.content, handler: contentHandler)
        self.delivery = delivery
        let topic = LocalReminder.topic(repeatedBy: request.content)
        let (receipt, server) = (message?.receipt, configuration?.server)
        Task {
            if let topic { await LocalReminder.takeAwayTheNext(topic) }
            if let receipt, let server {
                await ReceiptRequest(receipt: receipt, server: server).send()
            }
            delivery.show()
        }
        Task { await delivery.showInTime() }
    }

    private func isForThisUser(
        _ message: PushMessage?, _ configuration: DeviceConfiguration?
    ) -> Bool {
        guard let message, let configuration else { return true }
        return MessageRecipient.accepts(message, in: configuration.sharedFolder)
    }

    /// iOS calls this after about 30 seconds.
    override func serviceExtensionTimeWillExpire() { delivery?.show() }
}

extension UNNotificationContent {
    /// Replaces a message for another user. Has no sound, no buttons and no receipt.
    fileprivate static var notSignedIn: UNNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = "LifeSignal"
        content.body = MessageRecipient.notSignedIn
        return content
    }
}

/// The request `POST /v1/receipts`, which needs no session (Docs/web-push.md).
struct ReceiptRequest: Sendable {
    let receipt: String
    let server: URL

    /// Sends the receipt. A lost receipt only leaves a gap in the ledger.
    func send() async {
        var request = URLRequest(
            url: server.appending(path: "v1/receipts"), cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: 10)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try? JSONEncoder().encode(["token": receipt])
        _ = try? await URLSession.shared.data(for: request)
    }
}

/// A message that is shown exactly once.
///
/// Unchecked: `content` and `handler` are used only under the lock.
private final class Delivery: @unchecked Sendable {
    /// How long the message waits for the receipt. Sending may continue afterwards, as long as the
    /// extension runs.
    private static let patience: Duration = .milliseconds(1_500)

    private let lock = NSLock()
    private let content: UNNotificationContent
    private var handler: ((UNNotificationContent) -> Void)?

    init(content: UNNotificationContent, handler: @escaping (UNNotificationContent) -> Void) {
        (self.content, self.handler) = (content, handler)
    }

    func showInTime() async {
        try? await Task.sleep(for: Self.patience)
        show()
    }

    func show() {
        lock.withLock {
            handler?(content)
            handler = nil
        }
    }
}
