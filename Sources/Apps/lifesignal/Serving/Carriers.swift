import Cryptography
import Delivery
import Domain
import Foundation
import HTTPClient
import HTTPServer
import Logging
import SafetyNetwork

/// The channels of this server: text messages, e-mail, calls, apps, browsers and webhooks.
struct Carriers: Sendable {
    let sms: SMSCarrier
    let calls: CallCarrier?
    private let mail: MailCarrier
    private let apps: AppChannels
    private let browsers: BrowserPushHealth
    private let settings: ServeSettings
    private let key: ServerKey
    private let network: SafetyNetwork
    private let now: @Sendable () -> Date

    /// The carriers that the commands use directly, without the delivery queue.
    struct Direct: Sendable {
        fileprivate let sms: SMSCarrier
        fileprivate let mail: MailCarrier
        /// The messages under way.
        let messages: DirectMessages
        private let publicURL: URL

        /// - Parameter printer: shows the messages of a server without a provider.
        init(
            _ settings: ServeSettings, now: @escaping @Sendable () -> Date, logger: Logger,
            printer: @escaping @Sendable (String) -> Void = { Terminal.printLine($0) }
        ) {
            let messages = DirectMessages()
            self.messages = messages
            sms = SMSCarrier(settings, messages, now: now, logger: logger, printer: printer)
            mail = MailCarrier(
                settings.reach.mail, messages, now: now, logger: logger, printer: printer)
            publicURL = settings.publicURL
        }

        var hasSMS: Bool { sms.provider != nil }

        /// Sends a text message, with retries, and waits for the provider's last answer. Returns
        /// why the provider hasn't accepted the message; nil if it has, and without a provider.
        func send(_ text: String, to number: PhoneNumber) async -> DeliveryReason? {
            await sms.deliver(text, to: number)?.reason
        }

        func environment() -> SafetyNetwork.Environment {
            var environment = SafetyNetwork.Environment(sendCode: sms.sendCode)
            environment.sendText = sms.sendText
            environment.sendMail = mail.sendMail
            environment.sendEmailCode = mail.sendCode
            environment.sendInvitation = { message, fail in
                switch message {
                case .text(let number, let text, let id):
                    sms.sendInvitation(to: number, text, id, fail: fail)
                case .mail(let address, let subject, let paragraphs, let refusal):
                    mail.sendInvitation(
                        to: address, subject: subject, paragraphs: paragraphs,
                        refusal: UnsubscribePath.url(publicURL, token: refusal), fail: fail)
                }
            }
            return environment
        }
    }

    init(
        _ direct: Direct, _ settings: ServeSettings, _ network: SafetyNetwork, key: ServerKey,
        now: @escaping @Sendable () -> Date, logger: Logger
    ) {
        (sms, mail) = (direct.sms, direct.mail)
        calls = CallCarrier(settings, network, key: key, now: now, logger: logger)
        apps = AppChannels(
            settings.apps, proxy: settings.outboundProxy, key: key, now: now, logger: logger)
        browsers = BrowserPushHealth(now: now) { AppChannels.log($1, $0, logger) }
        self.settings = settings
        self.key = key
        self.network = network
        self.now = now
    }

    /// Reports endpoints of apps that need new data; nil without Apple's push service.
    var apns: APNsChannel? { apps.apns }

    func addGauges(to metrics: Metrics) {
        apps.addGauges(to: metrics)
        let browsers = self.browsers
        let label = "channel=\"\(DeliveryChannel.webPush.rawValue)\""
        metrics.add(
            .init(.pushProviderFailing, labels: label) {
                browsers.services.contains(where: \.isFailing) ? 1 : 0
            })
        let gauges: [(metric: Metric, health: [ProviderHealth?])] = [
            (.providerFailing, [sms.health, sms.arrivals]), (.mailProviderFailing, [mail.health]),
            (.callProviderFailing, [calls?.health]),
        ]
        for (metric, health) in gauges {
            let known = health.compactMap(\.self)
            guard !known.isEmpty else { continue }
            metrics.add(.init(metric) { known.contains(where: \.isFailing) ? 1 : 0 })
        }
    }

    /// The troubles of providers, also those without a recent failure.
    var warnings: [String] { health.compactMap(\.warning) }

    /// The troubles of providers that fail now.
    var alarms: [String] { health.filter(\.isFailing).compactMap(\.warning) }

    /// Logs each trouble that has lasted a minute, also without another message. Called regularly.
    func look() { for provider in health { provider.look() } }

    private var health: [ProviderHealth] {
        [sms.health, sms.arrivals, mail.health, calls?.health].compactMap(\.self)
            + Array(apps.health.values) + browsers.services
    }

    // MARK: Tests by an administrator

    private static let testWords = "This is a test of LifeSignal. No one needs help."

