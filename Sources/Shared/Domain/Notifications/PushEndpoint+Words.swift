/// Texts about an endpoint for its owner, for every front end.
extension PushEndpoint {
    /// Returns the endpoint id of a session's browser, so that lists can name the endpoint after
    /// the session and recognize the reader's own browser.
    public static func id(ofBrowserIn session: SessionID) -> PushEndpointID {
        PushEndpointID(session.uuid)
    }

    /// - Parameter sessions: the user's sessions.
    public func name(among sessions: [Session]) -> String {
        if let session = sessions.first(where: { Self.id(ofBrowserIn: $0.id) == id }) {
            return session.deviceName
        }
        if kind == .webhook { return url.host ?? "A webhook" }
        return kind == .webPush ? "A browser" : "Another device"
    }

    /// The reason why the last message failed; nil while the endpoint works.
    public var failureWords: String? {
        guard failingSince != nil || lastFailure != nil else { return nil }
        let parts = (lastFailure ?? "").split(separator: "-")
        if parts.count == 2, parts[0] == "http", let status = Int(parts[1]) {
            return switch status {
            case 404, 410: "It says that it is gone (\(status))."
            case 429: "It gets too many messages at the moment."
            case 500...: "It reported an error (\(status))."
            default: "It refused the last message (\(status))."
            }
        }
        return switch lastFailure.flatMap(DeliveryReason.Kind.init) {
        case .timeout: "It did not answer in time."
        case .unresolved: "Its name leads nowhere."
        case .connectionRefused, .interrupted: "It can’t be reached."
        case .insecure: "Its connection is not secure."
        case .privateAddress: "Its address is a private one."
        default: "It refused the last message."
        }
    }
}
