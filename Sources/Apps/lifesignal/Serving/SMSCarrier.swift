import Delivery
import Domain
import Foundation
import HTTPClient
import HTTPServer
import Logging
import Persistence
import SafetyNetwork
import WebText

/// Sends this server's text messages: sign-in codes directly, notifications through the
/// delivery queue.
struct SMSCarrier: Sendable {
    private static let triesPerCode = 3

    let provider: (any SMSProvider)?
    /// The provider's health; nil if messages are only printed or not sent.
    let health: ProviderHealth?
    /// Whether accepted messages arrive; nil if the provider sends no reports.
    let arrivals: ProviderHealth?
    private let authToken: String?
    private let messages: DirectMessages
    private let logger: Logger
    private let logLimit = LogLimit()

    /// - Parameters:
    ///   - messages: what is sent without the delivery queue.
    ///   - printer: shows the messages of a server without a provider.
    init(
        _ settings: ServeSettings, _ messages: DirectMessages,
        now: @escaping @Sendable () -> Date, logger: Logger,
        printer: @escaping @Sendable (String) -> Void
    ) {
        self.messages = messages
        self.logger = logger
        switch settings.sms {
        case .none:
            provider = nil
            health = nil
            arrivals = nil
            authToken = nil
        case .console:
            provider = ConsoleSMSProvider(print: printer)
            health = nil
            arrivals = nil
            authToken = nil
        case .twilio(let account, let sender):
            // Twilio's callback needs a public URL.
            let callback =
                settings.isPublicURLGiven
                ? settings.publicURL.appendingPathComponent(TwilioCallbackPath.path) : nil
            let twilio = TwilioProvider(
                TwilioAPI(
                    account,
                    client: HTTPClient(
                        allowsPrivateAddresses: true, proxy: settings.outboundProxy)),
                sender: sender, statusCallback: callback)
            (provider, health) = Self.observe(twilio, settings, now: now, logger)
            arrivals = callback.map { _ in Self.watchArrivals(now: now, logger) }
            authToken = account.authToken
        case .gateway(let gateway, let sender, let secret):
            (provider, health) = Self.observe(
                GatewayProvider(
                    gateway, sender: sender, secret: secret,
                    client: HTTPClient(
                        allowsPrivateAddresses: true, proxy: settings.outboundProxy)),
                settings, now: now, logger)
            arrivals = nil
            authToken = nil
        }
    }

    private static func observe(
        _ provider: any SMSProvider, _ settings: ServeSettings,
        now: @escaping @Sendable () -> Date, _ logger: Logger
    ) -> (any SMSProvider, ProviderHealth) {
        let health = ProviderHealth(
            name: "text messages", of: "the SMS provider", now: now, logger: logger)
        let observed = ObservedProvider(provider, health: health)
        return (
            SparingProvider(provider: observed, spared: Set(settings.testNumbers.keys)), health
        )
    }

    private static func watchArrivals(
        now: @escaping @Sendable () -> Date, _ logger: Logger
    ) -> ProviderHealth {
        // Some carriers send no receipts.
        ProviderHealth(
            name: "accepted text messages", success: "delivered", memory: .hours(1), now: now
        ) { trouble in
            guard let trouble else { return logger.notice("text messages arrive again") }
            let lost = trouble.isTotal ? "delivers none" : "several were lost"
            logger.error(
                "the SMS provider accepts messages, but \(lost)",
                metadata: ["reason": "\(trouble.reason)"])
        }
    }

    /// Sends a code in the background. Bypasses the delivery queue, because codes are never stored.
    var sendCode: @Sendable (PhoneNumber, String) -> Void {
        { number, code in send(.signInCode(code, for: number), as: "a sign-in code") }
    }

    /// Sends a text in the background, even to a number without an account. Bypasses the delivery
    /// queue, because the queue's rows belong to users.
    var sendText: @Sendable (PhoneNumber, String) -> Void {
        { number, text in
            send(
                TextMessage(recipient: number, text: text, validity: Self.textValidity),
                as: "a notice to a number")
        }
    }

    /// Sends an invitation in the background, at most once. The recipient may be a person without
    /// an account.
    func sendInvitation(
        to number: PhoneNumber, _ text: String, _ id: InvitationMessageID,
        fail: @escaping @Sendable () async -> Void
    ) {
        send(
            TextMessage(
                recipient: number, text: text, validity: Self.textValidity,
                origin: .invitation(id)),
            as: "an invitation", onceAtMost: true, fail: fail)
    }

