import Domain
import Foundation
import Persistence
import Synchronization

/// Warns the operator if a provider has accepted nothing for a minute. A rejection of one
/// recipient (`DeliveryResult.isAboutRecipient`), even a temporary one, doesn't count, because the
/// provider works. A provider that rejects several recipients in a row doesn't.
public final class ProviderHealth: Sendable {
    private static let patience: Duration = .minutes(1)

    /// A trouble without a new failure for this time no longer alarms the operator. While a message
    /// waits for a retry, the provider is tried at least every 10 minutes (`DeliveryRules.pause`).
    private static let alarmMemory: Duration = .minutes(15)

    /// A provider counts as failing if it has rejected this many recipients, for now or
    /// permanently, and accepted nothing.
    private static let tooManyRejected = 3

    /// A trouble is reported a minute after its first failure, without a new failure, if there were
    /// at least this many failures and no success. A single failure may be the network's.
    private static let enoughFailures = 3

    public struct Trouble: Equatable, Sendable {
        /// The time of the first failure since the last accepted message.
        public var since: Date
        public var lastFailedAt: Date
        public var reason: DeliveryReason
        /// False if messages may have succeeded without a report.
        public var isTotal: Bool
    }

    private struct State {
        var trouble: Trouble?
        /// True once the trouble was reported.
        var isKnown = false
        /// The number of failures that aren't about a recipient, since the last accepted message.
        var failures = 0
        /// The recipients that were rejected since the last accepted message, each with the time
        /// of the last rejection.
        var rejected: [String: Date] = [:]
        /// True once a message has succeeded.
        var hasSucceeded = false

        /// Returns false if the result says nothing about the provider.
        mutating func counts(
            _ result: DeliveryResult, to recipient: String?, at now: Date
        ) -> Bool {
            guard result.isAboutRecipient else { return true }
            guard let recipient else { return false }
            if rejected.count < ProviderHealth.tooManyRejected || rejected[recipient] != nil {
                rejected[recipient] = now
            }
            return rejected.count >= ProviderHealth.tooManyRejected
        }

        /// True if the trouble has lasted a minute.
        func hasLasted(at now: Date) -> Bool {
            guard !isKnown, let trouble else { return isKnown }
            let isEnough =
                failures >= ProviderHealth.enoughFailures
                || rejected.count >= ProviderHealth.tooManyRejected
            return isEnough && now.since(trouble.since) >= ProviderHealth.patience
        }

        /// Forgets old rejections, and the trouble after them if no success may ever end it.
        mutating func forget(at now: Date, after memory: Duration?) {
            guard let memory else { return }
            rejected = rejected.filter { now.since($0.value) < memory }
            guard !hasSucceeded, let trouble, now.since(trouble.lastFailedAt) >= memory
            else { return }
            (self.trouble, isKnown, failures) = (nil, false, 0)
        }
    }

    private let name: String
    private let success: String
    private let memory: Duration?
    private let now: @Sendable () -> Date
    private let report: @Sendable (Trouble?) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: the kind of messages, for the warning.
    ///   - success: the verb of the warning "nothing was …", such as "accepted".
    ///   - memory: how long a rejection counts if the provider may report no success; nil to count
    ///     rejections until the next success.
    ///   - report: called when a trouble has lasted a minute, and with nil at its end.
    public init(
        name: String = "text messages", success: String = "accepted",
        memory: Duration? = nil, now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (Trouble?) -> Void = { _ in }
    ) {
        self.name = name
        self.success = success
        self.memory = memory
        self.now = now
        self.report = report
    }

    /// The trouble, once it has lasted a minute.
    private var trouble: Trouble? {
        let now = now()
        return state.withLock { state in
            state.forget(at: now, after: memory)
            return state.hasLasted(at: now) ? state.trouble : nil
        }
    }

    /// True if the trouble is recent. Otherwise the provider may work again, and the next message
    /// will tell, which a small server may send only after days.
    public var isFailing: Bool { trouble.map(isRecent) ?? false }

    /// True from the first failure of the provider, while the trouble is recent. The provider may
    /// then reject everything, so a rejection says nothing about its recipient.
    var isDoubtful: Bool { state.withLock { $0.trouble }.map(isRecent) ?? false }

    /// The trouble in words, also if it isn't recent.
    public var warning: String? {
        trouble.map { trouble in
            let last =
                isRecent(trouble) ? "" : ", last failed at \(Timestamp.text(trouble.lastFailedAt))"
            let since = Timestamp.text(trouble.since)
            let what = trouble.isTotal ? "nothing was \(success)" : "several were lost"
            return "\(name): \(what) since \(since)\(last) (\(trouble.reason))"
        }
    }

    private func isRecent(_ trouble: Trouble) -> Bool {
        now().since(trouble.lastFailedAt) < Self.alarmMemory
    }

    /// - Parameter recipient: the recipient, whose rejection counts; nil to ignore rejections.
    func note(_ result: DeliveryResult, to recipient: String? = nil) {
        let now = now()
        let news = state.withLock { state -> Trouble?? in
            state.forget(at: now, after: memory)
            guard state.counts(result, to: recipient, at: now) else { return nil }
            guard let reason = result.reason else {
                defer { state = State(hasSucceeded: true) }
                return state.isKnown ? .some(nil) : nil
            }
            if !result.isAboutRecipient { state.failures += 1 }
            let since = state.trouble?.since ?? now
            let trouble = Trouble(
                since: since, lastFailedAt: now, reason: reason,
                isTotal: memory == nil || state.hasSucceeded)
            state.trouble = trouble
            guard !state.isKnown, now.since(since) >= Self.patience else { return nil }
            state.isKnown = true
            return .some(trouble)
        }
        if let news { report(news) }
    }

