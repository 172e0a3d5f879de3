import Cryptography
import Delivery
import Domain
import Foundation
import HTTPClient
import HTTPServer
import Hummingbird
import Logging
import Persistence
import SafetyNetwork
import ServiceLifecycle
import UnixSignals
import Web

/// All parts of a server, wired.
struct RunningServer: Sendable {
    let database: SQLiteEngine
    let services: [any Service]
    private let ledger: StreamLedger
    private let now: @Sendable () -> Date
    private let network: SafetyNetwork

    /// - Parameter onRunning: called with the port once requests are accepted.
    init(
        _ settings: ServeSettings, logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) throws {
        let clock = ServerClock.machine(trustsWall: settings.trustsClock)
        let now: @Sendable () -> Date = { clock.now() }
        let metrics = Metrics()
        let hub = EventHub()
        let callers = CallerCache()
        let deadlineWakeup = Wakeup()
        let deliveryWakeups = [Wakeup(), Wakeup()]

        let database = try SQLiteEngine(path: settings.databasePath, now: now) { report in
            metrics.observe(.commits, Double(report.operations))
            metrics.observe(.commitTime, report.duration / .seconds(1))
            if report.failure != nil { metrics.count(.commitFailures) }
            callers.forget(report.outbox.changedSessions)
            hub.publish(report.outbox)
            if let due = report.outbox.nextDue { deadlineWakeup.wake(at: due) }
            if report.outbox.hasDeliveries { for wakeup in deliveryWakeups { wakeup.wake() } }
        }
        let key = try KeyFile.load(settings.keyPath)
        let carrier = SMSCarrier(settings, now: now, logger: logger)
        var environment = SafetyNetwork.Environment(sendCode: carrier.sendCode)
        environment.clock = clock
        environment.sendText = carrier.sendText
        let network = SafetyNetwork(
            database: database, options: Self.options(settings, hasSMS: carrier.provider != nil),
            key: key, callers: callers, environment: environment)
        let ledger = StreamLedger { try await network.markStreamed($0) }
        let deadlineMonitor = DeadlineMonitor(network) {
            Self.enter($0, in: metrics, logger: logger)
        }

        let ledgerWakeup = Wakeup()
        let client = HTTPClient(allowsPrivateAddresses: settings.allowsPrivateWebhooks)
        let lanes: [[any Channel]] = [
            [ConsoleChannel { Terminal.printLine($0) }]
                + (carrier.provider.map {
                    [SMSChannel(provider: $0, validity: settings.smsValidity)]
                } ?? []),
            [WebhookChannel(client: client, key: key, now: now)],
        ]
        // Text messages never wait for a slow webhook.
        let deliveryLoops = zip(["text messages", "webhooks"], zip(lanes, deliveryWakeups)).map {
            name, lane in
            let worker = DeliveryWorker(
                database: database, channels: lane.0, limit: Self.triesAtOnce,
                hooks: .init(
                    wake: { lane.1.wake() }, notifyOwner: { try network.notifyOwner($0, in: $1) },
                    report: { Self.enter($0, in: metrics, logger: logger) }))
            return BackgroundLoop(name, .init(wakeup: lane.1, now: now), logger: logger) {
                try await worker.work()
            }
        }
        let deadlineLoop = BackgroundLoop(
            "deadline monitor", .init(wakeup: deadlineWakeup, now: now), logger: logger
        ) {
            try await deadlineMonitor.handleDueDeadlines()
        }
        let ledgerLoop = BackgroundLoop(
            "stream ledger",
            .init(wakeup: ledgerWakeup, shortestNap: .milliseconds(100), now: now), logger: logger
        ) {
            try await ledger.flush()
            return nil
        }
        let retention = Retention(network) { kind, rows in
            metrics.count(.cleanedUp, labels: "kind=\"\(kind)\"", by: Double(rows))
        }
        let retentionLoop = BackgroundLoop(
            "clean-up", .init(longestNap: .minutes(10), now: now), logger: logger
        ) { try await retention.pass() }
        if let health = carrier.health {
            metrics.add(.init(.providerFailing) { health.trouble == nil ? 0 : 1 })
        }
        let sampler = MetricsSampler(
            database: database, hub: hub, clock: clock, metrics: metrics
        ) { [path = settings.databasePath] in BackupNote.age(besides: path, at: $0) }
        let samplerLoop = BackgroundLoop(
            "figures", .init(longestNap: .seconds(5), now: now), logger: logger
        ) {
            try await sampler.refresh(at: now())
            return nil
        }
        let lifeLoop = Self.signsOfLife(of: network, by: clock, now: now, logger: logger)
        let loops = deliveryLoops + [deadlineLoop, ledgerLoop, retentionLoop]
        let parts = ServerApplication.Parts(
            network: network, hub: hub, metrics: metrics,
            readiness: Readiness(
                database: database, deadlineMonitor: deadlineMonitor, loops: loops, clock: clock,
                warnings: [{ [carrier.health?.warning].compactMap(\.self) }]),
            phoneNumbers: .libphonenumber(except: Set(settings.testNumbers.keys)),
            noteStreamed: { notification, user in
                if ledger.note(notification, user: user) { ledgerWakeup.wake() }
            },
            receiveSMSReport: carrier.reportReceiver(database: database)
        )
        let configuration = Self.configuration(settings)
        let api = ServerApplication.router(parts, configuration).buildResponder()
        let pages = WebServer(
            backend: .serving(network, api: api, time: now, logger: logger),
            publicURL: settings.publicURL, trustsProxy: settings.trustsProxy)
        let application = ServerApplication.build(
            parts, configuration, logger: logger, extend: pages.addRoutes, onRunning: onRunning)
        self.database = database
        self.ledger = ledger
        self.network = network
        self.now = now
        // Stopped from the last to the first: streams, then requests, then the work behind them.
        services =
            loops + [samplerLoop, lifeLoop, application, EventHubService(hub: hub), pages.service]
    }

