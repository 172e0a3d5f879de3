import Domain
import Foundation
import Synchronization

/// Warns the operator if a provider has accepted nothing for a minute. A rejection of one
/// recipient (`DeliveryResult.isAboutRecipient`), even a temporary one, doesn't count, because the
/// provider works.
public final class ProviderHealth: Sendable {
    private static let patience: Duration = .minutes(1)

    public struct Trouble: Equatable, Sendable {
        /// The time of the first failure since the last accepted message.
        public var since: Date
        public var reason: DeliveryReason
    }

    private struct State {
        var trouble: Trouble?
        var isKnown = false
    }

    private let name: String
    private let now: @Sendable () -> Date
    private let report: @Sendable (Trouble?) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: the kind of messages, for the warning.
    ///   - report: called when a trouble has lasted a minute, and with nil at its end.
    public init(
        name: String = "text messages", now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (Trouble?) -> Void = { _ in }
    ) {
        self.name = name
        self.now = now
        self.report = report
    }

    /// The trouble, once it has lasted a minute.
    public var trouble: Trouble? { state.withLock { $0.isKnown ? $0.trouble : nil } }

    public var warning: String? {
        trouble.map {
            "\(name): nothing was accepted since \(Timestamp.text($0.since)) (\($0.reason))"
        }
    }

    func note(_ result: DeliveryResult) {
        guard !result.isAboutRecipient else { return }
        let now = now()
        let news = state.withLock { state -> Trouble?? in
            guard let reason = result.reason else {
                defer { state = State() }
                return state.isKnown ? .some(nil) : nil
            }
            let since = state.trouble?.since ?? now
            let trouble = Trouble(since: since, reason: reason)
            state.trouble = trouble
            guard !state.isKnown, now.since(since) >= Self.patience else { return nil }
            state.isKnown = true
            return .some(trouble)
        }
        if let news { report(news) }
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
        health.note(result)
        return result
    }
}

/// Passes each result to `ProviderHealth`.
public struct ObservedMailer: Mailer {
    private let mailer: any Mailer
    private let health: ProviderHealth

    public init(_ mailer: any Mailer, health: ProviderHealth) {
        self.mailer = mailer
        self.health = health
    }

    public func send(_ email: Email) async -> DeliveryResult {
        let result = await mailer.send(email)
        health.note(result)
        return result
    }
}
