import API
import Cryptography
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import WebText

public struct TextReceiver: Sendable {
    public static let path = "/v1/sms/answers"
    public static let secretHeader = "X-LifeSignal-Secret"

    private let secret: String
    let receive: @Sendable (_ sender: String, _ text: String, _ id: String?) async throws -> Void

    /// - Parameter receive: the id is the gateway's; nil if it gives none.
    public init(
        secret: String,
        receive:
            @escaping @Sendable (_ sender: String, _ text: String, _ id: String?)
            async throws -> Void
    ) {
        self.secret = secret
        self.receive = receive
    }

    func isSecret(_ given: String) -> Bool {
        Digest.areEqual(Digest.sha256(Data(given.utf8)), Digest.sha256(Data(secret.utf8)))
    }
}

extension RouteBuilder {
    /// In bytes.
    private static let textLimit = 16_384

    /// Adds the route for text messages from a gateway. Its answer is always the same, so that it
    /// doesn't reveal whether a number belongs to a user.
    func addTextRoute(_ receiver: TextReceiver) {
        router.on(RouterPath(TextReceiver.path), method: .post) { request, context in
            if let refusal = context.refusal { throw refusal }
            let given = HTTPField.Name(TextReceiver.secretHeader).flatMap { request.headers[$0] }
            guard receiver.isSecret(given ?? "") else {
                throw CommandError.permissionDenied("The secret is not right.")
            }
            let call = Call(request: request, context: context)
            let types = ["application/json", "application/x-www-form-urlencoded"]
            let bytes = try await call.bytes(of: types, limit: Self.textLimit)
            let isJSON = request.headers[.contentType]?.lowercased().hasPrefix(types[0]) == true
            let fields =
                isJSON
                ? try JSONText.fields(bytes) : FormFields.values(FormFields.decode(bytes))
            guard let sender = fields["from"] else {
                throw CommandError.invalidArgument(field: "from", "This must be a phone number.")
            }
            guard let text = fields["text"] else {
                throw CommandError.invalidArgument(field: "text", "This must be a text.")
            }
            try await receiver.receive(sender, text, fields["id"])
            return Response(status: .noContent)
        }
    }
}

/// Reads the strings of a JSON object. Ignores other fields.
private enum JSONText {
    static func fields(_ bytes: Data) throws(CommandError) -> [String: String] {
        guard let object = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any] else {
            throw .invalidArgument(field: "body", "This must be a JSON object.")
        }
        return object.compactMapValues { $0 as? String }
    }
}
