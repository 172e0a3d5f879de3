import Cryptography
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
        // Reads the key first, so that an unusable key is reported before a database file is made.
        _ = try settings.key.read()
        let metrics = Metrics()
        let news = CommitNews(settings, metrics: metrics)
        open = try OpenDatabase(settings, report: news.pass, receive: news.receive)
        let (database, clock) = (open.engine, open.clock)
        let now: @Sendable () -> Date = { clock.now() }
        let key = try await settings.key.load(
            for: database, acceptsNewKey: settings.acceptsNewKey)

        let direct = Carriers.Direct(settings, now: now, logger: logger)
        let codes = CodeWatch(metrics: metrics, now: now, logger: logger)
        var environment = direct.environment()
        environment.clock = clock
        environment.noteCodeBound = codes.note
        environment.findKey = { settings.key.find($0) }
        var options = SafetyNetwork.Options(settings, hasSMS: direct.hasSMS)
        options.liveSignUpPolicy = signUp
        let network = SafetyNetwork(
            database: database, options: options, key: key,
            callers: news.callers, environment: environment)
        self.network = network
        let carriers = Carriers(direct, settings, network, key: key, now: now, logger: logger)
        carriers.addGauges(to: metrics)

        let phoneNumbers = PhoneNumberCheck.libphonenumber(
            except: Set(settings.testNumbers.keys), country: settings.country)
        let start = Self.startWork(
            network, phoneNumbers, keepsCopy: settings.firestore != nil, logger: logger)
        self.start = start
        let ledger = StreamLedger { try await network.events.markStreamed($0) }
        self.ledger = ledger
        let ledgerWakeup = Wakeup()

        let reports = WorkReports(metrics: metrics, logger: logger)
        let version = LifeSignal.configuration.version
        let traces = TraceSending(settings, version: version, metrics: metrics)
        clockSets = ClockSetWatch { [loops = news.loops] in
            // Reads the clock, so that the loops see the new time.
            _ = clock.now()
            loops.wake()
        }
        let work = BackgroundWork(
            network: network, start: start, news: news, reports: reports, clock: clock, now: now,
            noticesClockSets: clockSets != nil, traces: traces?.recorder)
        let copy = FirestoreCopying(settings, network, metrics: metrics, now: now, logger: logger)
        let deadlineMonitor = DeadlineMonitor(network) { reports.enter($0) }
        let deadlines = work.deadlines(deadlineMonitor)
        let urgent = work.deliveries(over: carriers, settings.reach.budgets) + [deadlines]
        let lessUrgent = [
            work.ledger(ledger, wakeup: ledgerWakeup), work.cleanUp(), work.deviceTests(),
            work.planRepairs(), work.announcements(), work.numberMoves(),
            work.keyRenewal(), work.sourceSilence(),
            work.reachNews(), open.newsOfOthers(for: news.hub, now: now, logger: logger),
            work.refreshes(by: carriers.apns), work.copies(by: copy),
        ]
        let loops = urgent + lessUrgent.compactMap(\.self)

        ProcessMetrics.add(
            to: metrics, descriptorLimit: Process.descriptorLimit, version: version)
        let budgets = BudgetWatch(settings.reach.budgets, metrics: metrics, logger: logger)
        let sampler = MetricsSampler(
            network, channels: options.channels, hub: news.hub, clock: clock, metrics: metrics,
            backupAge: settings.database.backupAge)
        let heartbeat = Heartbeat.calling(
            settings.heartbeatURL, watching: urgent, deadlineMonitor, DatabaseProbe(database),
            settings.database, carriers, now: now, logger: logger)

        var parts = ServerApplication.Parts(
            network: network, hub: news.hub, metrics: metrics,
            readiness: Readiness(
                database: database, deadlineMonitor: deadlineMonitor, deadlineLoop: deadlines,
                loops: loops, clock: clock,
                warnings: [
                    { carriers.warnings }, { budgets.warnings }, { codes.warnings },
                    { [heartbeat?.warning, copy?.worker.warning].compactMap(\.self) },
                    { [DiskSpace.warning(free: settings.database.freeDisk)].compactMap(\.self) },
                    { network.keyRotation.isBehind ? [KeySource.missingKey] : [] },
                ]),
            phoneNumbers: phoneNumbers)
        parts.noteStreamed = { notification, user in
            if ledger.note(notification, user: user) { ledgerWakeup.wake() }
        }
        parts.traces = traces?.recorder
        parts.receiveSMSReport = carriers.sms.reportReceiver(for: network) { reports.enter($0) }
        if let calls = carriers.calls {
            parts.receiveCall = { url, signature, form in
                try await calls.answer(url, signature, form) { reports.enter($0) }
            }
        }
        let inbox = TextInbox(settings, network, carriers.sms, phoneNumbers) { reports.enter($0) }
        (parts.receiveText, parts.texts) = (inbox?.twilio, inbox?.gateway)

        var configuration = ServerApplication.Configuration(settings)
        configuration.limits = limits
        configuration.liveProxies = proxies
        configuration.sockets = sockets
        configuration.certificate = certificate
        if sockets.health != nil, configuration.internalPort == nil {
            configuration.internalPort = 0
        }
        let api = ServerApplication.router(parts, configuration).buildResponder()
        let pages = WebServer(
            backend: .serving(network, api: api, time: now, logger: logger),
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
        let renewal = certificate.flatMap { settings.tls?.loop($0, now: now, logger: logger) }
        let watching = [
            heartbeat?.loop(now: now, logger: logger), traces?.loop(now: now, logger: logger),
            renewal, sampler.loop(budgets, now: now, logger: logger),
            .signsOfLife(
                of: network, after: start, by: clock, news: news,
                noticesClockSets: clockSets != nil, now: now, logger: logger),
        ]
        news.loops.set(loops + watching.compactMap(\.self))
        // Services stop in reverse order: streams, then requests, then the work behind them.
        let administration = settings.adminSocket.map { path -> any Service in
            let desk = AdminDesk(network, phoneNumbers: phoneNumbers, test: carriers.test)
            return AdminSocket(at: path, desk, logger: logger)
        }
        let own: [any Service] =
            loops + watching.compactMap(\.self)
            + [application, EventHubService(hub: news.hub), pages.service]
        let watchdog = manager.map { manager -> any Service in
            Watchdog(manager, watching: deadlines, deadlineMonitor, database, by: clock)
        }
        let messages: any Service = MessagesAtStop(messages: direct.messages)
        services =
            [messages, monitored].compactMap(\.self) + own
            + [administration, watchdog].compactMap(\.self) + others
    }

    /// Returns the writes that come before all background work.
    private static func startWork(
        _ network: SafetyNetwork, _ phoneNumbers: PhoneNumberCheck, keepsCopy: Bool,
        logger: Logger
    ) -> StartWork {
        StartWork {
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
            // Changes without a copy aren't noted, so a later server has to copy everyone.
            if !keepsCopy, try await network.database.read({ try $0.filledCopies() }) != nil {
                try await network.database.write(about: .none) { try $0.forgetCopiesFilled() }
            }
            // The file lock excludes other servers from this database. So deliveries that the
            // previous server was trying when it died are due now.
            guard !network.database.isShared else { return }
            try await network.database.write(about: .none) { try $0.releaseLeases() }
        }
    }

    // MARK: Running

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
