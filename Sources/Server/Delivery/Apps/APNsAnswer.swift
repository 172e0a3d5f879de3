import Domain
import Foundation

enum APNsAnswer: Equatable {
    case accepted
    /// The token has expired, at this time if Apple gives one.
    case gone(Date?)
    /// The server's signing token (JWT) is too old.
    case expired
    /// Apple rejects this server's credentials or settings. Only the operator can fix them.
    case operatorsFault
    /// Apple would reject a retry, too.
    case refused
    case later

    private struct Body: Decodable {
        var reason: String?
        /// Milliseconds since 1970.
        var timestamp: Int64?
    }

    init(status: Int, body: Data) {
        let body = try? JSONDecoder().decode(Body.self, from: body)
        switch (status, body?.reason) {
        case (200, _): self = .accepted
        case (410, _): self = .gone(body?.timestamp.flatMap(Self.time))
        case (403, "ExpiredProviderToken"): self = .expired
        case (401, _), (403, _), (404, _), (405, _): self = .operatorsFault
        case (400, let reason?) where Self.operatorsReasons.contains(reason):
            self = .operatorsFault
        case (408, _), (425, _), (429, _), (500..., _): self = .later
        default: self = .refused
        }
    }

    private static func time(_ milliseconds: Int64) -> Date? {
        (0...32_503_680_000_000).contains(milliseconds) ? Date(milliseconds: milliseconds) : nil
    }

    /// Reasons with status 400 that only the operator can fix.
    private static let operatorsReasons: Set = [
        "BadCertificate", "BadTopic", "InvalidPushType", "MissingTopic", "TopicDisallowed",
    ]

    /// - Parameters:
    ///   - pause: the back-off that Apple asked for.
    ///   - registeredAt: the time when the app last registered its token.
    func result(status: Int, pause: Duration, registeredAt: Date?) -> DeliveryResult {
        switch self {
        case .accepted: .accepted(providerID: nil)
        case .gone(let end?) where registeredAt.map { $0 > end } ?? false:
            // The app has since registered the same token. Apple hasn't processed that yet.
            .failed(.http(status), after: pause)
        case .gone(let end): .ended(.http(status), at: end)
        case .expired, .operatorsFault: .failed(.credentials(status), after: pause)
        case .refused: .refused(.http(status))
        case .later: .failed(.http(status), after: pause)
        }
    }
}
