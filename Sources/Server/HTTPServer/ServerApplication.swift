import API
import Domain
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import SafetyNetwork
import ServiceLifecycle
import TLS
import Traces

/// Builds the HTTP server for the program and for tests.
public enum ServerApplication {
    public struct Configuration: Sendable {
        public var hostname = "127.0.0.1"
        public var port = 8080
        /// The path of a Unix socket to listen on, instead of an address.
        public var socketPath: String?
        /// The port for health and metrics, which the other port then lacks; nil for one port.
        public var internalPort: Int?
        /// The sockets that replace host, port and paths.
        public var sockets = InheritedSockets()
        /// The certificate of the public port; nil for plain HTTP.
        public var certificate: LiveCertificate?
        public var publicURL: URL
        public var proxies = TrustedProxies.none
        /// Proxies that replace these, and can change while the server runs.
        public var liveProxies: LiveProxies?
        /// Whether the log has the client's address of each failed sign-in.
        public var logsAddresses = false
        /// Whether webhooks may use plain HTTP and private addresses.
        public var allowsPrivateWebhooks = false
        /// Requests a minute; 0 for no limit.
        public var requestsPerUser = Self.standardRequestsPerUser
        public var requestsPerAddress = Self.standardRequestsPerAddress
        /// Limits that replace these two, and can change while the server runs.
        public var limits: LiveLimits?
        /// The maximum time between two requests, and for the head of a request.
        public var idleTimeout: TimeAmount = .seconds(20)
        public var connections = ConnectionBounds(descriptors: .max)
        public var linkedApps = LinkedApps()

        public static let standardRequestsPerUser = 600
        public static let standardRequestsPerAddress = 1_200

        public init(publicURL: URL) { self.publicURL = publicURL }
    }

    public struct Parts: Sendable {
        public var network: SafetyNetwork
        public var hub: EventHub
        public var metrics: Metrics
        public var readiness: Readiness
        public var phoneNumbers: PhoneNumberCheck
        public var pictures: PictureWork
        public var noteStreamed: @Sendable (NotificationID, UserID) -> Void = { _, _ in }
        /// The memory for large bodies of all routes, including the web app's.
        public var largeBodies = LargeBodies()
        /// Returns the user and session of an open page's request, by its session cookie; nil for
        /// other requests. Such a request counts for the user, not for the network address, which
        /// others may share.
        public var pageCaller: @Sendable (Request) async -> Caller? = { _ in nil }
        /// nil if the server records no traces.
        public var traces: TraceRecorder?
        /// The clock of the rate limits.
        public var uptime: @Sendable () -> ContinuousClock.Instant = { .now }
        /// Stores a report of the SMS provider. Returns false without a valid signature. The
        /// closure is nil without such a provider.
        public var receiveSMSReport:
            (@Sendable (_ url: String, _ signature: String, _ form: Data) async throws -> Bool)?

        /// Returns the next words in a call; nil without a valid signature. The closure is nil
        /// without a voice provider.
        public var receiveCall:
            (@Sendable (_ url: String, _ signature: String, _ form: Data) async throws -> String?)?
        /// Returns the reply to a text message; nil without a valid signature.
        public var receiveText:
            (@Sendable (_ url: String, _ signature: String, _ form: Data) async throws -> String?)?
        /// Receives text messages from a gateway; nil without a gateway.
        public var texts: TextReceiver?

        public init(
            network: SafetyNetwork, hub: EventHub, metrics: Metrics, readiness: Readiness,
            phoneNumbers: PhoneNumberCheck, pictures: PictureWork = PictureWork()
        ) {
            self.network = network
            self.hub = hub
            self.metrics = metrics
            self.readiness = readiness
            self.phoneNumbers = phoneNumbers
            self.pictures = pictures
        }
    }

    /// - Parameter extend: adds routes of other modules, under the same limits and the same log.
    public static func router(
        _ parts: Parts, _ configuration: Configuration,
        extend: (Router<LifeSignalContext>) -> Void = { _ in }
    ) -> Router<LifeSignalContext> {
        let limits =
            configuration.limits
            ?? LiveLimits(
                perUser: configuration.requestsPerUser,
                perAddress: configuration.requestsPerAddress)
        let proxies = configuration.liveProxies ?? LiveProxies(configuration.proxies)
        let router = Router(
            context: LifeSignalContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: RequestMiddleware(
                proxies: { proxies.current }, metrics: parts.metrics,
                limits: RequestLimits(
                    perAddress: { limits.perAddress }, pageCaller: parts.pageCaller,
                    now: parts.uptime),
                epoch: parts.network.epoch, logLimit: LogLimit(now: parts.uptime),
                traces: parts.traces
            )
        )
        let pictures = PictureIntake(
            work: parts.pictures, bodies: parts.largeBodies,
            // `requestsPerUser` may be 0, which turns off this limit, too.
            perMinute: min(PictureIntake.perMinute, configuration.requestsPerUser),
            now: parts.uptime)
        let routes = RouteBuilder(
            router: router, network: parts.network,
            limiter: RateLimiter(
                changingPerMinute: { limits.perUser }, now: parts.uptime),
            sessionLimiter: RateLimiter(
                perMinute: LastResort.sessionRequestsPerMinute, now: parts.uptime))
        routes.addSignInRoutes(
            phoneNumbers: parts.phoneNumbers, logsAddresses: configuration.logsAddresses)
        routes.addProfileRoutes(phoneNumbers: parts.phoneNumbers, pictures: pictures)
        routes.addEmailRoutes()
        routes.addQRCodeRoutes(pictures: pictures)
        routes.addCheckInRoutes()
        routes.addJourneyRoutes()
        routes.addSourceRoutes()
        routes.addContactRoutes()
        let prefix = PathPrefix(of: configuration.publicURL)
        routes.addInvitationRoutes(phoneNumbers: parts.phoneNumbers, below: prefix)
        routes.addPingRoutes()
        routes.addDrillRoutes()
        routes.addAlertRoutes(
            overLimit: RateLimiter(
                perMinute: LastResort.alertsPerMinute, now: parts.uptime))
        routes.addNotificationRoutes(allowsPlainWebhooks: configuration.allowsPrivateWebhooks)
        routes.addEventRoutes(
            hub: parts.hub, metrics: parts.metrics, noteStreamed: parts.noteStreamed)
        if configuration.internalPort == nil {
            routes.addHealthRoutes(readiness: parts.readiness, metrics: parts.metrics)
        }
        routes.addPublicDocuments(below: prefix)
        routes.addAppLinkRoutes(configuration.linkedApps, below: prefix)
        if let receive = parts.receiveSMSReport {
            routes.addTwilioCallback(publicURL: configuration.publicURL, receive)
        }
        if let receive = parts.receiveCall {
            routes.addTwiMLCallback(
                TwilioCallbackPath.calls, publicURL: configuration.publicURL, receive)
        }
        if let receive = parts.receiveText {
            routes.addTwiMLCallback(
                TwilioCallbackPath.answers, publicURL: configuration.publicURL, receive)
        }
        if let texts = parts.texts { routes.addTextRoute(texts) }
        extend(router)
        return router
    }

