import Domain
import Foundation
import Persistence

public struct TextMessage: Sendable, Equatable {
    public var recipient: PhoneNumber
    public var text: String
    /// How long the provider should try to deliver the message.
    public var validity: Duration
    /// The message's row; nil if its delivery isn't tracked, as for a sign-in code.
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
            text: NotificationText.signInCode(code),
            validity: SignInRules.codeLifetime
        )
    }
}

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

    /// - Parameter takesAnswers: whether people can reply by SMS.
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
        let words = TextLength.withPlainQuotes("LifeSignal: \(item.sentences)")
        // Truncates only the words, never the link or the words about how to answer.
        var text = TextLength.cut(words, toParts: TextLength.mostParts)
        if let link = links.page(for: delivery) {
            let whole = "\(text) \(link.absoluteString)"
            // Account holders see the end of an alert in the app, so they don't need the link.
            let isNeeded = delivery.isGuest || delivery.purpose != .alertEnd
            let isFree = TextLength.parts(of: whole) <= TextLength.parts(of: text)
            if isNeeded || isFree { text = whole }
        } else if delivery.purpose == .drill, !delivery.isGuest,
            !takesAnswers || delivery.isAnswerAboutAlert
        {
            text = TextLength.adding(TextChoice.byApp, to: text)
        }
        let isOwn = delivery.alertOwner == nil || delivery.alertOwner == record.userID
        if takesAnswers,
            let choice = TextChoice.words(
                for: item, delivery.purpose, isOwn: isOwn,
                isAnswerAboutAlert: delivery.isAnswerAboutAlert)
        {
            // An alarm always explains the answers, even if that costs one more part.
            let isAlarm = [.alertBegin, .alertRepeat, .alertUntaken].contains(delivery.purpose)
            text = TextLength.adding(
                choice, to: text,
                upTo: isAlarm ? TextLength.mostParts : TextLength.partsWithChoice)
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
}

/// Reports recipients that the provider calls unsubscribed, because they wrote STOP.
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

/// The response to an incoming text message, as TwiML.
public enum TextScript {
    public static func reply(_ text: String?) -> String {
        TwiML.document(text.map { "<Message>\(TwiML.escaped($0))</Message>" } ?? "")
    }
}
