import Domain
import Foundation
import HTTPClient
import WebText

/// The credentials and address of a Twilio account.
public struct TwilioAccount: Sendable {
    public var sid: String
    public var authToken: String
    public var baseURL: URL

    public init(sid: String, authToken: String, baseURL: URL) {
        self.sid = sid
        self.authToken = authToken
        self.baseURL = baseURL
    }
}

/// Twilio's REST API, version 2010-04-01.
public struct TwilioAPI: Sendable {
    /// What an account can create.
    enum Resource: String {
        case messages = "Messages"
        case calls = "Calls"
    }

    private let account: TwilioAccount
    private let client: HTTPClient

    public init(_ account: TwilioAccount, client: HTTPClient) {
        self.account = account
        self.client = client
    }

    /// Creates a message or a call. Turns errors into results.
    func post(_ fields: [(String, String)], to resource: Resource) async -> DeliveryResult {
        do {
            let response = try await client.send(request(fields, to: resource))
            let result = Self.result(
                status: response.status, body: response.body, retryAfter: response.retryAfter)
            ProviderAnswer.note(response.body, after: result)
            return result
        } catch {
            return .failed(DeliveryReason(error))
        }
    }

    func request(_ fields: [(String, String)], to resource: Resource) -> OutgoingRequest {
        let credentials = Data("\(account.sid):\(account.authToken)".utf8).base64EncodedString()
        return OutgoingRequest(
            url: account.baseURL.appendingPathComponent(
                "2010-04-01/Accounts/\(account.sid)/\(resource.rawValue).json"),
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("Authorization", "Basic \(credentials)"),
            ],
            body: Data(PercentEncoding.form(fields).utf8),
            timeout: OutgoingRequest.timeoutOfPaidMessages)
    }

    /// Twilio's errors with status 400 that the operator can fix: the sender is unverified, of
    /// another account, or can't send SMS; the messaging service or its number is missing; or
    /// the account may not send to this country, or (as a trial account) to this number.
    private static let operatorsCodes: Set<Int?> = [
        // Calls
        21_210, 21_212, 21_215, 21_219,
        // Text messages
        21_408, 21_603, 21_606, 21_608, 21_659, 21_660, 21_703, 21_704,
    ]

    static func result(status: Int, body: Data, retryAfter: Duration = .zero) -> DeliveryResult {
        struct Answer: Decodable {
            var sid: String?
            var code: Int?
        }
        let answer = try? JSONDecoder().decode(Answer.self, from: body)
        let reason = answer?.code.map(DeliveryReason.twilio) ?? .http(status)
        switch status {
        case 200..<300: return .accepted(providerID: answer?.sid)
        // Bad credentials, an account that is wrong or empty, or a rate limit. The operator can fix
        // these, or they pass.
        case 401, 402, 403, 404, 408, 429: return .failed(reason, after: retryAfter)
        case 400 where operatorsCodes.contains(answer?.code):
            return .failed(reason, after: retryAfter)
        // A wrong number or a blocked recipient.
        case 400..<500: return .refused(reason)
        // Twilio may have accepted the message. Its code, such as 20500, doesn't say that.
        case _ where DeliveryReason.uncertainStatuses.contains(status):
            return .failed(.http(status), after: retryAfter)
        default: return .failed(reason, after: retryAfter)
        }
    }
}
