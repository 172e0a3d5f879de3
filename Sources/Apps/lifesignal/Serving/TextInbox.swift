import Delivery
import Domain
import Foundation
import HTTPServer
import SafetyNetwork
import Settings
import WebText

struct TextInbox: Sendable {
    /// The limit per number and minute, for answers and for unclear messages each. STOP is exempt.
    private static let limit = 10
    /// The maximum number of STARTs per number and day. Each START makes another STOP possible, and
    /// each STOP notifies the people who rely on the sender.
    private static let startLimit = 3

    private let network: SafetyNetwork
    private let authToken: String?
    private let secret: String?
    private let phoneNumbers: PhoneNumberCheck
    private let report: @Sendable (Unreadable) -> Void
    private let reply: @Sendable (PhoneNumber, String) -> Void
    private let answerLimiter = RateLimiter<PhoneNumber>(perMinute: limit, burst: limit)
    /// Separate, because many questions must not keep out the answer to an alert.
    private let unclearLimiter = RateLimiter<PhoneNumber>(perMinute: limit, burst: limit)
    private let startLimiter = RateLimiter<PhoneNumber>(perDay: startLimit)

    enum Unreadable: String, Sendable { case sender }

    /// Returns nil if the server accepts no text messages.
    /// - Parameter report: called for a message whose sender is not a phone number.
    init?(
        _ settings: ServeSettings, _ network: SafetyNetwork, _ carrier: SMSCarrier,
        _ phoneNumbers: PhoneNumberCheck, report: @escaping @Sendable (Unreadable) -> Void
    ) {
        guard let answers = settings.smsAnswers else { return nil }
        self.network = network
        self.phoneNumbers = phoneNumbers
        self.report = report
        reply = carrier.sendReply
        switch answers {
        case .twilio(let account): (authToken, secret) = (account.authToken, nil)
        case .gateway(let secret): (authToken, self.secret) = (nil, secret)
        }
    }

    /// Answers Twilio in TwiML, or returns nil for a request without its signature.
    var twilio: (@Sendable (String, String, Data) async throws -> String?)? {
        guard let authToken else { return nil }
        return { [self] url, signature, form in
            let fields = FormFields.decode(form)
            guard TwilioCallback.isSigned(signature, url: url, fields: fields, authToken: authToken)
            else { return nil }
            let values = FormFields.values(fields)
            let number = number(values["From"] ?? "")
            let text = Self.text(values["Body"] ?? "", optOut: values["OptOutType"])
            return TextScript.reply(
                try await answer(text, from: number, id: values["MessageSid"]))
        }
    }

    /// Returns the text. If Twilio's "Advanced Opt-Out" has recognised it in another language,
    /// returns STOP or START instead. Twilio can count "yes" as START. It is still an answer.
    private static func text(_ text: String, optOut: String?) -> String {
        switch optOut {
        case "STOP": "STOP"
        case "START" where TextAnswer(text) == .unclear: "START"
        default: text
        }
    }

    /// Receives messages from the SMS gateway; nil if no gateway is configured.
    var gateway: TextReceiver? {
        guard let secret else { return nil }
        return TextReceiver(secret: secret) { [self] sender, text, id in
            guard let number = number(sender),
                let answer = try await answer(text, from: number, id: id)
            else { return }
            reply(number, answer)
        }
    }

    private func answer(
        _ text: String, from number: PhoneNumber?, id: String?
    ) async throws -> String? {
        guard let number else { return nil }
        let kind = TextAnswer(text)
        let limiter = kind == .unclear ? unclearLimiter : answerLimiter
        if kind != .stops, (try? limiter.take(number)) == nil { return nil }
        if kind == .starts, (try? startLimiter.take(number)) == nil { return nil }
        return try await network.textAnswers.receiveText(
            text, from: number, id: id?.isEmpty == true ? nil : id)
    }

    private func number(_ text: String) -> PhoneNumber? {
        let number = phoneNumbers.sender(text)
        if number == nil { report(.sender) }
        return number
    }
}

/// The source of text messages from people.
enum SMSAnswers: Sendable {
    case twilio(TwilioAccount)
    case gateway(secret: String)

    /// The minimum length of the secret, in characters.
    private static let shortestSecret = 16

    init(_ sms: SMSSettings, _ environment: SettingValues, hasPublicURL: Bool) throws {
        switch sms {
        case .twilio(let account, _):
            guard hasPublicURL else {
                throw Failure(
                    "--sms-answers needs --public-url, because Twilio sends the answers there.")
            }
            self = .twilio(account)
        case .gateway:
            let name = "LIFESIGNAL_SMS_ANSWERS_SECRET"
            guard let secret = try Secrets.text(name, environment),
                secret.count >= Self.shortestSecret
            else {
                throw Failure(
                    """
                    --sms-answers needs \(name), or \(name)_FILE, with \
                    \(Self.shortestSecret) characters or more.
                    """)
            }
            self = .gateway(secret: secret)
        case .console, .none: throw Failure("--sms-answers needs --sms twilio or --sms gateway.")
        }
    }
}
