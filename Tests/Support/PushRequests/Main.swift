import Cryptography
import Foundation
import WebPush

/// Builds Web Push requests for tests of push services. Each input line is a subscription and a
/// message; each output line is a request. The arguments are the VAPID key and the contact for its
/// tokens.
@main
enum Main {
    struct Input: Decodable {
        var endpoint: String
        var p256dh: String
        var auth: String
        /// base64url
        var payload: String
        var topic: String?
    }

    struct Output: Encodable {
        var method: String
        var url: String
        var headers: [String: String]
        /// base64url
        var body: String
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let form = Base64URL.decode(arguments[1]),
            let key = VAPIDKey(storedForm: form), let contact = VAPIDContact(arguments[2])
        else { throw PushRequestsError.usage }
        let builder = PushRequestBuilder(
            signer: VAPIDSigner(key: key, contact: contact, now: { Date() }))
        while let line = readLine() {
            let input = try JSONDecoder().decode(Input.self, from: Data(line.utf8))
            guard let payload = Base64URL.decode(input.payload) else {
                throw PushRequestsError.payload
            }
            let request = try builder.request(
                for: PushMessage(
                    payload: payload, timeToLive: .seconds(90), urgency: .high,
                    topic: input.topic.flatMap(PushMessage.Topic.init)),
                to: PushSubscription(
                    endpoint: input.endpoint, p256dh: input.p256dh, auth: input.auth))
            let output = Output(
                method: request.method, url: request.url.absoluteString,
                headers: Dictionary(
                    request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }),
                body: Base64URL.encode(request.body))
            print(String(decoding: try JSONEncoder().encode(output), as: UTF8.self))
        }
    }
}

enum PushRequestsError: Error {
    case usage
    case payload
}