    /// Returns what answers requests from the network, with or without the path prefix.
    static func responder(
        _ parts: Parts, _ configuration: Configuration,
        extend: (Router<LifeSignalContext>) -> Void = { _ in }
    ) -> some HTTPResponder<LifeSignalContext> {
        PrefixResponder(
            prefix: PathPrefix(of: configuration.publicURL),
            responder: ChildTaskResponder(
                responder: router(parts, configuration, extend: extend).buildResponder()))
    }

    /// Builds the server, on the socket that the service manager has opened, if there is one.
    /// - Parameters:
    ///   - extend: see `router`.
    ///   - onRunning: called with the port once the server accepts requests.
    public static func service(
        _ parts: Parts, _ configuration: Configuration, logger: Logger,
        extend: (Router<LifeSignalContext>) -> Void = { _ in },
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> any Service {
        let place =
            configuration.sockets.main.map(ListeningPlace.inherited)
            ?? configuration.socketPath.map(ListeningPlace.path)
            ?? .address(configuration.hostname, port: configuration.port)
        return SocketServer(
            on: place, responder(parts, configuration, extend: extend),
            mostConnections: configuration.connections.accepted, reserve: .people, logger: logger,
            handling: connections(parts, configuration), onRunning: onRunning)
    }

    /// Returns what makes the handling of a connection: HTTP, within limits, and perhaps by TLS.
    private static func connections(
        _ parts: Parts, _ configuration: Configuration
    ) -> @Sendable (@escaping HTTPChannelHandler.Responder) -> any ServerChildChannel {
        let registry = ConnectionRegistry(
            configuration.connections,
            report: { event in
                switch event {
                case .refused: parts.metrics.count(.connectionsRefused)
                case .closedForAnother: parts.metrics.count(.connectionsClosed)
                }
            })
        parts.metrics.add(.init(.connections) { Double(registry.count) })
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionGuard(registry: registry)],
            idleTimeout: configuration.idleTimeout,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024,
                maxHeaderFieldCount: 100))
        let certificate = configuration.certificate
        return { responder in
            let plain = LoopBoundChannel(
                base: HTTP1Channel(responder: responder, configuration: http))
            guard let certificate else { return plain }
            return EncryptedChannel(base: plain, certificate: certificate)
        }
    }

    /// Builds the server for health and metrics on a separate port, without rate limits.
    /// - Parameter onRunning: called with the port once the server accepts requests.
    public static func buildInternal(
        _ parts: Parts, _ configuration: Configuration, port: Int, logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> any Service {
        let http = HTTP1Channel.Configuration(idleTimeout: configuration.idleTimeout)
        let place =
            configuration.sockets.health.map(ListeningPlace.inherited)
            ?? .address(configuration.hostname, port: port)
        return SocketServer(
            on: place, internalRouter(parts).buildResponder(), reserve: .operators, logger: logger,
            handling: { HTTP1Channel(responder: $0, configuration: http) }, onRunning: onRunning)
    }

    static func internalRouter(_ parts: Parts) -> Router<LifeSignalContext> {
        let router = Router(
            context: LifeSignalContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: RequestMiddleware(
                proxies: { .none }, metrics: parts.metrics,
                limits: RequestLimits(
                    perAddress: { 0 }, pageCaller: { _ in nil }, now: parts.uptime),
                epoch: parts.network.epoch, logLimit: LogLimit(now: parts.uptime),
                traces: parts.traces))
        RouteBuilder(
            router: router, network: parts.network,
            limiter: RateLimiter(perMinute: 0, now: parts.uptime),
            sessionLimiter: RateLimiter(perMinute: 0, now: parts.uptime)
        ).addHealthRoutes(readiness: parts.readiness, metrics: parts.metrics)
        return router
    }
}

/// A connection by TLS.
private struct EncryptedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let certificate: LiveCertificate

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(TLSHandler(certificate))
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
