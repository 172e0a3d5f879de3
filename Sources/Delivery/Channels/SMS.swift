import Domain
import Foundation
import Persistence

/// A short text message.
public struct TextMessage: Sendable, Equatable {
    public var recipient: PhoneNumber
    public var text: String
    /// After this the provider need not bring it any more.
    public var validity: Duration

    public init(recipient: PhoneNumber, text: String, validity: Duration) {
        self.recipient = recipient
        self.text = text
        self.validity = validity
    }

    public static func signInCode(_ code: String, for number: PhoneNumber) -> TextMessage {
        TextMessage(
            recipient: number, text: "\(code) is your LifeSignal code. It is valid for 5 minutes. Give it to nobody.",
            validity: SignInRules.codeLifetime
        )
    }
}

/// Whoever carries text messages.
public protocol SMSProvider: Sendable {
    func send(_ message: TextMessage) async -> Outcome
}

/// Prints messages in the terminal, for development.
public struct ConsoleSMSProvider: SMSProvider {
    private let print: @Sendable (String) -> Void

    public init(print: @escaping @Sendable (String) -> Void) { self.print = print }

    public func send(_ message: TextMessage) async -> Outcome {
        print("SMS to \(message.recipient): \(message.text)")
        return .accepted(providerID: nil)
    }
}

/// Sends notifications as text messages.
public struct SMSChannel: Channel {
    public let kind = DeliveryChannel.sms
    private let provider: any SMSProvider
    private let validity: Duration

    /// - Parameter validity: how long an alert may wait at the provider before it is of no use.
    public init(provider: any SMSProvider, validity: Duration) {
        self.provider = provider
        self.validity = validity
    }

    public func send(_ delivery: LeasedDelivery) async -> Outcome {
        let item = delivery.record.notification
        return await provider.send(
            TextMessage(recipient: delivery.phoneNumber, text: "LifeSignal: \(item.title). \(item.body)", validity: validity)
        )
    }
}
