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
import Web

/// A server with all its parts connected.
struct RunningServer: Sendable {
    let open: OpenDatabase
    let services: [any Service]
    let ledger: StreamLedger
    private let now: @Sendable () -> Date
    let network: SafetyNetwork
    let start: StartWork

    /// - Parameter onRunning: called with the port once the server accepts requests.
    init(
        _ settings: ServeSettings, logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) async throws {
        let metrics = Metrics()
        let hub = EventHub()
        let callers = CallerCache(oldest: settings.database.oldestCaller)
        let deadlineWakeup = Wakeup()
        let (reachNews, reachWakeup) = (ReachNews(), Wakeup())
        let (refresh, refreshWakeup) = (
            settings.apps.apns.map { _ in BackgroundRefresh() }, Wakeup()
        )
        let deliveryWakeups = DeliveryLoop.allCases.map { (loop: $0, wakeup: Wakeup()) }

        _ = try settings.key.read()
        let open = try OpenDatabase(settings) { report in
            metrics.observe(.commits, Double(report.operations))
            metrics.observe(.commitTime, report.duration / .seconds(1))
            if report.failure != nil { metrics.count(.commitFailures) }
            callers.forget(report.outbox.changedSessions)
            hub.publish(report.outbox)
            if reachNews.note(report.outbox) { reachWakeup.wake() }
            if refresh?.note(report.outbox) == true { refreshWakeup.wake() }
            if let due = report.outbox.nextDue { deadlineWakeup.wake(at: due) }
            if report.outbox.hasDeliveries { for (_, wakeup) in deliveryWakeups { wakeup.wake() } }
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
        let longestPause = Self.longestPause(beside: database)
        let key = try await settings.key.load(
            for: database, acceptsNewKey: settings.acceptsNewKey)
        let carrier = SMSCarrier(settings, now: now, logger: logger)
        var environment = SafetyNetwork.Environment(sendCode: carrier.sendCode)
        environment.clock = clock
        let codes = CodeWatch(metrics: metrics, now: now, logger: logger)
        environment.noteCodeBound = codes.note
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
        let phoneNumbers = PhoneNumberCheck.libphonenumber(
            except: Set(settings.testNumbers.keys), country: settings.country)
        let start = StartWork {
            try await network.wake()
            try await Self.canonicaliseNumbers(network, phoneNumbers, logger: logger)
            // The file lock ensures that no other server uses this database. So deliveries that the
            // previous server was trying when it died are due now.
            guard !database.isShared else { return }
            try await database.write(about: .none) { try $0.releaseLeases() }
        }
        let ledger = StreamLedger { try await network.markStreamed($0) }
        let deadlineMonitor = DeadlineMonitor(network) {
            Self.enter($0, in: metrics, logger: logger)
        }

        let ledgerWakeup = Wakeup()
        let client = HTTPClient(allowsPrivateAddresses: settings.allowsPrivateWebhooks)
        let calls = CallCarrier(settings, network, key: key, now: now)
        let apps = AppChannels(settings.apps, key: key, now: now, logger: logger)
        apps.addGauges(to: metrics)
        func channels(of loop: DeliveryLoop) -> [any Channel] {
            switch loop {
            case .console: return [ConsoleChannel { Terminal.printLine($0) }]
            case .textMessages:
                guard let provider = carrier.provider else { return [] }
                let noticing = StopNoticingProvider(provider) { number in
                    // If this fails, the provider reports the STOP again at the next message to the
                    // number.
                    try? await network.stopTexts(to: number)
                }
                return [
                    SMSChannel(
                        provider: noticing, validity: settings.smsValidity,
                        takesAnswers: settings.smsAnswers != nil, links: network.links(in: .sms))
                ]
            case .email:
                let links = network.links(in: .email)
                let channel = mail.channel(key: key, publicURL: settings.publicURL, pages: links)
                return [channel].compactMap(\.self)
            case .calls: return [calls?.channel].compactMap(\.self)
            case .webhooks: return [WebhookChannel(client: client, key: key, now: now)]
            case .webPush:
                let client = HTTPClient(
                    allowsPrivateAddresses: settings.allowsPrivateWebhooks,
                    connections: loop.triesAtOnce)
                return [
                    WebPushChannel(
                        client: client, key: key, sender: Self.sender(settings, network),
                        limit: loop.triesAtOnce, now: now)
                ]
            case .apns: return apps.channels(of: .apns)
            case .fcm: return apps.channels(of: .fcm)
            }
        }
        // Each provider has its own loop, so that a slow one delays no other.
        let deliveryLoops = deliveryWakeups.map { loop, wakeup in
            let worker = DeliveryWorker(
                database: database, channels: channels(of: loop), limit: loop.triesAtOnce,
                budgets: settings.reach.budgets,
                hooks: Self.hooks(network, wakeup, metrics, logger))
            return BackgroundLoop(
                loop.rawValue, .init(wakeup: wakeup, longestPause: longestPause, now: now),
                logger: logger,
                work: start.before(now: now) { try await worker.work() })
        }
        let deadlineLoop = BackgroundLoop(
            "deadline monitor", .init(wakeup: deadlineWakeup, now: now), logger: logger,
            work: start.before(now: now) { try await deadlineMonitor.handleDueDeadlines() })
        let ledgerLoop = BackgroundLoop(
            "stream ledger",
            .init(
                wakeup: ledgerWakeup, longestPause: longestPause,
                shortestPause: .milliseconds(100), now: now),
            logger: logger
        ) {
            try await ledger.flush()
            return nil
        }
        let retention = Retention(network) { kind, rows in
            metrics.count(.cleanedUp, labels: "kind=\"\(kind)\"", by: Double(rows))
        }
        let retentionLoop = BackgroundLoop(
            "clean-up", .init(longestPause: .minutes(10), now: now), logger: logger,
            work: start.before(now: now) { try await retention.pass() })
        let deviceTestLoop = BackgroundLoop(
            "device tests", .init(longestPause: .minutes(10), now: now), logger: logger,
            work: start.before(now: now) {
                try await network.warnOfSilence()
                return try await network.testSilentDevices()
            })
        let reachLoop = BackgroundLoop(
            "reachability news",
            .init(
                wakeup: reachWakeup, longestPause: .minutes(1), shortestPause: .milliseconds(200),
                now: now), logger: logger,
            work: start.before(now: now) { try await reachNews.pass(network) })
        let refreshLoop = apps.apns.flatMap { apns in
            refresh.map { refresh in
                BackgroundLoop(
                    "background refresh",
                    .init(
                        wakeup: refreshWakeup, longestPause: .minutes(1),
                        shortestPause: .milliseconds(200), now: now),
                    logger: logger,
                    work: start.before(now: now) {
                        try await refresh.pass(database) { await apns.refresh($0) }
                    })
            }
        }
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
        let lifeLoop = Self.signsOfLife(
            of: network, after: start, by: clock, now: now, logger: logger)
        let newsLoop = open.newsOfOthers(for: hub, now: now, logger: logger)
        let loops =
            deliveryLoops + [deadlineLoop, ledgerLoop, retentionLoop, deviceTestLoop, reachLoop]
            + [newsLoop, refreshLoop].compactMap(\.self)
        let providers: @Sendable () -> [String] = {
            let all = [carrier.health].compactMap(\.self) + Array(apps.health.values)
            return all.compactMap(\.warning)
        }
        let workLoops = deliveryLoops + [deadlineLoop]
        let disk = settings.database
        let probe = DatabaseProbe(database)
        let heartbeat = Self.heartbeat(settings, now: now, logger: logger) {
            Vitals(
                database: await probe.problems(),
                loops: workLoops.map(Vitals.Loop.init), freeDisk: disk.freeDisk,
                providers: providers())
        }
        let heartbeatLoop = heartbeat.map { Self.loop(of: $0, now: now, logger: logger) }
        var parts = ServerApplication.Parts(
            network: network, hub: hub, metrics: metrics,
            readiness: Readiness(
                database: database, deadlineMonitor: deadlineMonitor, loops: loops, clock: clock,
                warnings: [
                    providers, { budgets.warnings }, { codes.warnings },
                    { [heartbeat?.warning].compactMap(\.self) },
                ]),
            phoneNumbers: phoneNumbers)
        parts.noteStreamed = { notification, user in
            if ledger.note(notification, user: user) { ledgerWakeup.wake() }
        }
        parts.receiveSMSReport = carrier.reportReceiver(for: network)
        if let calls { parts.receiveCall = calls.answer }
        let inbox = TextInbox(settings, network, carrier, phoneNumbers) { kind in
            metrics.count(.unreadableTexts, labels: "kind=\"\(kind)\"")
            logger.warning("a text message was not understood", metadata: ["kind": "\(kind)"])
        }
        (parts.receiveText, parts.texts) = (inbox?.twilio, inbox?.gateway)
        let configuration = Self.configuration(settings)
        let api = ServerApplication.router(parts, configuration).buildResponder()
        let pages = WebServer(
            backend: .serving(network, api: api, time: now, logger: logger),
            publicURL: settings.publicURL, proxyHops: settings.proxyHops,
            largeBodies: parts.largeBodies)
        parts.pageUser = pages.user(of:)
        let application = ServerApplication.build(
            parts, configuration, logger: logger, extend: pages.addRoutes, onRunning: onRunning)
        self.open = open
        self.ledger = ledger
        self.network = network
        self.start = start
        self.now = now
        // Services stop in reverse order: streams, then requests, then the work behind them.
        services =
            loops + [heartbeatLoop].compactMap(\.self)
            + [samplerLoop, lifeLoop, application, EventHubService(hub: hub), pages.service]
    }

    /// Returns the longest pause of the background loops. It is shorter if servers share the
    /// database, because the hint of another server's commit may be lost.
    private static func longestPause(beside database: any DatabaseEngine) -> Duration {
        database.isShared ? .seconds(1) : .seconds(5)
    }
}
