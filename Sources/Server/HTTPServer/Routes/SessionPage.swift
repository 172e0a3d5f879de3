import Domain
import Foundation
import SafetyNetwork

/// The page that ends a session. It helps a person who may have lost a trusted device.
enum SessionPage {
    static func page(_ form: [String: String], _ network: SafetyNetwork) async throws -> LinkPage? {
        let secret = form["secret"] ?? ""
        if form["action"] == "end" {
            return switch try await network.accountNews.endLinkedSession(by: secret) {
            case .session: ended
            case .numberMove: numberStays
            case .lockEnd: lockStays
            case nil: nil
            }
        }
        return try await network.accountNews.linkedSession(by: secret).map { session in
            guard let device = session.deviceName else {
                return session.changesNumber ? change(secret) : lockEnd(secret)
            }
            let name = NotificationText.quoted(device) ?? "A device"
            var page = LinkPage(
                path: LinkPath.session, title: "End this session?",
                paragraphs: [
                    "\(name) is signed in to your account.",
                    "If you end it, that device is signed out and gets no more messages.",
                ], secret: secret)
            page.buttons = [.init(action: "end", title: "End it")]
            return page
        }
    }

    /// The page of a device that has signed out and left a change of the number waiting.
    private static func change(_ secret: String) -> LinkPage {
        var page = LinkPage(
            path: LinkPath.session, title: "Keep your phone number?",
            paragraphs: [
                "That device is signed out. It has begun to move your account to another number.",
                "If you stop the change, your account stays with its present number.",
            ], secret: secret)
        page.buttons = [.init(action: "end", title: "Stop the change")]
        return page
    }

    /// The page of a device that has signed out and left the sign-in lock ending.
    private static func lockEnd(_ secret: String) -> LinkPage {
        var page = LinkPage(
            path: LinkPath.session, title: "Keep the sign-in lock on?",
            paragraphs: [
                "That device is signed out. It has turned your sign-in lock off, from a later day.",
                "If you keep the lock on, codes by SMS wait 7 days before they sign in.",
            ], secret: secret)
        page.buttons = [.init(action: "end", title: "Keep it on")]
        return page
    }

    private static let ended = LinkPage(
        path: LinkPath.session, title: "The session is over",
        paragraphs: [
            """
            That device is signed out. Open LifeSignal and look at your check-in schedule, your \
            contacts and your other devices.
            """
        ])

    private static let numberStays = LinkPage(
        path: LinkPath.session, title: "Your number stays",
        paragraphs: [
            """
            The change is stopped, and your account keeps its present number. Open LifeSignal and \
            look at your other devices.
            """
        ])

    private static let lockStays = LinkPage(
        path: LinkPath.session, title: "The sign-in lock stays on",
        paragraphs: ["Open LifeSignal and look at your other devices."])
}
