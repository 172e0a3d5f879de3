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
    /// Each of the two lanes has as many.
    private static let triesAtOnce = 128
    /// A service that hangs may hold a quarter of them.
    private static let browsersAtOnce = 1_024

    private let open: OpenDatabase
    let services: [any Service]
    private let ledger: StreamLedger
    private let now: @Sendable () -> Date
    private let network: SafetyNetwork

    /// - Parameter onRunning: called with the port once requests are accepted.
    init(
        _ settings: ServeSettings, logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) async throws {
        let metrics = Metrics()
        let hub = EventHub()
        let callers = CallerCache(oldest: settings.database.oldestCaller)
        let deadlineWakeup = Wakeup()
        let deliveryWakeups = DeliveryLane.names.map { _ in Wakeup() }

        let open = try OpenDatabase(settings) { report in
            metrics.observe(.commits, Double(report.operations))
            metrics.observe(.commitTime, report.duration / .seconds(1))
            if report.failure != nil { metrics.count(.commitFailures) }
            callers.forget(report.outbox.changedSessions)
            hub.publish(report.outbox)
            if let due = report.outbox.nextDue { deadlineWakeup.wake(at: due) }
            if report.outbox.hasDeliveries { for wakeup in deliveryWakeups { wakeup.wake() } }
        } receive: { hint in
            guard let hint else {
                callers.forgetAll()
                hub.receiveAnything()
                deadlineWakeup.wake()
                return
            }
            callers.forget(hint.endedSessions.union(hint.renewedSessions))
            hub.receive(hint)
            if let due = hint.nextDue { deadlineWakeup.wake(at: due) }
        }
        let (database, clock) = (open.engine, open.clock)
        let now: @Sendable () -> Date = { clock.now() }
        let key = try await settings.key.load(
            for: database, acceptsNewKey: settings.acceptsNewKey)
        let carrier = SMSCarrier(settings, now: now, logger: logger)
        var environment = SafetyNetwork.Environment(sendCode: carrier.sendCode)
        environment.clock = clock
        environment.sendText = carrier.sendText
        let mail = MailCarrier(settings.reach.mail, now: now, logger: logger)
        environment.sendInvitation = { message, fail in
            switch message {
            case .text(let number, let text, let id):
                carrier.sendInvitation(to: number, text, id, fail: fail)
            case .mail(let address, let subject, let paragraphs, let refusal):
                mail.sendInvitation(
                    to: address, subject: subject, paragraphs: paragraphs,
                    refusal: UnsubscribePath.url(settings.publicURL, token: refusal), fail: fail)
            }
        }
        environment.sendEmailCode = mail.sendCode
        let network = SafetyNetwork(
            database: database, options: Self.options(settings, hasSMS: carrier.provider != nil),
            key: key, callers: callers, environment: environment)
        let ledger = StreamLedger { try await network.markStreamed($0) }
        let deadlineMonitor = DeadlineMonitor(network) {
            Self.enter($0, in: metrics, logger: logger)
        }

        let ledgerWakeup = Wakeup()
        let client = HTTPClient(allowsPrivateAddresses: settings.allowsPrivateWebhooks)
        let calls = CallCarrier(settings, network, key: key, now: now)
        let apps = AppLanes(settings.apps, key: key, now: now, logger: logger)
        apps.addGauges(to: metrics)
        let lanes: [[any Channel]] =
            [
                [ConsoleChannel { Terminal.printLine($0) }],
                carrier.provider.map {
                    [
                        SMSChannel(
                            provider: StopNoticingProvider($0) { number in
                                // If it can't be entered, the next message tells it again.
                                try? await network.stopTexts(to: number)
                            },
                            validity: settings.smsValidity,
                            takesAnswers: settings.smsAnswers != nil,
                            links: network.links(in: .sms))
                    ]
                } ?? [],
                [
                    mail.channel(
                        key: key, publicURL: settings.publicURL, pages: network.links(in: .email))
                ].compactMap(\.self),
                [calls?.channel].compactMap(\.self),
                [WebhookChannel(client: client, key: key, now: now)],
                [
                    WebPushChannel(
                        client: HTTPClient(
                            allowsPrivateAddresses: settings.allowsPrivateWebhooks,
                            connections: Self.browsersAtOnce),
                        key: key, sender: Self.sender(settings, network),
                        limit: Self.browsersAtOnce, now: now)
                ],
            ] + apps.lanes
        // Nothing waits for a slow provider, webhook or push service.
        let deliveryLoops = zip(DeliveryLane.names, zip(lanes, deliveryWakeups)).map { name, lane in
            let limit =
                switch lane.0.first?.kind {
                case .webPush: Self.browsersAtOnce
                case .apns, .fcm: AppLanes.triesAtOnce
                default: Self.triesAtOnce
                }
            let worker = DeliveryWorker(
                database: database, channels: lane.0, limit: limit,
                budgets: settings.reach.budgets,
                hooks: Self.hooks(network, lane.1, metrics, logger))
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
            .init(wakeup: ledgerWakeup, shortestPause: .milliseconds(100), now: now), logger: logger
        ) {
            try await ledger.flush()
            return nil
        }
        let retention = Retention(network) { kind, rows in
            metrics.count(.cleanedUp, labels: "kind=\"\(kind)\"", by: Double(rows))
        }
        let retentionLoop = BackgroundLoop(
            "clean-up", .init(longestPause: .minutes(10), now: now), logger: logger
        ) { try await retention.pass() }
        let deviceTestLoop = BackgroundLoop(
            "device tests", .init(longestPause: .minutes(10), now: now), logger: logger
        ) { try await network.testSilentDevices() }
        if let health = carrier.health {
            metrics.add(.init(.providerFailing) { health.trouble == nil ? 0 : 1 })
        }
        let budgets = BudgetWatch(settings.reach.budgets, metrics: metrics, logger: logger)
        let sampler = MetricsSampler(
            network, hub: hub, clock: clock, metrics: metrics,
            backupAge: settings.database.backupAge)
        let samplerLoop = BackgroundLoop(
            "metrics", .init(longestPause: .seconds(5), now: now), logger: logger
        ) {
            try await sampler.refresh(at: now())
            budgets.note(try await database.read { try $0.spending() }, at: now())
            return nil
        }
        let lifeLoop = Self.signsOfLife(of: network, by: clock, now: now, logger: logger)
        let newsLoop = open.newsOfOthers(for: hub, now: now, logger: logger)
        let loops =
            deliveryLoops + [deadlineLoop, ledgerLoop, retentionLoop, deviceTestLoop]
            + [newsLoop].compactMap(\.self)
        let providers: @Sendable () -> [String] = {
            let all = [carrier.health].compactMap(\.self) + Array(apps.health.values)
            return all.compactMap(\.warning)
        }
        let workLoops = deliveryLoops + [deadlineLoop]
        let disk = settings.database
        let heartbeat = Self.heartbeat(settings, now: now, logger: logger) {
            Vitals(
                database: await Readiness.problems(of: database),
                loops: workLoops.map(Vitals.Loop.init), freeDisk: disk.freeDisk,
                providers: providers())
        }
        let heartbeatLoop = heartbeat.map { Self.loop(of: $0, now: now, logger: logger) }
        var parts = ServerApplication.Parts(
            network: network, hub: hub, metrics: metrics,
            readiness: Readiness(
                database: database, deadlineMonitor: deadlineMonitor, loops: loops, clock: clock,
                warnings: [
                    providers, { budgets.warnings }, { [heartbeat?.warning].compactMap(\.self) },
                ]),
            phoneNumbers: .libphonenumber(except: Set(settings.testNumbers.keys)),
            noteStreamed: { notification, user in
                if ledger.note(notification, user: user) { ledgerWakeup.wake() }
            },
            receiveSMSReport: carrier.reportReceiver(for: network)
        )
        if let calls { parts.receiveCall = calls.answer }
        let inbox = TextInbox(settings, network, carrier)
        (parts.receiveText, parts.texts) = (inbox?.twilio, inbox?.gateway)
        let configuration = Self.configuration(settings)
        let api = ServerApplication.router(parts, configuration).buildResponder()
        let pages = WebServer(
            backend: .serving(network, api: api, time: now, logger: logger),
            publicURL: settings.publicURL, trustsProxy: settings.trustsProxy,
            largeBodies: parts.largeBodies)
        parts.pageUser = pages.user(of:)
        let application = ServerApplication.build(
            parts, configuration, logger: logger, extend: pages.addRoutes, onRunning: onRunning)
        self.open = open
        self.ledger = ledger
        self.network = network
        self.now = now
        // Stopped from the last to the first: streams, then requests, then the work behind them.
        services =
            loops + [heartbeatLoop].compactMap(\.self)
            + [samplerLoop, lifeLoop, application, EventHubService(hub: hub), pages.service]
    }

    /// Serves until a signal or a cancellation stops it. Everything that was answered is on disk
    /// before it returns.
    func run(signals: [UnixSignal], logger: Logger) async throws {
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: signals, logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(7)
        try await network.wake()
        try open.checkNoTransferHasBegun()
        // The file lock says that nobody else has this database: what was being tried when the last
        // server died is due now.
        if !open.engine.isShared {
            try await open.engine.write(about: .none) { try $0.releaseLeases() }
        }
        let outcome: Result<Void, any Error>
        do {
            try await ServiceGroup(configuration: configuration).run()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        try? await ledger.flush()
        _ = try? await network.giveSignOfLife()
        try open.close()
        try outcome.get()
    }
}
