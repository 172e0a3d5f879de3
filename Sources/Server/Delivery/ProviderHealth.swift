import Domain
import Foundation
import Synchronization

/// Watches whether a provider accepts anything: a minute of nothing but failures is the operator's
/// business. A refusal is about one recipient (`DeliveryResult.isAboutRecipient`) and says nothing
/// of the provider, or two messages to a landline would raise the operator's alarm.
public final class ProviderHealth: Sendable {
    private static let patience: Duration = .minutes(1)

    public struct Trouble: Equatable, Sendable {
        /// The first failure since the last message was taken.
        public var since: Date
        /// The newest.
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
    ///   - name: of what the provider carries.
    ///   - report: called once when a trouble is known, and once, with nil, when it is over.
    public init(
        name: String = "text messages", now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (Trouble?) -> Void = { _ in }
    ) {
        self.name = name
        self.now = now
        self.report = report
    }

    /// The trouble, once it has lasted for a minute.
    public var trouble: Trouble? { state.withLock { $0.isKnown ? $0.trouble : nil } }

    /// For the operator; nil when all is well.
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

/// Notes what becomes of every message.
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
