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
            case .isYours(let name):
                CallScript.end("Thank you. You have taken it on. \(name) will be told. Goodbye.")
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
        switch subject {
        case .needsHelp(let name, let kind, let since, let received):
            CallScript.ask(
                CallScript.needsHelp(name: name, kind, since: since, received: received),
                callback: callback, token: token)
        case .isYours(let name):
            CallScript.end("You have taken on the alert of \(name). Goodbye.")
        case .isTaken(let name):
            CallScript.end("Somebody else has taken on the alert of \(name). Goodbye.")
        case .drill(let name):
            CallScript.ask(
                CallScript.drill(name: name), choice: CallScript.choiceInDrill, callback: callback,
                token: token)
        case .isConfirmed: CallScript.end("Thank you. The drill has reached you. Goodbye.")
        case .drillIsOver: CallScript.end("This is LifeSignal. The drill is over. Goodbye.")
        case .lastCall(let minutes):
            CallScript.ask(
                CallScript.lastCall(minutes: minutes), choice: CallScript.choiceInLastCall,
                callback: callback, token: token)
        case .isCheckedIn:
            CallScript.end("This is LifeSignal. You have checked in. Thank you. Goodbye.")
        case .nothingIsDue:
            CallScript.end("This is LifeSignal. Your deadline has changed. Goodbye.")
        case .ownAlert(let responders): CallScript.end(CallScript.ownAlert(responders))
        case .isOver: CallScript.end("This is LifeSignal. This alert has ended. Goodbye.")
        case .isDeclined(.others):
            CallScript.end("Thank you. We are asking someone else. Goodbye.")
        case .isDeclined(.noOneIsLeft):
            CallScript.end("Thank you. No one else is left to ask. Goodbye.")
        case .isDeclined(.noOneNow): CallScript.end("Thank you. Goodbye.")
        case .isNotCounted:
            CallScript.end("\(AlertWords.answerIgnored) Goodbye.")
        }
    }
}