    /// Sends one test message, and returns the provider's answer in words.
    /// - Parameter hint: what to do if no provider is set up; empty for nothing.
    func test(
        _ channel: AdminTestChannel, to recipient: String, hint: String = ""
    ) async throws -> AdminDone {
        let unsent = { (words: String) in
            AdminDone(message: hint.isEmpty ? words : "\(words) \(hint)", isRefused: true)
        }
        let attempt: @Sendable () async -> DeliveryResult
        switch channel {
        case .sms:
            guard let provider = sms.provider else {
                return unsent("This server sends no text messages.")
            }
            let number = try PhoneNumber(recipient)
            guard isShownHere(channel) || settings.testNumbers[number] == nil else {
                return AdminDone(
                    message: "\(number) is a test number: nothing is sent.", isRefused: true)
            }
            let message = TextMessage(
                recipient: number, text: Self.testWords, validity: .minutes(30))
            attempt = { await provider.send(message) }
        case .mail:
            guard let mailer = mail.mailer else {
                return unsent("This server sends no e-mail.")
            }
            let email = Email(
                recipient: try EmailAddress(recipient), subject: "A test of LifeSignal",
                paragraphs: [Self.testWords], id: UUID.random().uuidString.lowercased(),
                date: now())
            attempt = { await mailer.send(email) }
        case .call:
            guard let voice = calls?.channel else {
                return unsent("This server makes no calls.")
            }
            let number = try PhoneNumber(recipient)
            attempt = { await voice.call(number, saying: Self.testWords) }
        case .push:
            throw CommandError.unavailable("A test by push goes through the delivery queue.")
        }
        let (result, answer) = await ProviderAnswer.recorded(attempt)
        guard !isShownHere(channel) else {
            return unsent("No provider is set up: the message was only shown in the terminal.")
        }
        let said = answer.isEmpty ? "" : " It said: \(answer)"
        return AdminDone(message: Self.words(result) + said, isRefused: result.reason != nil)
    }

    /// True if these messages are only shown in the terminal.
    private func isShownHere(_ channel: AdminTestChannel) -> Bool {
        switch channel {
        case .sms: if case .console = settings.sms { true } else { false }
        case .mail: if case .console = settings.reach.mail { true } else { false }
        case .call, .push: false
        }
    }

    private static func words(_ result: DeliveryResult) -> String {
        switch result {
        case .accepted(nil): "The provider accepted the message."
        case .accepted(let id?): "The provider accepted the message as \(id)."
        case .failed(let reason, _, _):
            "The provider has not accepted the message, and a retry may succeed: \(reason)."
        case .refused(let reason), .gone(let reason), .ended(let reason, _):
            "The provider refused the message: \(reason)."
        }
    }

    // MARK: Channels

    /// Returns the channels that a loop serves; none if their provider is not configured.
    func channels(of loop: DeliveryLoop) -> [any Channel] {
        switch loop {
        case .console: [ConsoleChannel { Terminal.printLine($0) }]
        case .textMessages: [textMessages].compactMap(\.self)
        case .email:
            [
                mail.channel(
                    key: key, publicURL: settings.publicURL, pages: network.links(in: .email))
            ].compactMap(\.self)
        case .calls: [calls?.channel].compactMap(\.self)
        case .webhooks:
            [
                WebhookChannel(
                    client: client(), key: key, publicURL: settings.publicURL, now: now,
                    followKey: { [network] in try await network.keyRotation.follow() })
            ]
        case .webPush: [webPush(triesAtOnce: loop.triesAtOnce)]
        case .apns: apps.channels(of: .apns)
        case .fcm: apps.channels(of: .fcm)
        }
    }

    private var textMessages: SMSChannel? {
        guard let provider = sms.provider else { return nil }
        let noticing = StopNoticingProvider(provider) { [network] number in
            // After an error, the provider reports the STOP with the next message to the number.
            try? await network.textAnswers.stopTexts(to: number)
        }
        return SMSChannel(
            provider: noticing, validity: settings.smsValidity,
            takesAnswers: settings.smsAnswers != nil, links: network.links(in: .sms))
    }

    private func webPush(triesAtOnce: Int) -> WebPushChannel {
        let sender = WebPushChannel.Sender(
            contact: settings.pushContact, allowsPlainHTTP: !settings.webhookNetworks.isEmpty
        ) { [network] in network.pushKey.privateKey }
        let proxied = settings.outboundProxy.map {
            HTTPClient(allowsPrivateAddresses: true, connections: triesAtOnce, proxy: $0)
        }
        return WebPushChannel(
            client: client(connections: triesAtOnce), proxied: proxied, key: key, sender: sender,
            health: browsers, limit: triesAtOnce, now: now)
    }

    private func client(connections: Int? = nil) -> HTTPClient {
        let networks = settings.webhookNetworks
        let allowed: AllowedAddresses =
            networks.isEmpty
            ? .publicOnly : .publicAnd { address in networks.contains { $0.contains(address) } }
        guard let connections else { return HTTPClient(allowed: allowed) }
        return HTTPClient(allowed: allowed, connections: connections)
    }
}

/// The background loops that deliver. Each provider has a separate loop, so that no provider waits
/// for another. The raw values appear in the log and in health responses.
enum DeliveryLoop: String, CaseIterable {
    case console
    case textMessages = "text messages"
    case email = "e-mail"
    case calls, webhooks
    case webPush = "Web Push"
    case apns = "apps by apns"
    case fcm = "apps by fcm"

    var triesAtOnce: Int {
        switch self {
        // One push service that hangs may occupy a quarter of these tries.
        case .webPush: 1_024
        case .apns, .fcm: AppChannels.triesAtOnce
        default: 128
        }
    }
}

extension ProviderHealth {
    /// Logs when a trouble has lasted a minute, and its end.
    /// - Parameter provider: the provider's name in the log.
    convenience init(
        name: String, of provider: String, now: @escaping @Sendable () -> Date, logger: Logger
    ) {
        self.init(name: name, now: now) { trouble in
            guard let trouble else { return logger.notice("\(provider) accepts messages again") }
            logger.error(
                "\(provider) has accepted nothing for a minute",
                metadata: ["reason": "\(trouble.reason)"])
        }
    }
}
