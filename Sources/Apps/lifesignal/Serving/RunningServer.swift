import API
import Delivery
import Domain
import Foundation
import HTTPServer
import Hummingbird
import Logging
import Persistence
import SafetyNetwork
import ServiceLifecycle
import TLS
import UnixSignals
import Web

struct RunningServer: Sendable {
    /// The time limit for requests in progress at shutdown. Slower requests are cancelled.
    private static let longestFarewell: Duration = .seconds(7)
    /// The time limit for the whole shutdown with PostgreSQL, in case the database hangs.
    private static let longestStop: Duration = .milliseconds(8_500)

    private let settings: ServeSettings
    private let open: OpenDatabase
    private let services: [any Service]
    private let ledger: StreamLedger
    private let network: SafetyNetwork
    private let start: StartWork
    /// nil if the system doesn't tell.
    private let clockSets: ClockSetWatch?

    /// - Parameters:
    ///   - others: further services that run as long as the server.
    ///   - sockets: the listening sockets of the service manager.
    ///   - limits: limits that can change while the server runs; nil for those of the settings.
    ///   - proxies: the same for trusted proxies.
    ///   - signUp: the same for who may open an account.
    ///   - certificate: the certificate of `settings.tls`.
    ///   - manager: systemd, if it has started this process.
    ///   - onInternal: called with the port for health and metrics once it accepts requests.
    ///   - onRunning: called with the port once the server accepts requests.
    init(
        _ settings: ServeSettings, besides others: [any Service] = [],
        sockets: InheritedSockets = InheritedSockets(), limits: LiveLimits? = nil,
        proxies: LiveProxies? = nil, signUp: LiveSignUpPolicy? = nil,
        certificate: LiveCertificate? = nil, manager: ServiceManager? = nil, logger: Logger,
        onInternal: @escaping @Sendable (Int) async -> Void = { _ in },
        onRunning: @escaping @Sendable (Int) async -> Void
    ) async throws {
        let base = try await ServerBase(settings, signUp: signUp, logger: logger)
        self.settings = settings
        (open, network, ledger) = (base.open, base.network, base.ledger)
        let start = Self.startWork(base)
        self.start = start
        clockSets = base.clockSetWatch()
        let traces = TraceSending(
            settings, version: LifeSignal.configuration.version, metrics: base.metrics)
        let loops = WorkLoops(
            base,
            BackgroundWork(
                network: base.network, start: start, news: base.news, reports: base.reports,
                clock: base.clock, now: base.now, noticesClockSets: clockSets != nil,
                traces: traces?.recorder))
        let watch = OperatorWatch(base, loops)

        var configuration = ServerApplication.Configuration(settings)
        configuration.limits = limits
        configuration.liveProxies = proxies
        configuration.sockets = sockets
        configuration.certificate = certificate
        if sockets.health != nil, configuration.internalPort == nil {
            configuration.internalPort = 0
        }
        var parts = base.parts(readiness: watch.readiness, traces: traces?.recorder)
        let api = ServerApplication.router(parts, configuration).buildResponder()
        let pages = WebServer(
            backend: .serving(base.network, api: api, time: base.now, logger: logger),
            publicURL: settings.publicURL, otherURLs: settings.otherURLs,
            largeBodies: parts.largeBodies)
        parts.pageCaller = pages.caller(of:)
        let application = ServerApplication.service(
            parts, configuration, logger: logger, extend: pages.addRoutes
        ) { port in
            await onRunning(port)
            manager?.tell(.ready)
        }
        let monitored = configuration.internalPort.map { port -> any Service in
            ServerApplication.buildInternal(
                parts, configuration, port: port, logger: logger, onRunning: onInternal)
        }

        let renewal = certificate.flatMap { settings.tls?.loop($0, now: base.now, logger: logger) }
        let watching = [
            watch.heartbeat?.loop(now: base.now, logger: logger),
            traces?.loop(now: base.now, logger: logger), renewal,
            watch.sampler.loop(watch.budgets, base.carriers, now: base.now, logger: logger),
            .signsOfLife(
                of: base.network, after: start, by: base.clock, news: base.news,
                noticesClockSets: clockSets != nil, now: base.now, logger: logger),
            BackgroundLoop.wakefulness(
                of: base.network, after: start, now: base.now, logger: logger),
        ]
        let background = loops.all + watching.compactMap(\.self)
        base.news.loops.set(background)
        // Services stop in reverse order: streams, then requests, then the work behind them.
        let administration = settings.adminSocket.map { path -> any Service in
            let desk = AdminDesk(
                base.network, phoneNumbers: base.phoneNumbers,
                test: { [carriers = base.carriers] in try await carriers.test($0, to: $1) },
                health: { [readiness = watch.readiness] in
                    Health(problems: await readiness.problems(), warnings: readiness.warnings())
                })
            return AdminSocket(at: path, desk, logger: logger)
        }
        let own: [any Service] =
            background + [application, EventHubService(hub: base.news.hub), pages.service]
        let watchdog = manager.map { manager -> any Service in
            Watchdog(
                manager, watching: loops.deadlines, loops.deadlineMonitor, base.database,
                by: base.clock)
        }
        let messages: any Service = MessagesAtStop(messages: base.messages)
        services =
            [messages, monitored].compactMap(\.self) + own
            + [administration, watchdog].compactMap(\.self) + others
    }