    /// Reports a trouble that has lasted a minute without another message. Called regularly.
    public func look() {
        let now = now()
        let news = state.withLock { state -> Trouble? in
            state.forget(at: now, after: memory)
            guard !state.isKnown, state.hasLasted(at: now) else { return nil }
            state.isKnown = true
            return state.trouble
        }
        if let news { report(news) }
    }
}

extension ProviderHealth {
    /// Twilio's errors about one phone: blocked, unreachable, unknown, a landline, or STOP
    /// (twilio.com/docs/api/errors). Phones of several people may be off, so these don't count.
    private static let phonesReasons: Set<DeliveryReason> = [
        .twilio(30_003), .twilio(30_004), .twilio(30_005), .twilio(30_006), .twilio(21_610),
    ]

    /// Notes a report about a message that the provider had accepted. A carrier may drop all
    /// messages of a sender that it doesn't know, so failures to several people count.
    /// - Parameter person: the recipient; nil to ignore a failure, as of a code.
    public func note(_ report: ProviderReport, about person: UserID?) {
        switch report.state {
        case .seen: note(.accepted(providerID: nil))
        case .failed:
            let reason = report.reason ?? .other
            guard !Self.phonesReasons.contains(reason) else { return }
            note(.refused(reason), to: person?.description)
        default: break
        }
    }
}

extension ProviderHealth {
    /// Notes a failure that may be about one endpoint. It counts once several people met one.
    func note(_ reason: DeliveryReason, ofOneOfSeveral person: UserID?) {
        note(.failed(reason, isAboutRecipient: true), to: person?.description)
    }
}

/// The health of the large browsers' push services. Other services don't count, because anyone can
/// register an endpoint at a service of their own and let it fail.
public struct BrowserPushHealth: Sendable {
    private static let names = [
        "fcm.googleapis.com": "Google", "push.services.mozilla.com": "Mozilla",
        "push.apple.com": "Apple", "notify.windows.com": "Microsoft",
    ]

    /// The health of each service by the end of its host names.
    private let byDomain: [String: ProviderHealth]

    /// - Parameter report: called with a service's name when its trouble has lasted a minute, and
    ///   with nil at the trouble's end.
    public init(
        now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (String, ProviderHealth.Trouble?) -> Void = { _, _ in }
    ) {
        byDomain = Self.names.mapValues { owner in
            ProviderHealth(name: "messages to browsers by \(owner)", now: now) {
                report("\(owner)'s push service for browsers", $0)
            }
        }
    }

    public var services: [ProviderHealth] { Array(byDomain.values) }

    /// Whether a large browser's company runs this host.
    func includes(_ host: String?) -> Bool { health(of: host) != nil }

    private func health(of host: String?) -> ProviderHealth? {
        guard let host = host?.lowercased() else { return nil }
        return byDomain.first { host == $0.key || host.hasSuffix(".\($0.key)") }?.value
    }

    /// Notes a success, or a failure that the service or this server may have caused. A user can
    /// make a subscription that a service refuses, so even rejected credentials count only if
    /// several people met them.
    func note(_ result: DeliveryResult, from host: String?, to person: UserID) {
        guard let health = health(of: host) else { return }
        guard let reason = result.reason else { return health.note(result) }
        guard case .failed = result, reason.mayConcernOperator || reason.isServerError
        else { return }
        health.note(reason, ofOneOfSeveral: person)
    }
}

/// Passes each result to `ProviderHealth`.
public struct ObservedProvider: SMSProvider {
    private let provider: any SMSProvider
    private let health: ProviderHealth

    public init(_ provider: any SMSProvider, health: ProviderHealth) {
        self.provider = provider
        self.health = health
    }

    public func send(_ message: TextMessage) async -> DeliveryResult {
        let result = await provider.send(message)
        health.note(result, to: Self.recipient(of: message, after: result))
        return result
    }

    /// Returns nil for a recipient who wrote STOP, and for codes, invitations and notices, which
    /// anyone can have sent to numbers that don't exist.
    private static func recipient(
        of message: TextMessage, after result: DeliveryResult
    ) -> String? {
        guard case .delivery? = message.origin, result.reason?.isUnsubscribed != true else {
            return nil
        }
        return message.recipient.text
    }
}

/// Passes each result to `ProviderHealth`. While the server accepts nothing, the message to a
/// mailbox that doesn't exist, as the server says, is retried like others.
public struct ObservedMailer: Mailer {
    private let mailer: any Mailer
    private let health: ProviderHealth

    public init(_ mailer: any Mailer, health: ProviderHealth) {
        self.mailer = mailer
        self.health = health
    }

    public func send(_ email: Email) async -> DeliveryResult {
        let result = await mailer.send(email)
        health.note(result, to: email.recipient.text)
        guard case .gone(let reason) = result, health.isDoubtful else { return result }
        return .failed(reason, isAboutRecipient: true)
    }
}
