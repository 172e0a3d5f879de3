import Domain
import Foundation
import HTTPClient

/// Caches the access token of a service account. If many messages need a new token, only one
/// requests it, and all await it.
actor GoogleTokens {
    /// How long before its expiry a token is renewed.
    static let margin: Duration = .minutes(5)
    /// How long all callers get the error of a failed request.
    static let pauseAfterFailure: Duration = .seconds(1)
    /// The minimum interval between two replacements of tokens that Google rejected early.
    static let pauseBetweenRenewals: Duration = .minutes(1)

    struct Failure: Error, Equatable {
        var reason: DeliveryReason
        var pause: Duration
    }

    private let account: GoogleAccount
    private let scope: String
    private let client: HTTPClient
    private let now: @Sendable () -> Date
    private var token: String?
    private var madeAt = Date.distantPast
    private var usefulFor: Duration = .zero
    private var renewedAt: Date?
    private var failure: (error: Failure, time: Date)?
    private var request: Task<(token: String, lifetime: Duration), any Error>?

    init(
        _ account: GoogleAccount, scope: String = GoogleAccount.scope, client: HTTPClient,
        now: @escaping @Sendable () -> Date
    ) {
        self.account = account
        self.scope = scope
        self.client = client
        self.now = now
    }

    /// Throws `Failure` or an error of the HTTP client.
    /// - Parameter refused: a token that Google has rejected.
    func token(after refused: String? = nil) async throws -> String {
        let now = now()
        let age = now.since(madeAt)
        if let token, token != refused, age >= .zero, age < usefulFor { return token }
        if let failure, now >= failure.time, now.since(failure.time) < Self.pauseAfterFailure {
            throw failure.error
        }
        if request == nil, token != nil, token == refused {
            if let last = renewedAt, now >= last, now.since(last) < Self.pauseBetweenRenewals {
                throw Failure(reason: .credentials(401), pause: .zero)
            }
            renewedAt = now
        }
        return try await (request ?? ask()).value.token
    }

    private func ask() -> Task<(token: String, lifetime: Duration), any Error> {
        let time = now()
        let task = Task { [account, scope, client] in
            defer { request = nil }
            do {
                let new = try await Self.fetch(account, scope, client, at: time)
                token = new.token
                madeAt = time
                usefulFor = max(new.lifetime - Self.margin, new.lifetime * 0.5)
                failure = nil
                return new
            } catch {
                let known =
                    error as? Failure ?? Failure(reason: DeliveryReason(error), pause: .zero)
                failure = (known, now())
                throw known
            }
        }
        request = task
        return task
    }

    private static func fetch(
        _ account: GoogleAccount, _ scope: String, _ client: HTTPClient, at time: Date
    ) async throws -> (token: String, lifetime: Duration) {
        struct Answer: Decodable {
            var token: String
            var lifetime: Int

            enum CodingKeys: String, CodingKey {
                case token = "access_token"
                case lifetime = "expires_in"
            }
        }
        guard let request = account.tokenRequest(at: time, scope: scope) else {
            throw Failure(reason: .other, pause: .zero)
        }
        let response = try await client.send(request)
        switch response.status {
        case 200:
            guard let answer = try? JSONDecoder().decode(Answer.self, from: response.body),
                (1...4_096).contains(answer.token.utf8.count),
                answer.token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                (1...86_400).contains(answer.lifetime)
            else { throw Failure(reason: .http(502), pause: .zero) }
            return (answer.token, .seconds(answer.lifetime))
        case 408, 429, 500...:
            throw Failure(reason: .http(response.status), pause: response.retryAfter)
        default: throw Failure(reason: .credentials(response.status), pause: .zero)
        }
    }
}
