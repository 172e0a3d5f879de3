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
    ///     Receives a 5xx status, too, which counts after several people's messages got one.
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
    /// - Parameter person: the recipient; nil for a message without one.
    func send(
        to service: String, for person: UserID?, _ attempt: () async throws -> DeliveryResult
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
        switch result.reason {
        case let reason? where reason.isServerError:
            health.note(reason, ofOneOfSeveral: person)
        case let reason? where !reason.mayConcernOperator: break
        default: health.note(result)
        }
        return result
    }
}

extension DeliveryReason {
    /// Whether the provider answered a 5xx status.
    var isServerError: Bool { kind == .http && (code ?? 0) >= 500 }

    /// Whether the operator may have to mend the credentials or the connection.
    var mayConcernOperator: Bool {
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
        case .http: return !reason.isServerError
        case .credentials, .other: return true
        default: return false
        }
    }
}
