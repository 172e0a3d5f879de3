import Domain
import Foundation

/// The answer of Firebase Cloud Messaging, by the type of its error.
enum FCMAnswer: Equatable {
    case accepted
    /// The app is gone.
    case gone
    /// The access token is refused.
    case unauthenticated
    /// The credentials or settings of this server are refused.
    case operatorsFault
    /// The same message would be refused again. A user can register a token of somebody else's app:
    /// that says nothing of our credentials.
    case refused
    case later

    private struct Body: Decodable {
        struct Failure: Decodable {
            var details: [Detail]?
        }

        struct Detail: Decodable {
            var type: String?
            var errorCode: String?

            enum CodingKeys: String, CodingKey {
                case type = "@type"
                case errorCode
            }
        }

        /// The name that the message got.
        var name: String?
        var error: Failure?
    }

    private static let errorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"

    init(status: Int, body: Data) {
        let body = try? JSONDecoder().decode(Body.self, from: body)
        let code = body?.error?.details?.first { $0.type == Self.errorType }?.errorCode
        switch (status, code) {
        // Something that is not the service may answer anything with 200.
        case (200..<300, _): self = body?.name == nil ? .later : .accepted
        case (_, "UNREGISTERED"): self = .gone
        case (_, "INVALID_ARGUMENT"), (_, "SENDER_ID_MISMATCH"): self = .refused
        case (_, "QUOTA_EXCEEDED"), (_, "UNAVAILABLE"), (_, "INTERNAL"): self = .later
        case (_, "THIRD_PARTY_AUTH_ERROR"): self = .operatorsFault
        case (401, _): self = .unauthenticated
        // An app that is gone has a type: without one the project is meant.
        case (403, _), (404, _): self = .operatorsFault
        case (408, _), (425, _), (429, _), (500..., _): self = .later
        default: self = .refused
        }
    }

    func result(status: Int, pause: Duration) -> DeliveryResult {
        switch self {
        case .accepted: .accepted(providerID: nil)
        case .gone: .ended(.http(status))
        case .unauthenticated, .operatorsFault: .failed(.credentials(status), after: pause)
        case .refused: .refused(.http(status))
        case .later: .failed(.http(status), after: pause)
        }
    }
}
