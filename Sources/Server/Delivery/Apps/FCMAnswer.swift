import Domain
import Foundation

enum FCMAnswer: Equatable {
    case accepted
    /// The app was uninstalled or unregistered.
    case gone
    case unauthenticated
    /// Google rejects this server's credentials or settings. Only the operator can fix them.
    case operatorsFault
    /// FCM would reject a retry, too. The server's credentials may be right: a user may have
    /// registered another app's token.
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

        var name: String?
        var error: Failure?
    }

    private static let errorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"

    init(status: Int, body: Data) {
        let body = try? JSONDecoder().decode(Body.self, from: body)
        let code = body?.error?.details?.first { $0.type == Self.errorType }?.errorCode
        switch (status, code) {
        // Another server may answer any request with 200. Only FCM's response has a name.
        case (200..<300, _): self = body?.name == nil ? .later : .accepted
        case (_, "UNREGISTERED"): self = .gone
        case (_, "INVALID_ARGUMENT"), (_, "SENDER_ID_MISMATCH"): self = .refused
        case (_, "QUOTA_EXCEEDED"), (_, "UNAVAILABLE"), (_, "INTERNAL"): self = .later
        case (_, "THIRD_PARTY_AUTH_ERROR"): self = .operatorsFault
        case (401, _): self = .unauthenticated
        // Without an error code, the project is wrong. For a missing app, FCM gives an error code.
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