    /// Returns the writes that come before all background work.
    private static func startWork(_ base: ServerBase) -> StartWork {
        let (network, phoneNumbers, logger) = (base.network, base.phoneNumbers, base.logger)
        let keepsCopy = base.settings.firestore != nil
        return StartWork {
            try await network.serverLife.wake()
            if let secret = try await network.signUpTokens.makeFirst() {
                Terminal.printLine("The first account: \(network.signUpTokens.link(for: secret))")
            }
            // Must run before the first request. Otherwise, a person could sign up a second time
            // with another form of a stored number.
            let outcome = try await network.numberForms.canonicaliseNumbers(phoneNumbers.canonical)
            if outcome != .init() {
                logger.notice(
                    "phone numbers were brought into one form",
                    metadata: ["changed": "\(outcome.changed)", "taken": "\(outcome.taken)"])
            }
            try await network.serverLife.prepareStart(keepsCopy: keepsCopy)
        }
    }

    // MARK: Running

    /// Logs what the operator should mend. A refusal would stop a server that people rely on.
    private func warn(_ logger: Logger) {
        // Requires the check of the key: a wrong `--key-file` may name any file of the machine.
        if let exposure = settings.key.exposure {
            logger.warning("the server's key is no secret", metadata: ["reason": "\(exposure)"])
        }
        if let reason = DiskSpace.warning(free: settings.database.freeDisk) {
            logger.warning("free some space", metadata: ["reason": "\(reason)"])
        }
    }

    /// Runs the server until a signal or a cancellation stops it. Returns once all answered
    /// requests are on disk.
    func run(signals: [UnixSignal], logger: Logger) async throws {
        do {
            try await start.finish()
        } catch let error as DatabaseError where error.isOfFullDisk && !open.engine.isShared {
            logger.error(
                "the server has started, and can only read", metadata: ["reason": "\(error)"])
        }
        try open.checkNoTransferHasBegun()
        warn(logger)
        guard open.engine.isShared else { return try await serve(services, signals, logger) }
        let (ends, end) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
        let deadline = StopDeadline(limit: Self.longestStop) {
            logger.warning("the database does not answer; stopped without a last sign of life")
            end.yield(.success(()))
        }
        let serving = Task {
            do {
                try await serve(services + [deadline], signals, logger)
                end.yield(.success(()))
            } catch {
                end.yield(.failure(error))
            }
        }
        let outcome = await withTaskCancellationHandler {
            await ends.first { _ in true }
        } onCancel: {
            serving.cancel()
        }
        // A cancellation ended the stream before an outcome, but the task still runs.
        guard let outcome else { return await serving.value }
        try outcome.get()
    }

    private func serve(
        _ services: [any Service], _ signals: [UnixSignal], _ logger: Logger
    ) async throws {
        // At debug, the group would log all properties of services, secrets among them.
        var logger = logger
        logger.logLevel = max(Logs.level, .info)
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: signals, logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.longestFarewell
        let outcome: Result<Void, any Error>
        do {
            try await ServiceGroup(configuration: configuration).run()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        clockSets?.end()
        try? await ledger.flush()
        if start.isDone { _ = try? await network.serverLife.giveSignOfLife() }
        try open.close()
        try outcome.get()
    }
}

/// Waits at shutdown for messages outside of the delivery queue. Must be the first service, which
/// stops last: requests that are still answered may begin such messages.
private struct MessagesAtStop: Service {
    let messages: DirectMessages

    func run() async throws {
        do {
            try await gracefulShutdown()
        } catch {
            await messages.finish()
            throw error
        }
        await messages.finish()
    }
}

/// Starts a time limit at shutdown. Must be the last service, because services stop in reverse
/// order.
private struct StopDeadline: Service {
    let limit: Duration
    let pass: @Sendable () -> Void

    func run() async throws {
        try await gracefulShutdown()
        // The task outlives the services.
        Task {
            try await Task.sleep(for: limit)
            pass()
        }
    }
}
