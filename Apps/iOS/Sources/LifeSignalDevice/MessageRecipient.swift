import Domain
import Foundation

/// The user whose messages this device shows, for the notification service extension. After a
/// sign-out without a connection, the server may still send messages for the previous user.
public enum MessageRecipient {
    /// The text in place of a message for another user.
    public static let notSignedIn = "This was for someone who is not signed in here."

    /// - Parameter user: nil while signed out.
    public static func write(_ user: UserID?, in folder: URL) {
        let file = file(in: folder)
        do {
            try Data((user?.description ?? "").utf8).write(to: file, options: .atomic)
        } catch {
            // The previous user's id would hide this user's alerts.
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// Returns whether to show the message. True if the recipient is unknown, because the message
    /// may be an alert: before the phone is first unlocked, the file can't be read.
    public static func accepts(_ message: PushMessage, in folder: URL) -> Bool {
        guard let recipient = message.recipientID,
            let stored = try? Data(contentsOf: file(in: folder))
        else { return true }
        return String(decoding: stored, as: UTF8.self) == recipient.description
    }

    private static func file(in folder: URL) -> URL { folder.appending(path: "recipient") }
}
