import Domain
import Foundation
import HTTPClient
import WebText

/// Sends text messages through the gateway in the operator's file.
public struct GatewayProvider: SMSProvider {
    private let gateway: SMSGateway
    private let sender: String
    private let secret: String
    private let client: HTTPClient

    private static let longestID = 200

    /// - Parameters:
    ///   - sender: the value of `{from}`.
    ///   - secret: the value of `{secret}`.
    public init(_ gateway: SMSGateway, sender: String, secret: String, client: HTTPClient) {
        self.gateway = gateway
        self.sender = sender
        self.secret = secret
        self.client = client
    }

    public func send(_ message: TextMessage) async -> DeliveryResult {
        guard let request = request(for: message) else { return .refused(.other) }
        do {
            let response = try await client.send(request)
            let result = result(
                status: response.status, body: response.body, retryAfter: response.retryAfter)
            ProviderAnswer.note(response.body, after: result)
            return result
        } catch {
            return .failed(DeliveryReason(error))
        }
    }

    /// Returns the request that sends a message; nil if the values make no valid URL or JSON.
    func request(for message: TextMessage) -> OutgoingRequest? {
        func value(_ name: String) -> String? {
            switch name {
            case "to": message.recipient.text
            case "text": message.text
            case "from": sender
            case "secret": secret
            default: nil
            }
        }
        let address = gateway.fill(gateway.url) { value($0).map(PercentEncoding.unreserved) }
        guard let url = URL(string: address) else { return nil }
        var headers = gateway.headers.sorted { $0.key < $1.key }.map { name, text in
            // The values contain no line breaks: both were checked at the start.
            (name: name, value: gateway.fill(text, with: value))
        }
        func add(type: String) {
            guard !headers.contains(where: { $0.name.lowercased() == "content-type" }) else {
                return
            }
            headers.append((name: "Content-Type", value: type))
        }
        var body = Data()
        if let form = gateway.form {
            add(type: "application/x-www-form-urlencoded")
            let fields = form.sorted { $0.key < $1.key }.map {
                ($0.key, gateway.fill($0.value, with: value))
            }
            body = Data(PercentEncoding.form(fields).utf8)
        } else if let json = gateway.json {
            add(type: "application/json")
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let filled = json.map { gateway.fill($0, with: value) }
            guard let data = try? encoder.encode(filled) else { return nil }
            body = data
        }
        return OutgoingRequest(
            method: gateway.method, url: url, headers: headers, body: body,
            timeout: OutgoingRequest.timeoutOfPaidMessages, isRepeatable: false)
    }

    func result(status: Int, body: Data, retryAfter: Duration = .zero) -> DeliveryResult {
        if gateway.success.contains(status) {
            let answer =
                gateway.id.isEmpty ? nil : try? JSONDecoder().decode(JSONTemplate.self, from: body)
            let id = answer?.value(at: gateway.id).flatMap {
                (1...Self.longestID).contains($0.count) ? $0 : nil
            }
            // Without an id, even a response that isn't JSON means that the message was accepted,
            // unless the operator knows better.
            guard id != nil || !gateway.isIDRequired else {
                return .failed(.http(status), after: retryAfter)
            }
            return .accepted(providerID: id)
        }
        return switch status {
        // Bad credentials, an empty account, or a rate limit. The operator can fix these, or they
        // pass.
        case 401, 402, 403, 404, 408, 425, 429: .failed(.http(status), after: retryAfter)
        case 400..<500: .refused(.http(status))
        default: .failed(.http(status), after: retryAfter)
        }
    }
}
