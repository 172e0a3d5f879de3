import Cryptography
import Delivery
import Domain
import Foundation
import HTTPClient
import HTTPServer
import Logging
import SafetyNetwork
import WebText

/// Makes this server's calls, and answers Twilio's requests during them.
struct CallCarrier: Sendable {
    let channel: VoiceChannel
    let health: ProviderHealth
    private let authToken: String
    private let callback: URL
    private let network: SafetyNetwork

    /// Returns nil if no provider of calls is configured.
    init?(
        _ settings: ServeSettings, _ network: SafetyNetwork, key: ServerKey,
        now: @escaping @Sendable () -> Date, logger: Logger
    ) {
        guard let voice = settings.reach.voice else { return nil }
        callback = settings.publicURL.appendingPathComponent(TwilioCallbackPath.calls)
        authToken = voice.account.authToken
        self.network = network
        health = ProviderHealth(
            name: "calls", of: "the provider of calls", now: now, logger: logger)
        channel = VoiceChannel(
            TwilioAPI(
                voice.account,
                client: HTTPClient(allowsPrivateAddresses: true, proxy: settings.outboundProxy)),
            caller: voice.caller, callback: callback, key: key, health: health, now: now)
    }

    /// Returns TwiML; nil for a request without Twilio's signature, or about an unknown call.
    /// - Parameter tell: called for an accepted call that couldn't be made.
    func answer(
        _ url: String, _ signature: String, _ form: Data,
        tell: @Sendable (DeliveryReport) -> Void
    ) async throws -> String? {
        let fields = FormFields.decode(form)
        guard TwilioCallback.isSigned(signature, url: url, fields: fields, authToken: authToken),
            let (step, token) = CallStep.read(url)
        else { return nil }
        let values = FormFields.values(fields)
        switch step {
        case .say: return script(for: try await network.calls.call(token), token)
        case .key: return try await key(values["Digits"] ?? "", token)
        case .report:
            if let reason = CallScript.reasonOfNoAnswer(values) {
                // Twilio repeats a report whose answer it has missed.
                let isFirst = try await network.calls.enterUnansweredCall(reason, token)
                if isFirst, reason == .callFailed {
                    tell(DeliveryReport(channel: .voice, state: .failed, reason: reason))
                }
            }
            return CallScript.nothing
        }
    }

    private func key(_ digits: String, _ token: String) async throws -> String {
        switch digits {
        case "1":
            return switch try await network.calls.takeOn(byCall: token) {
            case .isYours(let name): say(.takenOn(name: name), token)
            case let other: script(for: other, token)
            }
        case "2":
            let subject = try await network.calls.call(token)
            guard subject.takesKeyTwo else { return script(for: subject, token) }
            return script(for: try await network.calls.decline(byCall: token), token)
        default: return script(for: try await network.calls.call(token), token)
        }
    }

    private func script(for subject: CallSubject, _ token: String) -> String {
        say(CallText(subject), token)
    }

    private func say(_ text: CallText, _ token: String) -> String {
        CallScript.say(text, callback: callback, token: token)
    }
}
