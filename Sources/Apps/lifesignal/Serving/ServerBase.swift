import Cryptography
import Delivery
import Domain
import Foundation
import HTTPServer
import Logging
import Persistence
import SafetyNetwork
import Traces

/// What the loops and routes of a server share: the open database, the commands and the carriers.
struct ServerBase: Sendable {
    let settings: ServeSettings
    let logger: Logger
    let metrics: Metrics
    let news: CommitNews
    let open: OpenDatabase
    let now: @Sendable () -> Date
    let codes: CodeWatch
    let network: SafetyNetwork
    /// The channels that the server offers.
    let channels: Set<DeliveryChannel>
    /// The messages outside of the delivery queue.
    let messages: DirectMessages
    let carriers: Carriers
    let phoneNumbers: PhoneNumberCheck
    let ledger: StreamLedger
    let ledgerWakeup = Wakeup()
    let reports: WorkReports

    var database: any DatabaseEngine { self.open.engine }
    var clock: ServerClock { self.open.clock }

    /// Opens the database.
    init(_ settings: ServeSettings, signUp: LiveSignUpPolicy?, logger: Logger) async throws {
        // Reads the key first, so that an unusable key is reported before a database file is made.
        _ = try settings.key.read(adviceIfShort: KeySource.adviceIfShort)
        let metrics = Metrics()
        let news = CommitNews(settings, metrics: metrics)
        let open = try OpenDatabase(settings, report: news.pass, receive: news.receive)
        let clock = open.clock
        let now: @Sendable () -> Date = { clock.now() }
        let key = try await settings.key.load(
            for: open.engine, acceptsNewKey: settings.acceptsNewKey)

        let direct = Carriers.Direct(settings, now: now, logger: logger)
        let codes = CodeWatch(metrics: metrics, now: now, logger: logger)
        var environment = direct.environment()
        environment.clock = clock
        environment.noteCodeBound = codes.note
        environment.noteCorrection = { logger.warning("\($0.words)") }
        environment.noteNewKey = { people in
            logger.warning(
                "the server continues with a new key; recovery codes of the lost one ended",
                metadata: ["people": "\(people)"])
        }
        environment.findKey = { settings.key.find($0) }
        var options = SafetyNetwork.Options(settings, hasSMS: direct.hasSMS)
        options.liveSignUpPolicy = signUp
        let network = SafetyNetwork(
            database: open.engine, options: options, key: key, callers: news.callers,
            environment: environment)
        let carriers = Carriers(direct, settings, network, key: key, now: now, logger: logger)
        carriers.addGauges(to: metrics)

        self.settings = settings
        self.logger = logger
        self.metrics = metrics
        self.news = news
        self.open = open
        self.now = now
        self.codes = codes
        self.network = network
        channels = options.channels
        messages = direct.messages
        self.carriers = carriers
        phoneNumbers = .libphonenumber(
            except: Set(settings.testNumbers.keys), country: settings.country)
        ledger = StreamLedger { try await network.events.markStreamed($0) }
        reports = WorkReports(metrics: metrics, logger: logger)
    }

    /// Returns what wakes the loops when the clock is set; nil if the system doesn't tell.
    func clockSetWatch() -> ClockSetWatch? {
        ClockSetWatch { [clock, loops = news.loops] in
            // Reads the clock, so that the loops see the new time.
            _ = clock.now()
            loops.wake()
        }
    }

    /// Returns what the API's routes need.
    func parts(readiness: Readiness, traces: TraceRecorder?) -> ServerApplication.Parts {
        var parts = ServerApplication.Parts(
            network: network, hub: news.hub, metrics: metrics, readiness: readiness,
            phoneNumbers: phoneNumbers)
        parts.noteStreamed = { [ledger, ledgerWakeup] notification, user in
            if ledger.note(notification, user: user) { ledgerWakeup.wake() }
        }
        parts.traces = traces
        let reports = reports
        parts.receiveSMSReport = carriers.sms.reportReceiver(for: network) { reports.enter($0) }
        if let calls = carriers.calls {
            parts.receiveCall = { url, signature, form in
                try await calls.answer(url, signature, form) { reports.enter($0) }
            }
        }
        let inbox = TextInbox(settings, network, carriers.sms, phoneNumbers) { reports.enter($0) }
        (parts.receiveText, parts.texts) = (inbox?.twilio, inbox?.gateway)
        return parts
    }
}

extension ClockCorrection {
    /// Words for the log.
    fileprivate var words: String {
        """
        the server's time was corrected by \(by.components.seconds) s. So were the times that it \
        recorded from \(Timestamp.text(since)) to \(Timestamp.text(until)).
        """
    }
}
