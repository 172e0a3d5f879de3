import Foundation
import LifeSignalDevice
import UserNotifications

/// Says that a message has arrived on this device, then lets it be shown, whatever the answer is.
final class NotificationService: UNNotificationServiceExtension {
    private var delivery: Delivery?

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let delivery = Delivery(content: request.content, handler: contentHandler)
        self.delivery = delivery
        guard let receipt = PushMessage(request.content.userInfo)?.receipt,
            let server = DeviceConfiguration()?.server
        else { return delivery.show() }
        Task {
            await ReceiptRequest(receipt: receipt, server: server).send()
            delivery.show()
        }
    }

    /// About 30 seconds are over.
    override func serviceExtensionTimeWillExpire() { delivery?.show() }
}

/// `POST /v1/receipts`, without a session (Docs/web-push.md).
struct ReceiptRequest: Sendable {
    let receipt: String
    let server: URL

    /// A receipt that does not get through is missing in the ledger, and nothing else.
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

/// The message, to be shown once.
///
/// Unchecked: content and handler are used under the lock alone.
private final class Delivery: @unchecked Sendable {
    private let lock = NSLock()
    private let content: UNNotificationContent
    private var handler: ((UNNotificationContent) -> Void)?

    init(content: UNNotificationContent, handler: @escaping (UNNotificationContent) -> Void) {
        (self.content, self.handler) = (content, handler)
    }

    func show() {
        lock.withLock {
            handler?(content)
            handler = nil
        }
    }
}
