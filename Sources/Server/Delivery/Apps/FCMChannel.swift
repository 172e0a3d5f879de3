import Domain
import Foundation
import HTTPClient
import Persistence

/// Sends notifications to apps through Firebase Cloud Messaging.
public final class FCMChannel: Channel {
    public let kind = DeliveryChannel.fcm
    private let url: URL
    private let sender: AppPushSender
    private let tokens: GoogleTokens

    public init(_ account: GoogleAccount, baseURL: URL, sender: AppPushSender) {
        url = baseURL.appendingPathComponent("v1/projects/\(account.projectID)/messages:send")
        self.sender = sender
        tokens = GoogleTokens(account, client: sender.client, now: sender.now)
    }

    public func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        guard let token = delivery.url.flatMap({ AppToken(url: $0) }), token.service == .fcm
        else { return .refused(.endpointRemoved) }
        guard
            let message = try? FCMMessage(
                delivery, to: token, key: sender.key, at: sender.now()),
            let body = try? WireJSON.encoder().encode(message)
        else { return .refused(.other) }
        return await sender.send(
            to: url.absoluteString, for: delivery.record.userID
        ) { [self] in
            do {
                return try await attempt(body)
            } catch let failure as GoogleTokens.Failure {
                return .failed(failure.reason, after: failure.pause)
            }
        }
    }

    private func attempt(_ body: Data) async throws -> DeliveryResult {
        var refused: String?
        for attempt in 1...2 {
            let token = try await tokens.token(after: refused)
            let response = try await sender.client.send(
                OutgoingRequest(
                    url: url,
                    headers: [
                        ("content-type", "application/json"), ("authorization", "Bearer \(token)"),
                    ],
                    body: body,
                    // A retry replaces the first message, because both have the same collapse key.
                    isRepeatable: true))
            let answer = FCMAnswer(status: response.status, body: response.body)
            if answer == .unauthenticated, attempt == 1 {
                refused = token
                continue
            }
            return answer.result(status: response.status, pause: response.retryAfter)
        }
        return .failed(.other)
    }
}
