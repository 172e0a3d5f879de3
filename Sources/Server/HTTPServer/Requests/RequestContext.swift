import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The server's context of a request.
public struct LifeSignalContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The refusal of a request that is over a limit; see `LastResort`.
    var refusal: CommandError?
    private let channel: (any Channel)?
    /// The identity of a caller in this process; nil for a request that came over the network.
    private let inProcess: (address: String, requestID: String)?

    /// True if the request comes from this process: from the web app's sessions, which have limits
    /// of their own.
    var isInProcess: Bool { inProcess != nil }

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        inProcess = nil
    }

    /// A request without a connection, from this process.
    /// - Parameters:
    ///   - address: of the person it is made for; what is limited by address goes by it.
    ///   - requestID: the name under which the log knows this request.
    public init(inProcessFor address: String, requestID: String, logger: Logger) {
        var logger = logger
        logger[metadataKey: Self.requestIDKey] = "\(requestID)"
        coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
        channel = nil
        inProcess = (address, requestID)
    }

    private struct InProcessSource: RequestContextSource { let logger: Logger }

    /// The same request, over a limit.
    func refused(_ refusal: CommandError) -> LifeSignalContext {
        var context = self
        context.refusal = refusal
        return context
    }

    /// Runs `action` when the connection is gone.
    public func onClose(_ action: @escaping @Sendable () -> Void) {
        channel?.closeFuture.whenComplete { _ in action() }
    }

    /// The name under which the log knows this request. A logger that keeps no metadata knows none.
    var requestID: String {
        inProcess?.requestID ?? logger[metadataKey: Self.requestIDKey]?.description ?? "unknown"
    }

    /// The key under which Hummingbird's application writes the name of a request.
    private static let requestIDKey = "hb.request.id"

    /// The address that the request comes from, by the word of the proxy if that is trusted.
    public func address(of request: Request, trustsProxy: Bool) -> String {
        if let inProcess { return inProcess.address }
        if trustsProxy, let forwarded = request.headers[.xForwardedFor],
            let last = forwarded.split(separator: ",").last
        {
            // The last entry is the one the proxy has seen itself; those before it are the client's
            // to invent.
            return last.trimmingCharacters(in: .whitespaces)
        }
        return channel?.remoteAddress?.ipAddress ?? "unknown"
    }
}

extension HTTPField.Name {
    // The initialiser is failable; these literals are valid names, so what follows `??` is never
    // used.
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For") ?? .via
    static let idempotencyKey = HTTPField.Name(Endpoint.idempotencyKey) ?? .via
    static let timeZone = HTTPField.Name(Endpoint.timeZone) ?? .via
    static let epoch = HTTPField.Name(Endpoint.epoch) ?? .via
    static let xRequestID = HTTPField.Name("X-Request-ID") ?? .via
    static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .via
    static let twilioSignature = HTTPField.Name("X-Twilio-Signature") ?? .via
    static let xContentTypeOptions = HTTPField.Name("X-Content-Type-Options") ?? .via
}
