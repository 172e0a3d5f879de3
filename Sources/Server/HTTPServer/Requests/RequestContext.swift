import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A request's context.
public struct LifeSignalContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The refusal of a request that exceeds a rate limit; see `LastResort`.
    var refusal: CommandError?
    private let channel: (any Channel)?
    /// The identity of a caller in this process; nil for a request from the network.
    private let inProcess: (address: String, requestID: String)?
    /// Runs an action as soon as the recipient has received what this request's stream sent. For a
    /// request from the network, the action runs at once, because the device itself holds the
    /// connection.
    let whenSeen: WhenSeen

    public typealias WhenSeen = @Sendable (_ act: @escaping @Sendable () -> Void) -> Void

    /// Whether the request comes from this process. Then it was made by the web app's sessions,
    /// which have their own limits.
    var isInProcess: Bool { inProcess != nil }

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        inProcess = nil
        whenSeen = { $0() }
    }

    /// Makes the context of a request from this process, without a connection.
    /// - Parameters:
    ///   - address: the network address of the person, for rate limits per address.
    ///   - requestID: the request's id in the log.
    ///   - whenSeen: runs an action as soon as the recipient has received what this request's
    ///     stream sent.
    public init(
        inProcessFor address: String, requestID: String, logger: Logger,
        whenSeen: @escaping WhenSeen = { $0() }
    ) {
        self.whenSeen = whenSeen
        var logger = logger
        logger[metadataKey: Self.requestIDKey] = "\(requestID)"
        coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
        channel = nil
        inProcess = (address, requestID)
    }

    private struct InProcessSource: RequestContextSource { let logger: Logger }

    /// Returns this context with a refusal.
    func refused(_ refusal: CommandError) -> LifeSignalContext {
        var context = self
        context.refusal = refusal
        return context
    }

    /// Runs `action` when the connection is closed.
    public func onClose(_ action: @escaping @Sendable () -> Void) {
        channel?.closeFuture.whenComplete { _ in action() }
    }

    /// The request's id in the log; "unknown" if the logger keeps no metadata.
    var requestID: String {
        inProcess?.requestID ?? logger[metadataKey: Self.requestIDKey]?.description ?? "unknown"
    }

    /// The key under which Hummingbird stores a request's id.
    private static let requestIDKey = "hb.request.id"

    /// Returns the network address that the request comes from, as the operator's proxies report
    /// it, if there are any.
    /// - Parameter hops: the number of proxies that each add an entry to X-Forwarded-For; 0 for
    ///   none.
    public func address(of request: Request, proxyHops hops: Int) -> String {
        if let inProcess { return inProcess.address }
        if hops > 0, let forwarded = request.headers[.xForwardedFor] {
            // The proxies append their entries at the end. The client can invent the entries
            // before them.
            let entries = forwarded.split(separator: ",")
            if entries.count >= hops {
                return entries[entries.count - hops].trimmingCharacters(in: .whitespaces)
            }
        }
        return channel?.remoteAddress?.ipAddress ?? "unknown"
    }
}

extension HTTPField.Name {
    // The initialiser is failable. These literals are valid names, so the right side of `??` is
    // never used.
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For") ?? .via
    static let idempotencyKey = HTTPField.Name(Endpoint.idempotencyKey) ?? .via
    static let timeZone = HTTPField.Name(Endpoint.timeZone) ?? .via
    static let sentAt = HTTPField.Name(Endpoint.sentAt) ?? .via
    static let epoch = HTTPField.Name(Endpoint.epoch) ?? .via
    static let xRequestID = HTTPField.Name("X-Request-ID") ?? .via
    static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .via
    static let twilioSignature = HTTPField.Name("X-Twilio-Signature") ?? .via
    static let xContentTypeOptions = HTTPField.Name("X-Content-Type-Options") ?? .via
}