    /// Serves until a signal or a cancellation stops it. Everything that was answered is on disk
    /// before it returns.
    func run(signals: [UnixSignal], logger: Logger) async throws {
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: signals, logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(7)
        try await network.wake()
        // The file lock says that nobody else has this database: what was being tried when the last
        // server died is due now.
        try await database.write(about: .none) { try $0.releaseLeases() }
        let outcome: Result<Void, any Error>
        do {
            try await ServiceGroup(configuration: configuration).run()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        try? await ledger.flush()
        _ = try? await network.giveSignOfLife()
        try database.close()
        try outcome.get()
    }

    private static func options(_ settings: ServeSettings, hasSMS: Bool) -> SafetyNetwork.Options {
        var options = SafetyNetwork.Options(publicURL: settings.publicURL)
        options.intervalLimits = settings.allowsDemoIntervals ? .demonstration : .standard
        options.testNumbers = settings.testNumbers
        options.codesPerNumber = settings.codesPerNumber
        options.codesPerAddress = settings.codesPerAddress
        options.codesPerHour = settings.codesPerHour
        options.checkInsPerHour = settings.checkInsPerHour
        options.isSMSAvailable = hasSMS
        options.retention.ledger = settings.ledgerKept
        options.showsNotifications = settings.showsNotifications
        return options
    }

    private static func configuration(_ settings: ServeSettings) -> ServerApplication.Configuration
    {
        var configuration = ServerApplication.Configuration(publicURL: settings.publicURL)
        configuration.hostname = settings.host
        configuration.port = settings.port
        configuration.trustsProxy = settings.trustsProxy
        configuration.allowsPrivateWebhooks = settings.allowsPrivateWebhooks
        configuration.requestsPerUser = settings.requestsPerUser
        configuration.requestsPerAddress = settings.requestsPerAddress
        return configuration
    }

    /// For each of the two lanes.
    private static let triesAtOnce = 128

    private static func enter(_ report: DeliveryReport, in metrics: Metrics, logger: Logger) {
        let channel = "channel=\"\(report.channel.rawValue)\""
        metrics.count(.deliveries, labels: "\(channel),state=\"\(report.state.rawValue)\"")
        guard let reason = report.reason else { return }
        metrics.count(.deliveryFailures, labels: "\(channel),reason=\"\(reason.group)\"")
        // Anyone may register a webhook that fails; a provider's failure is the operator's
        // business.
        logger.log(
            level: report.channel == .webhook ? .info : .warning, "a delivery did not get through",
            metadata: [
                "channel": "\(report.channel.rawValue)", "state": "\(report.state.rawValue)",
                "reason": "\(reason)",
            ])
    }

    private static func enter(_ report: DeadlineMonitor.Report, in metrics: Metrics, logger: Logger)
    {
        metrics.count(.missed, by: Double(report.missed))
        metrics.count(.reminders, by: Double(report.reminders))
        metrics.count(.repeatedAlerts, by: Double(report.repeatedAlerts))
        for delay in report.delays {
            metrics.observe(.missedDelay, delay / .seconds(1))
            if delay > .seconds(1) { metrics.count(.lateDeadlines) }
        }
        for failure in report.failures {
            logger.error(
                "the deadline monitor put something off", metadata: ["reason": "\(failure)"])
        }
    }
}
