import Foundation
import SafetyNetwork

/// The page that ends a session. It helps a person who may have lost a trusted device.
enum SessionPage {
    static func page(_ form: [String: String], _ network: SafetyNetwork) async throws -> LinkPage? {
        let secret = form["secret"] ?? ""
        if form["action"] == "end" {
            return try await network.accountNews.endLinkedSession(by: secret) ? ended : nil
        }
        return try await network.accountNews.linkedSession(by: secret).map { session in
            var page = LinkPage(
                path: LinkPath.session, title: "End this session?",
                paragraphs: [
                    "\(session.deviceName) is signed in to your account.",
                    "If you end it, that device is signed out and gets no more messages.",
                ], secret: secret)
            page.buttons = [.init(action: "end", title: "End it")]
            return page
        }
    }

    private static let ended = LinkPage(
        path: LinkPath.session, title: "The session is over",
        paragraphs: [
            """
            That device is signed out. Open LifeSignal and look at your check-in schedule, your \
            contacts and your other devices.
            """
        ])
}
