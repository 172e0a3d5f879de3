import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// What the server knows about a request before it looks into it.
public struct LifeSignalContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    private let channel: (any Channel)?

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Runs `action` when the connection is gone.
    func onClose(_ action: @escaping @Sendable () -> Void) {
        channel?.closeFuture.whenComplete { _ in action() }
    }

    /// The name under which the log knows this request.
    var requestID: String { id }

    /// Where the request comes from. Behind a proxy that is trusted, its word for it.
    func address(of request: Request, trustsProxy: Bool) -> String {
        if trustsProxy, let forwarded = request.headers[.xForwardedFor], let last = forwarded.split(separator: ",").last {
            // The last entry is the one the proxy has seen itself; those before it are the client's to invent.
            return last.trimmingCharacters(in: .whitespaces)
        }
        return channel?.remoteAddress?.ipAddress ?? "unknown"
    }
}

extension HTTPField.Name {
    // The initialiser is failable; these literals are valid names, so what follows `??` is never used.
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For") ?? .via
    static let xRequestID = HTTPField.Name("X-Request-ID") ?? .via
    static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .via
    static let twilioSignature = HTTPField.Name("X-Twilio-Signature") ?? .via
    static let xContentTypeOptions = HTTPField.Name("X-Content-Type-Options") ?? .via
}
