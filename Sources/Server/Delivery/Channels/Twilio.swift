import Cryptography
import Domain
import Foundation
import Persistence

/// Sends text messages by Twilio's Messages API.
public struct TwilioProvider: SMSProvider {
    private let api: TwilioAPI
    private let sender: String
    private let statusCallback: URL?

    /// - Parameters:
    ///   - sender: a number in E.164, or the SID of a messaging service (`MG…`).
    ///   - statusCallback: where Twilio reports what became of a message; nil for no reports.
    public init(_ api: TwilioAPI, sender: String, statusCallback: URL?) {
        self.api = api
        self.sender = sender
        self.statusCallback = statusCallback
    }

    public func send(_ message: TextMessage) async -> DeliveryResult {
        await api.post(fields(for: message), to: .messages)
    }

    /// Returns the form of a message. The API needs `ValidityPeriod` in seconds: whole minutes,
    /// from 1 to 36,000.
    func fields(for message: TextMessage) -> [(String, String)] {
        let minutes = max(1, Int(message.validity.milliseconds / 60_000))
        var fields = [
            ("To", message.recipient.text), ("Body", message.text),
            ("ValidityPeriod", String(min(minutes * 60, 36_000))),
        ]
        fields.append((sender.hasPrefix("MG") ? "MessagingServiceSid" : "From", sender))
        if let callback = statusCallback {
            let url = message.origin.map { $0.url(callback) } ?? callback
            fields.append(("StatusCallback", url.absoluteString))
        }
        return fields
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
