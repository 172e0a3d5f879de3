import Cryptography
import Domain
import Foundation
import Persistence

/// Calls people through Twilio's Calls API. During a call, Twilio requests the words from this
/// server.
public struct VoiceChannel: Channel {
    public let kind = DeliveryChannel.voice
    /// How long the phone rings. Most voicemails answer earlier.
    private static let ringing: Duration = .seconds(30)
    /// The maximum length of a call. Two sentences and a key press take less.
    private static let longest: Duration = .minutes(3)
    /// The lifetime of a call's token. Twilio may dial some time after accepting the call.
    private static let tokenLifetime: Duration = .hours(1)

    private let api: TwilioAPI
    private let caller: String
    private let callback: URL
    private let key: ServerKey
    private let health: ProviderHealth?
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - caller: the caller's number in E.164.
    ///   - callback: where Twilio asks for the words, and reports the call's status.
    ///   - health: gets the provider's answer to each call.
    public init(
        _ api: TwilioAPI, caller: String, callback: URL, key: ServerKey,
        health: ProviderHealth? = nil, now: @escaping @Sendable () -> Date
    ) {
        self.api = api
        self.caller = caller
        self.callback = callback
        self.key = key
        self.health = health
        self.now = now
    }

    public func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        guard let number = delivery.phoneNumber else { return .refused(.recipientUnreadable) }
        return Self.afterLostAnswer(await post(fields(for: delivery, number), to: number))
    }

    /// Returns the result of an attempt. If the provider may have accepted the call, the next
    /// attempt waits `Ladder.callPatience`, because the phone may be ringing.
    static func afterLostAnswer(_ result: DeliveryResult) -> DeliveryResult {
        guard case .failed(let reason, let pause, let isAboutRecipient) = result,
            reason.isUncertain
        else { return result }
        return .failed(
            reason, after: max(pause, Ladder.callPatience), isAboutRecipient: isAboutRecipient)
    }

    /// Calls a number, says the words, and hangs up. For an administrator's test.
    public func call(_ number: PhoneNumber, saying words: String) async -> DeliveryResult {
        await post([
            ("To", number.text), ("From", caller), ("Twiml", CallScript.end(words)),
            ("Timeout", String(Self.ringing.milliseconds / 1000)),
            ("TimeLimit", String(Self.longest.milliseconds / 1000)),
        ])
    }

    /// - Parameter recipient: nil for a test, whose number an administrator chooses.
    private func post(
        _ fields: [(String, String)], to recipient: PhoneNumber? = nil
    ) async -> DeliveryResult {
        let result = await api.post(fields, to: .calls)
        health?.note(result, to: recipient?.text)
        return result
    }

    func fields(for delivery: LeasedDelivery, _ number: PhoneNumber) -> [(String, String)] {
        let record = delivery.record
        let token = CallToken(
            person: record.userID.uuid, delivery: record.id.uuid, attempt: record.attempts,
            expiresAt: now().adding(Self.tokenLifetime)
        ).text(key: key)
        func url(_ step: CallStep) -> String { step.url(callback, token: token) }
        return [
            ("To", number.text), ("From", caller),
            ("Url", url(.say)), ("Method", "POST"), ("StatusCallback", url(.report)),
            ("StatusCallbackMethod", "POST"),
            ("Timeout", String(Self.ringing.milliseconds / 1000)),
            ("TimeLimit", String(Self.longest.milliseconds / 1000)),
        ]
    }
}

/// Twilio's requests to this server during a call.
public enum CallStep: String, Sendable {
    case say
    /// The person pressed a key, or the time for it ran out.
    case key
    /// The call is over.
    case report

    func url(_ callback: URL, token: String) -> String {
        callback.appending(queryItems: [
            URLQueryItem(name: "step", value: rawValue), URLQueryItem(name: "token", value: token),
        ]).absoluteString
    }

    /// Reads the step and the token from a request's URL; nil for another URL.
    public static func read(_ url: String) -> (step: CallStep, token: String)? {
        let items = URLComponents(string: url)?.queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        guard let step = value("step").flatMap(CallStep.init), let token = value("token") else {
            return nil
        }
        return (step, token)
    }
}

/// A call's script, as TwiML.
public enum CallScript {
    /// Says the text. If it has a choice, says both twice, and waits for a key.
    public static func say(_ text: CallText, callback: URL, token: String) -> String {
        guard let choice = text.choice else { return end(text.words) }
        let action = TwiML.escaped(CallStep.key.url(callback, token: token))
        let twice = [text.words, choice, text.words, choice].map(spoken).joined()
        return TwiML.document(
            """
            <Gather action="\(action)" method="POST" numDigits="1" timeout="10">\(twice)</Gather>\
            \(spoken(CallText.noKeyPressed.words))<Hangup/>
            """)
    }

    /// Says the words and hangs up.
    public static func end(_ words: String) -> String {
        TwiML.document("\(spoken(words))<Hangup/>")
    }

    /// The empty response to a report.
    public static let nothing = TwiML.document("")

    /// Returns why a finished call brought no answer; nil while the call is in progress. After a
    /// key press, the row keeps the answer.
    public static func reasonOfNoAnswer(_ fields: [String: String]) -> DeliveryReason? {
        switch fields["CallStatus"] {
        case "completed": .noKeyPressed
        case "busy": .lineBusy
        case "no-answer", "canceled": .noAnswer
        case "failed": .callFailed
        default: nil
        }
    }

    private static func spoken(_ words: String) -> String {
        "<Say language=\"en-US\">\(TwiML.escaped(words))</Say><Pause length=\"1\"/>"
    }
}
