import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

public struct LifeSignalContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The refusal of a request beyond a rate limit; see `LastResort`.
    var refusal: CommandError?
    private let channel: (any Channel)?
    /// The client's network address, for rate limits. `RequestMiddleware` replaces the address of a
    /// trusted proxy.
    public private(set) var address: String
    /// Whether a trusted proxy has passed the request on.
    private(set) var isFromTrustedProxy = false
    /// The id of a request from this process; nil for a request from the network.
    private let inProcessID: String?
    /// Runs an action once the recipient has received what this request's stream sent. Runs it at
    /// once for a request from the network, because the device itself holds the connection.
    let whenSeen: WhenSeen

    public typealias WhenSeen = @Sendable (_ act: @escaping @Sendable () -> Void) -> Void

    /// Whether the request comes from this process: from the web app, which has its own limits.
    var isInProcess: Bool { inProcessID != nil }

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        address = source.channel.remoteAddress?.ipAddress ?? "unknown"
        inProcessID = nil
        whenSeen = { $0() }
    }

    /// Makes the context of a request from this process.
    /// - Parameter address: the person's network address, for rate limits.
    public init(
        inProcessFor address: String, requestID: String, logger: Logger,
        whenSeen: @escaping WhenSeen = { $0() }
    ) {
        self.whenSeen = whenSeen
        var logger = logger
        logger[metadataKey: Self.requestIDKey] = "\(requestID)"
        coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
        channel = nil
        self.address = address
        inProcessID = requestID
    }

    private struct InProcessSource: RequestContextSource { let logger: Logger }

    func refused(_ refusal: CommandError) -> LifeSignalContext {
        var context = self
        context.refusal = refusal
        return context
    }

    public func onClose(_ action: @escaping @Sendable () -> Void) {
        channel?.closeFuture.whenComplete { _ in action() }
    }

    /// Returns the user at the other end of a local socket; nil if the system doesn't say it.
    func socketPeer() async throws -> UInt32? {
        #if os(Linux)
        /// `struct ucred` of unix(7).
        struct Credentials: Sendable {
            var process: Int32
            var user: UInt32
            var group: UInt32
        }
        guard let socket = channel as? any SocketOptionProvider else { return nil }
        let found: EventLoopFuture<Credentials> = socket.unsafeGetSocketOption(
            level: NIOBSDSocket.OptionLevel.socket,
            name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        return try await found.get().user
        #else
        return nil
        #endif
    }

    var requestID: String {
        inProcessID ?? logger[metadataKey: Self.requestIDKey]?.description ?? "unknown"
    }

    /// Returns a random id. Hummingbird's ids count the requests of the process, for everyone to
    /// read.
    public static func newRequestID() -> String { UUID.random().uuidString.lowercased() }

    /// Takes the id that a trusted proxy has given to the request, so that its log and ours can be
    /// joined. Ignores an id that could be mistaken for other parts of a log line.
    private mutating func takeRequestID(of request: Request) {
        guard let id = request.headers[.xRequestID],
            (1...Self.longestRequestID).contains(id.utf8.count),
            id.utf8.allSatisfy(Self.isAllowedInRequestID)
        else { return }
        logger[metadataKey: Self.requestIDKey] = "\(id)"
    }

    private static let longestRequestID = 128

    private static func isAllowedInRequestID(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.:".utf8.contains(byte)
        }
    }

    /// Hummingbird's key for a request's id.
    static let requestIDKey = "hb.request.id"

    /// Takes the client's address and the request's id from the headers of a trusted proxy.
    func behind(_ proxies: TrustedProxies, _ request: Request) -> LifeSignalContext {
        guard let channel, proxies.trusts(channel.remoteAddress) else { return self }
        var context = self
        context.isFromTrustedProxy = true
        context.takeRequestID(of: request)
        context.address = proxies.address(of: request, from: channel.remoteAddress)
        return context
    }
}

extension HTTPField.Name {
    // The initialiser is failable, but these literals are valid names.
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For") ?? .via
    static let idempotencyKey = HTTPField.Name(Endpoint.idempotencyKey) ?? .via
    static let timeZone = HTTPField.Name(Endpoint.timeZone) ?? .via
    static let sentAt = HTTPField.Name(Endpoint.sentAt) ?? .via
    static let epoch = HTTPField.Name(Endpoint.epoch) ?? .via
    static let traceparent = HTTPField.Name("traceparent") ?? .via
    static let xRequestID = HTTPField.Name("X-Request-ID") ?? .via
    static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .via
    static let twilioSignature = HTTPField.Name("X-Twilio-Signature") ?? .via
    static let xContentTypeOptions = HTTPField.Name("X-Content-Type-Options") ?? .via
}
