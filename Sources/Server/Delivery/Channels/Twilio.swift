import Cryptography
import Domain
import Foundation
import HTTPClient
import Persistence

/// The Twilio Messages API, version 2010-04-01.
public struct TwilioProvider: SMSProvider {
    public struct Configuration: Sendable {
        public var accountSID: String
        public var authToken: String
        /// A number in E.164, or the SID of a messaging service (`MG…`).
        public var sender: String
        public var statusCallback: URL?
        public var baseURL: URL

        public init(
            accountSID: String, authToken: String, sender: String, statusCallback: URL?,
            baseURL: URL
        ) {
            self.accountSID = accountSID
            self.authToken = authToken
            self.sender = sender
            self.statusCallback = statusCallback
            self.baseURL = baseURL
        }
    }

    private let configuration: Configuration
    private let client: HTTPClient

    public init(_ configuration: Configuration, client: HTTPClient) {
        self.configuration = configuration
        self.client = client
    }

    public func send(_ message: TextMessage) async -> DeliveryResult {
        let url = configuration.baseURL.appendingPathComponent(
            "2010-04-01/Accounts/\(configuration.accountSID)/Messages.json")
        let credentials = Data("\(configuration.accountSID):\(configuration.authToken)".utf8)
            .base64EncodedString()
        let request = OutgoingRequest(
            url: url,
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("Authorization", "Basic \(credentials)"),
            ],
            body: Data(Self.form(fields(for: message)).utf8)
        )
        do {
            let response = try await client.send(request)
            return Self.result(
                status: response.status, body: response.body, retryAfter: response.retryAfter)
        } catch {
            return .failed(DeliveryReason(error))
        }
    }

    /// Returns the form of a message. The API needs `ValidityPeriod` in seconds: whole minutes,
    /// from 1 to 36,000.
    func fields(for message: TextMessage) -> [(String, String)] {
        let minutes = max(1, Int(message.validity.milliseconds / 60_000))
        var fields = [
            ("To", message.recipient.text), ("Body", message.text),
            ("ValidityPeriod", String(min(minutes * 60, 36_000))),
        ]
        fields.append(
            (
                configuration.sender.hasPrefix("MG") ? "MessagingServiceSid" : "From",
                configuration.sender
            ))
        if let callback = configuration.statusCallback {
            let url = message.origin.map { $0.url(callback) } ?? callback
            fields.append(("StatusCallback", url.absoluteString))
        }
        return fields
    }

    static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\(escaped($0))=\(escaped($1))" }.joined(separator: "&")
    }

    static func escaped(_ text: String) -> String {
        let allowed = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
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
        default: return .failed(reason, after: retryAfter)
        }
    }
}

public enum TwilioCallback {
    /// Returns whether `signature` (the header `X-Twilio-Signature`) is Twilio's. It is the base64
    /// of an HMAC-SHA1 with the auth token over the URL and the form's sorted fields. Twilio signs
    /// the URL with or without its port (twilio.com/docs/usage/security).
    public static func isSigned(
        _ signature: String, url: String, fields: [(name: String, value: String)], authToken: String
    ) -> Bool {
        guard let given = Data(base64Encoded: signature) else { return false }
        let form = fields.sorted { $0.name < $1.name }.map { $0.name + $0.value }.joined()
        return forms(of: url).contains { url in
            let mac = Digest.hmacSHA1(Data((url + form).utf8), key: Data(authToken.utf8))
            return Digest.areEqual(given, mac)
        }
    }

    /// Returns the URL without its port and with it. A missing port becomes the scheme's default.
    private static func forms(of url: String) -> [String] {
        guard let parts = url.wholeMatch(of: #/(https?):\/\/(\[[^\]\/]*\]|[^:\/]*)(:\d+)?(\/.*)?/#)
        else { return [url] }
        let (scheme, host, path) = (parts.1, parts.2, parts.4 ?? "")
        let port = parts.3 ?? (scheme == "https" ? ":443" : ":80")
        return ["\(scheme)://\(host)\(path)", "\(scheme)://\(host)\(port)\(path)"]
    }

    /// Returns the delivery state for a `MessageStatus`; nil while the message is in transit.
    public static func state(forStatus status: String) -> DeliveryState? {
        switch status {
        case "delivered", "read": .seen
        case "sent": .accepted
        case "undelivered", "failed", "canceled": .failed
        default: nil
        }
    }

    /// Returns a callback's report; nil while the message is in transit.
    public static func report(_ fields: [String: String]) -> ProviderReport? {
        guard let state = fields["MessageStatus"].flatMap(state(forStatus:)) else { return nil }
        let code = fields["ErrorCode"].flatMap { Int($0) }
        return ProviderReport(
            state: state, reason: code.map(DeliveryReason.twilio) ?? .other,
            providerID: fields["MessageSid"])
    }
}
