import Cryptography
import Domain
import Foundation
import Persistence

/// Sends notifications as e-mails.
public struct EmailChannel: Channel {
    public struct Links: Sendable {
        /// The URL of the web app.
        public var app: URL
        public var unsubscribe: @Sendable (_ token: String) -> URL
        public var pages: PageLinks

        public init(
            app: URL, pages: PageLinks = .none, unsubscribe: @escaping @Sendable (String) -> URL
        ) {
            self.app = app
            self.pages = pages
            self.unsubscribe = unsubscribe
        }
    }

    public let kind = DeliveryChannel.email
    private let mailer: any Mailer
    private let key: ServerKey
    private let links: Links

    public init(mailer: any Mailer, key: ServerKey, links: Links) {
        self.mailer = mailer
        self.key = key
        self.links = links
    }

    public func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        guard let email = delivery.email, let address = try? EmailAddress(email.address) else {
            return .refused(.endpointRemoved)
        }
        let (record, item) = (delivery.record, delivery.record.notification)
        let token = UnsubscribeToken(
            user: record.userID.uuid, address: email.address, verifiedAt: email.verifiedAt, key: key
        )
        return await mailer.send(
            Email(
                recipient: address, subject: "LifeSignal: \(item.title)",
                paragraphs: [item.sentences] + paragraphs(about: delivery, to: email),
                id: record.id.description, date: item.createdAt,
                unsubscribe: links.unsubscribe(token.text(key: key))))
    }

    private func paragraphs(
        about delivery: LeasedDelivery, to email: ConfirmedEmail
    ) -> [String] {
        let item = delivery.record.notification
        var paragraphs: [String] = []
        if let link = links.pages.page(for: delivery) {
            let isAsking = [.alertBegin, .alertRepeat, .alertUntaken, .drill]
                .contains(delivery.purpose)
            let words = isAsking ? "Answer" : "See the alert"
            paragraphs.append("\(words) without signing in: \(link.absoluteString)")
        }
        // Somebody who adds an address of their own must not end the owner's sessions by it.
        if let session = item.sessionID,
            EmailRules.maySendSessionLink(confirmedAt: email.verifiedAt, at: item.createdAt),
            let link = links.pages.session(delivery.record.userID, session)
        {
            paragraphs.append("End its session without signing in: \(link.absoluteString)")
        }
        if !delivery.isGuest { paragraphs.append("Open LifeSignal: \(links.app.absoluteString)") }
        return paragraphs
    }
}
