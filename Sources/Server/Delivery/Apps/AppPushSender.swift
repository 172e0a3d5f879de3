import Cryptography
import Domain
import Foundation
import HTTPClient

/// The part of sending that APNs and FCM share.
public struct AppPushSender: Sendable {
    let client: HTTPClient
    let key: ServerKey
    let now: @Sendable () -> Date
    private let gate: PushServiceGate
    private let health: ProviderHealth

    /// - Parameters:
    ///   - limit: the maximum number of concurrent tries.
    ///   - health: receives each success, and each failure that the operator may have to fix:
    ///     credentials, and a missing response, because a firewall or proxy may block the service.
    public init(
        client: HTTPClient, key: ServerKey, health: ProviderHealth, limit: Int,
        now: @escaping @Sendable () -> Date
    ) {
        self.client = client
        self.key = key
        self.health = health
        self.now = now
        gate = PushServiceGate(share: max(1, limit), now: now)
    }

    /// Makes one try, unless the service is down.
    func send(
        to service: String, _ attempt: () async throws -> DeliveryResult
    ) async -> DeliveryResult {
        guard await gate.enter(service) else {
            return .failed(.serviceFailing, after: .seconds(1))
        }
        let result: DeliveryResult
        do {
            result = try await attempt()
        } catch {
            result = .failed(DeliveryReason(error))
        }
        gate.leave(service, isAnswered: result.isAnswer)
        if result.reason?.mayConcernOperator ?? true { health.note(result) }
        return result
    }
}

extension DeliveryReason {
    fileprivate var mayConcernOperator: Bool {
        switch kind {
        case .credentials, .timeout, .notConnected, .unresolved, .offline, .connectionRefused,
            .insecure, .interrupted:
            true
        default: false
        }
    }
}

extension DeliveryResult {
    /// False for a 5xx status and for a missing response.
    fileprivate var isAnswer: Bool {
        guard case .failed(let reason, _, _) = self else { return true }
        switch reason.kind {
        case .http: return (reason.code ?? 0) < 500
        case .credentials, .other: return true
        default: return false
        }
    }
}
