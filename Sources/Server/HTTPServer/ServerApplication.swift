import API
import Domain
import Foundation
import Hummingbird
import Logging
import NIOCore
import SafetyNetwork

/// The HTTP side of LifeSignal, put together. Used by the program and by the tests alike.
public enum ServerApplication {
    public struct Configuration: Sendable {
        public var hostname = "127.0.0.1"
        public var port = 8080
        public var publicURL: URL
        /// The last entry of X-Forwarded-For is believed.
        public var trustsProxy = false
        /// Webhooks may go to http and to private addresses.
        public var allowsPrivateWebhooks = false
        /// Requests a minute; 0 for no limit.
        public var requestsPerUser = 600
        public var requestsPerAddress = 1_200
        /// Between two requests, and for the head of the next one.
        public var idleTimeout: TimeAmount = .seconds(20)

        public init(publicURL: URL) { self.publicURL = publicURL }
    }

    /// The dependencies of the routes.
    public struct Parts: Sendable {
        public var network: SafetyNetwork
        public var hub: EventHub
        public var metrics: Metrics
        public var readiness: Readiness
        public var phoneNumbers: PhoneNumberCheck
        public var pictures: PictureWork
        public var noteStreamed: @Sendable (NotificationID, UserID) -> Void = { _, _ in }
        /// The memory for large bodies of all routes, those of the web app included.
        public var largeBodies = LargeBodies()
        /// The user of a page's request, by the session that its cookie stands for: counted
        /// by user, it does not suffer from others at its address. nil for every other request.
        public var pageUser: @Sendable (Request) async -> UserID? = { _ in nil }
        /// The clock of the rate limits.
        public var uptime: @Sendable () -> ContinuousClock.Instant = { .now }
        /// Checks and enters a report of the SMS provider; nil when there is no such provider.
        public var receiveSMSReport:
            (@Sendable (_ url: String, _ signature: String, _ form: Data) async throws -> Bool)?

        /// Answers the voice provider with what to say next, or nil for a request that it has not
        /// signed; nil when there is no such provider.
        public var receiveCall:
            (@Sendable (_ url: String, _ signature: String, _ form: Data) async throws -> String?)?
        /// The same for text messages that people write back.
        public var receiveText:
            (@Sendable (_ url: String, _ signature: String, _ form: Data) async throws -> String?)?
        /// Takes those of a gateway; nil when none brings them.
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

    /// - Parameter extend: adds what other rooms serve under the same limits and the same log.
    public static func router(
        _ parts: Parts, _ configuration: Configuration,
        extend: (Router<LifeSignalContext>) -> Void = { _ in }
    ) -> Router<LifeSignalContext> {
        let router = Router(context: LifeSignalContext.self)
        router.add(
            middleware: RequestMiddleware(
                metrics: parts.metrics,
                limits: RequestLimits(
                    perAddress: configuration.requestsPerAddress,
                    trustsProxy: configuration.trustsProxy, pageUser: parts.pageUser,
                    now: parts.uptime),
                epoch: parts.network.epoch
            )
        )
        let pictures = PictureIntake(
            work: parts.pictures, bodies: parts.largeBodies,
            // Without a limit of requests there is none of pictures.
            perMinute: min(PictureIntake.perMinute, configuration.requestsPerUser),
            now: parts.uptime)
        let routes = RouteBuilder(
            router: router, network: parts.network,
            limiter: RateLimiter(perMinute: configuration.requestsPerUser, now: parts.uptime))
        routes.addSignInRoutes(
            phoneNumbers: parts.phoneNumbers, trustsProxy: configuration.trustsProxy)
        routes.addProfileRoutes(
            phoneNumbers: parts.phoneNumbers, pictures: pictures,
            trustsProxy: configuration.trustsProxy)
        routes.addEmailRoutes(trustsProxy: configuration.trustsProxy)
        routes.addQRCodeRoutes(pictures: pictures)
        routes.addCheckInRoutes()
        routes.addContactRoutes()
        routes.addInvitationRoutes(phoneNumbers: parts.phoneNumbers)
        routes.addPingRoutes()
        routes.addDrillRoutes()
        routes.addAlertRoutes(
            overLimit: RateLimiter(
                perMinute: LastResort.alertsPerMinute, now: parts.uptime))
        routes.addNotificationRoutes(allowsPlainWebhooks: configuration.allowsPrivateWebhooks)
        routes.addEventRoutes(
            hub: parts.hub, metrics: parts.metrics, noteStreamed: parts.noteStreamed)
        routes.addOperatorRoutes(readiness: parts.readiness, metrics: parts.metrics)
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

    /// - Parameters:
    ///   - extend: see `router`.
    ///   - onRunning: called with the port once requests are accepted.
    public static func build(
        _ parts: Parts, _ configuration: Configuration, logger: Logger,
        extend: (Router<LifeSignalContext>) -> Void = { _ in },
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        Application(
            responder: router(parts, configuration, extend: extend).buildResponder(),
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionGuard()],
                    idleTimeout: configuration.idleTimeout,
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024,
                        maxHeaderFieldCount: 100)
                )
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.hostname, port: configuration.port), backlog: 1_024
            ),
            onServerRunning: { channel in
                await onRunning(channel.localAddress?.port ?? configuration.port)
            },
            logger: logger
        )
    }
}
