import Domain
import Foundation
import Persistence

/// A short text message.
public struct TextMessage: Sendable, Equatable {
    public var recipient: PhoneNumber
    public var text: String
    /// After this the provider need not bring it any more.
    public var validity: Duration
    /// The row that it belongs to; nil if nobody asks whether it arrived, as for a sign-in code.
    public var origin: MessageOrigin?

    public init(
        recipient: PhoneNumber, text: String, validity: Duration, origin: MessageOrigin? = nil
    ) {
        self.recipient = recipient
        self.text = text
        self.validity = validity
        self.origin = origin
    }

    public static func signInCode(_ code: String, for number: PhoneNumber) -> TextMessage {
        TextMessage(
            recipient: number,
            text: "\(code) is your LifeSignal code. It is valid for 5 minutes. Don't share it.",
            validity: SignInRules.codeLifetime
        )
    }
}

/// A carrier of text messages.
public protocol SMSProvider: Sendable {
    func send(_ message: TextMessage) async -> DeliveryResult
}

/// Prints messages in the terminal, for development.
public struct ConsoleSMSProvider: SMSProvider {
    private let print: @Sendable (String) -> Void

    public init(print: @escaping @Sendable (String) -> Void) { self.print = print }

    public func send(_ message: TextMessage) async -> DeliveryResult {
        print("SMS to \(message.recipient): \(message.text)")
        return .accepted(providerID: nil)
    }
}

/// Sends notifications as text messages.
public struct SMSChannel: Channel {
    public let kind = DeliveryChannel.sms
    private let provider: any SMSProvider
    private let validity: Duration
    private let links: PageLinks
    private let takesAnswers: Bool

    /// - Parameters:
    ///   - validity: how long an alert may wait at the provider before it is of no use.
    ///   - takesAnswers: people can write back.
    ///   - links: the pages for people without an account.
    public init(
        provider: any SMSProvider, validity: Duration, takesAnswers: Bool = false,
        links: PageLinks = .none
    ) {
        self.provider = provider
        self.validity = validity
        self.takesAnswers = takesAnswers
        self.links = links
    }

    public func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        guard let number = delivery.phoneNumber else { return .refused(.recipientUnreadable) }
        let record = delivery.record
        let item = record.notification
        let link = delivery.isGuest ? links.page(for: delivery) : nil
        var text =
            "LifeSignal: \(sentence(item.title)) \(item.body)"
            + (link.map { " \($0.absoluteString)" } ?? "")
        text = TextLength.withPlainQuotes(text)
        if takesAnswers, let choice = Self.choice(of: delivery) {
            text = TextLength.adding(choice, to: text)
        }
        return await provider.send(
            TextMessage(
                recipient: number, text: text,
                validity: validity,
                origin: .delivery(
                    DeliveryOrigin(
                        user: record.userID, delivery: record.id, attempt: record.attempts)))
        )
    }

    /// A title that ends with a question mark needs no full stop.
    private func sentence(_ title: String) -> String {
        title.hasSuffix("?") ? title : "\(title)."
    }

    /// The words about how to answer; nil where there is nothing to say.
    private static func choice(of delivery: LeasedDelivery) -> String? {
        switch delivery.purpose {
        case .alertBegin, .alertRepeat:
            let isOwn = delivery.alertOwner == nil || delivery.alertOwner == delivery.record.userID
            return isOwn ? nil : "Answer 1 if you take it on, 2 if you can't."
        case .drill: return "Answer 1 to say that you got it."
        case .alertNews, .alertEnd, .reminder, .ping, .test, .other: return nil
        }
    }
}

/// Notices when a provider says that a recipient has written STOP.
public struct StopNoticingProvider: SMSProvider {
    private let provider: any SMSProvider
    private let stopped: @Sendable (PhoneNumber) async -> Void

    public init(
        _ provider: any SMSProvider, stopped: @escaping @Sendable (PhoneNumber) async -> Void
    ) {
        self.provider = provider
        self.stopped = stopped
    }

    public func send(_ message: TextMessage) async -> DeliveryResult {
        let result = await provider.send(message)
        if result.reason?.isUnsubscribed == true { await stopped(message.recipient) }
        return result
    }
}

/// TwiML for a text message.
public enum TextScript {
    /// - Parameter text: nil for no reply.
    public static func reply(_ text: String?) -> String {
        let message = text.map { "<Message>\(CallScript.escaped($0))</Message>" } ?? ""
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response>\(message)</Response>"
    }
}