    var sendReply: @Sendable (PhoneNumber, String) -> Void {
        { number, text in
            send(
                TextMessage(recipient: number, text: text, validity: Self.textValidity),
                as: "a reply")
        }
    }

    private static let textValidity: Duration = .hours(24)

    /// - Parameters:
    ///   - onceAtMost: whether to omit the retry if the provider may have accepted the message.
    ///   - fail: runs if the provider did not accept the message, after the last retry.
    private func send(
        _ message: TextMessage, as name: String, onceAtMost: Bool = false,
        fail: @escaping @Sendable () async -> Void = {}
    ) {
        guard let provider else {
            return logger.log(
                level: .warning, "there is no SMS provider for \(name)", as: "none for \(name)",
                within: logLimit)
        }
        messages.send { [self] in
            switch await deliver(message, by: provider, as: name, onceAtMost: onceAtMost) {
            case .accepted: true
            case .failed(let reason, _, _): onceAtMost && reason.isUncertain
            case .refused, .gone, .ended: false
            }
        } orElse: {
            await fail()
        }
    }

    /// Sends a text, and waits for it. Returns the provider's last answer; nil without a provider.
    func deliver(_ text: String, to number: PhoneNumber) async -> DeliveryResult? {
        guard let provider else { return nil }
        return await deliver(
            TextMessage(recipient: number, text: text, validity: Self.textValidity),
            by: provider, as: "a notice to a number")
    }

    /// Sends a message, and repeats it after a failure. Returns the last answer. The cancellation
    /// of the task ends the repeats.
    private func deliver(
        _ message: TextMessage, by provider: any SMSProvider, as name: String,
        onceAtMost: Bool = false
    ) async -> DeliveryResult {
        var attempt = 1
        while true {
            let answer = await provider.send(message)
            switch answer {
            case .accepted: return answer
            case .refused(let reason), .gone(let reason), .ended(let reason, _):
                logger.log(
                    level: .error, "the SMS provider refused \(name)",
                    metadata: ["reason": "\(reason)"], as: "refused \(name) \(reason)",
                    within: logLimit)
                return answer
            case .failed(let reason, _, _):
                logger.log(
                    level: .warning, "\(name) could not be sent",
                    metadata: ["attempt": "\(attempt)", "reason": "\(reason)"],
                    as: "failed \(name) \(reason)", within: logLimit)
                if onceAtMost, reason.isUncertain { return answer }
            }
            guard attempt < Self.triesPerCode else { return answer }
            do {
                try await Task.sleep(for: DeliveryRules.pause(afterAttempt: attempt, jitter: 0))
            } catch {
                return answer
            }
            attempt += 1
        }
    }

    /// Returns the receiver of the provider's reports; nil if the provider sends none.
    /// - Parameter tell: called for each accepted message that has failed later.
    func reportReceiver(
        for network: SafetyNetwork, tell: @escaping @Sendable (DeliveryReport) -> Void
    ) -> (@Sendable (String, String, Data) async throws -> Bool)? {
        guard let authToken else { return nil }
        return { [arrivals] url, signature, form in
            let fields = FormFields.decode(form)
            guard TwilioCallback.isSigned(signature, url: url, fields: fields, authToken: authToken)
            else { return false }
            let values = FormFields.values(fields)
            guard let report = TwilioCallback.report(values) else { return true }
            let origin = MessageOrigin(url: url)
            let isNew = try await network.providerReports.enter(report, about: origin)
            guard isNew || report.state == .seen else { return true }
            arrivals?.note(report, about: origin?.person)
            if report.state == .failed {
                tell(DeliveryReport(channel: .sms, state: .failed, reason: report.reason))
            }
            return true
        }
    }
}

extension MessageOrigin {
    /// nil for an invitation, whose number its sender has typed.
    fileprivate var person: UserID? {
        if case .delivery(let origin) = self { origin.user } else { nil }
    }
}

/// Drops messages to test numbers: no person has these numbers, and each message costs money.
private struct SparingProvider: SMSProvider {
    let provider: any SMSProvider
    let spared: Set<PhoneNumber>

    func send(_ message: TextMessage) async -> DeliveryResult {
        spared.contains(message.recipient)
            ? .accepted(providerID: nil) : await provider.send(message)
    }
}
