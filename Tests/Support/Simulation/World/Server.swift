import Cryptography
import Delivery
import Domain
import Foundation
import Persistence
import SafetyNetwork
import SeededGenerator
import Synchronization

/// One server process: the product's parts, wired as in `RunningServer`, without sockets. The
/// simulator makes the passes of the loops.
final class Server: Sendable {
    let disk: SimulatedDisk
    let network: SafetyNetwork
    let deadlineMonitor: DeadlineMonitor
    let clock: ServerClock
    /// The workers of text messages, free channels and calls.
    let workers: [DeliveryWorker]
    /// The channels of each worker.
    let channels: [[DeliveryChannel]]
    let loops: ServerLoops
    let retention: Retention
    let reachNews: ReachNews
    /// Copies people to the document store; nil in worlds without one.
    let copies: FirestoreWorker?
    let pictureURL: @Sendable (PictureID) -> URL
    let refresh: BackgroundRefresh
    let key: ServerKey
    let signUpPolicy: LiveSignUpPolicy
    private let world: World

    /// Anybody may sign up.
    static let openSignUp = SignUpPolicy(
        mode: .open, countries: nil, includesCountriesOfPeople: true)

    /// - Parameter keyNumber: which key is in the key file.
    init(path: String, boot: Int64, keyNumber: Int, world: World) throws {
        self.world = world
        let time = world.time
        let clock = ServerClock(
            wall: { time.wall }, monotonic: { time.monotonic }, bootID: boot,
            isSynchronised: { world.isSynchronised })
        let now: @Sendable () -> Date = { clock.now() }
        let callers = CallerCache()
        let loops = ServerLoops(time: time)
        let reachNews = ReachNews()
        let refresh = BackgroundRefresh()
        let engine = try SQLiteEngine(
            path: path, now: now, runsOnCallersThread: true,
            notesCopyChanges: world.documents != nil
        ) { report in
            if report.hasWritten { world.notes.noteWrite() }
            callers.forget(report.outbox.changedSessions)
            world.notes.add(report.outbox)
            if reachNews.note(report.outbox) { world.notes.noteReach() }
            if refresh.note(report.outbox) { world.notes.noteStaleDevices() }
            loops.call(LoopCalls(report))
        }
        let disk = SimulatedDisk(engine)
        guard let url = URL(string: "https://lifesignal.example"),
            let key = ServerKey(bytes: World.key(keyNumber))
        else { throw DatabaseError.closed }
        var options = SafetyNetwork.Options(publicURL: url)
        options.isSMSAvailable = true
        options.isVoiceAvailable = true
        options.isEmailAvailable = true
        if world.hasBudgets {
            options.budgets = Budgets(
                sms: Budget(total: world.hasTotalBudget ? World.totalSMS : nil, perUser: 40),
                voice: Budget(total: world.hasTotalBudget ? World.totalCalls : nil, perUser: 20))
        }
        options.pushKinds = Set(PushEndpoint.Kind.allCases)
        options.copiesToGoogle = world.documents != nil
        if !world.hasCodeLimits {
            options.codesPerNumber = 1_000
            options.codesPerAddress = 1_000
            options.codesPerHour = 0
        }
        // All people may sign up at once.
        (options.codesToNewNumbers, options.codesToNewNumbersPerCountry) = (0, 0)
        let signUpPolicy = LiveSignUpPolicy(Self.openSignUp)
        options.liveSignUpPolicy = signUpPolicy
        self.signUpPolicy = signUpPolicy
        // Short, so that some of each expire within a month.
        options.retention.ledger = .days(10)
        options.retention.notifications = .days(5)
        options.retention.readNotifications = .days(2)
        options.retention.deliveries = .days(5)
        options.retention.guests = Truth.timeForGuests
        var environment = SafetyNetwork.Environment { number, code in
            world.notes.send(code, to: number)
        }
        environment.clock = clock
        environment.random = world.random
        environment.makeID = world.makeID
        // The text about a deletion contains its code.
        environment.sendText = { number, text in
            world.notes.send(text: text, to: number)
            let digits = text.split { !$0.isNumber }
            if let code = digits.first(where: { $0.count == 6 }) {
                world.notes.send(String(code), to: number)
            }
        }
        environment.sendEmailCode = { address, code, _ in world.notes.send(code, to: address.text) }
        environment.sendInvitation = { message, fail in
            if world.outside.refuses(message) {
                world.notes.add(failing: fail)
            } else {
                world.notes.send(message)
            }
        }
        let budgets = options.budgets
        let pictures = options
        let pictureURL: @Sendable (PictureID) -> URL = { pictures.pictureURL($0) }
        self.pictureURL = pictureURL
        // One after the other, because the order of parallel requests would be random.
        copies = world.documents.map { store in
            FirestoreWorker(
                database: disk, client: store.client(isHonest: false), pictureURL: pictureURL,
                peopleAtOnce: 1, makeLease: { store.lease() })
        }
        let network = SafetyNetwork(
            database: disk, options: options, key: key, callers: callers, environment: environment)
        self.network = network
        retention = Retention(network)
        deadlineMonitor = DeadlineMonitor(network) {
            world.notes.add(failures: $0.failures.map(\.description))
        }
        let reportNow: @Sendable (Outside.Report) async -> Void = { report in
            await Self.enter(report, on: disk)
        }
        let lanes = Self.lanes(network, key, url, world.outside, reportNow)
        workers = lanes.enumerated().map { lane, channels in
            var hooks = DeliveryWorker.Hooks(
                wake: { loops.wake(.lane(lane)) },
                notifyOwner: { try network.endpoints.notifyOwner($0, in: $1) },
                start: { world.outside.start($0, $1) })
            hooks.notifyEmailOwner = {
                try network.emailAddresses.notifyOwner(ofEmail: $0, $1, in: $2)
            }
            return DeliveryWorker(
                database: disk, channels: channels, limit: 16, budgets: budgets,
                jitter: {
                    Double(
                        SeededGenerator.number(world.seed, UInt64(time.now.milliseconds)) % 1_000)
                        / 1_000
                },
                hooks: hooks)
        }
        channels = lanes.map { lane in lane.map { $0.kind } }
        self.loops = loops
        self.reachNews = reachNews
        self.refresh = refresh
        self.disk = disk
        self.clock = clock
        self.key = key
    }

    /// Returns the channels of each worker: SMS, all free channels, and calls.
    private static func lanes(
        _ network: SafetyNetwork, _ key: ServerKey, _ url: URL, _ outside: Outside,
        _ reportNow: @escaping @Sendable (Outside.Report) async -> Void
    ) -> [[any Channel]] {
        func pages(_ channel: DeliveryChannel) -> PageLinks {
            PageLinks(
                alert: { network.guestAlerts.alertLink(to: $0, $1, in: channel) },
                drill: { network.guestDrills.drillLink(to: $0, $1, in: channel) },
                session: { network.accountNews.sessionLink($0, $1) })
        }
        let stopped: @Sendable (PhoneNumber) async -> Void = { number in
            do {
                try await network.textAnswers.stopTexts(to: number)
                outside.noteStop(of: number)
            } catch {
                // The next refusal repeats it.
            }
        }
        let sms = SimulatedSMS(
            outside: outside, links: pages(.sms), stopped: stopped, reportNow: reportNow)
        let mail = SimulatedMail(
            outside: outside, key: key,
            links: EmailChannel.Links(app: url, pages: pages(.email)) { token in
                URL(string: "\(url)/unsubscribe#\(token)") ?? url
            })
        func simulated(_ kind: DeliveryChannel) -> any Channel {
            SimulatedChannel(kind: kind, outside: outside, reportNow: reportNow)
        }
        let devices = PushEndpoint.Kind.allCases.map { simulated($0.channel) }
        return [[sms], devices + [mail], [simulated(.voice)]]
    }

    /// Does what a server does before it serves requests.
    func begin() async throws {
        try await network.serverLife.wake()
        try await network.serverLife.prepareStart(keepsCopy: true)
    }

    /// Records a provider's report about a message, or a device's receipt. After a key press in a
    /// call, returns what the call says.
    @discardableResult
    func enter(_ report: Outside.Report) async -> CallSubject? {
        if report.isReceipt {
            let token = ReceiptToken(
                person: report.user.uuid, delivery: report.delivery.uuid,
                expiresAt: clock.now().adding(.days(1)))
            try? await network.pushSubscriptions.enterReceipt(token.text(key: key))
            return nil
        }
        guard let outcome = report.outcome else {
            await Self.enter(report, on: disk)
            return nil
        }
        let token = CallToken(
            person: report.user.uuid, delivery: report.delivery.uuid, attempt: report.attempt,
            expiresAt: clock.now().adding(.hours(1))
        ).text(key: key)
        switch outcome {
        case .takesOn, .comesLate: return try? await network.calls.takeOn(byCall: token)
        case .declines:
            _ = try? await network.calls.decline(byCall: token)
            return try? await network.calls.call(token)
        case .unanswered(let reason):
            _ = try? await network.calls.enterUnansweredCall(reason, token)
            return nil
        }
    }

    private static func enter(_ report: Outside.Report, on disk: SimulatedDisk) async {
        // Some carriers give no reason.
        let hasReason = report.state == .failed && report.way != .row
        let news = ProviderReport(
            state: report.state, reason: hasReason ? .twilio(30_003) : nil,
            providerID: report.providerID)
        let callback =
            "https://lifesignal.example/report?user=\(report.user)&delivery=\(report.delivery)"
            + "&attempt=\(report.attempt)"
        _ = try? await disk.write(about: .none) { transaction in
            switch report.way {
            case .row:
                _ = try transaction.reportDelivery(
                    report.delivery, of: report.user, attempt: nil, news)
            case .origin:
                guard case .delivery(let origin)? = MessageOrigin(url: callback) else { return }
                _ = try transaction.reportDelivery(
                    origin.delivery, of: origin.user, attempt: origin.attempt, news)
            case .providerID: _ = try transaction.reportDelivery(news)
            }
        }
    }
}

/// Everything that outlives a server.
final class World: Sendable {
    let seed: UInt64
    let time: SimulatedTime
    let outside: Outside
    /// The store that gets a copy of profiles and alerts, in a third of the worlds.
    let documents: DocumentStore?
    let notes = Notes()
    private let ids = Mutex<UInt64>(0)
    private let randomness: Mutex<SeededGenerator>

    init(seed: UInt64) {
        self.seed = seed
        time = SimulatedTime(start: SimulatedTime.start(of: seed))
        outside = Outside(seed: seed, time: time)
        let hasCopy = SeededGenerator.number(seed, 0xC0) % 3 == 0
        documents = hasCopy ? DocumentStore(seed: seed, time: time) : nil
        randomness = Mutex(SeededGenerator(seed: seed))
    }

    /// Whether the kernel reports that the clock is right. Two thirds of the machines never report
    /// it.
    var isSynchronised: Bool { seed % 3 == 1 && time.wall == time.now }

    /// Whether each person may cause only 40 SMS and 20 calls a day: in a fifth of the worlds.
    var hasBudgets: Bool { seed % 5 == 4 }

    /// Whether all people together may cause only so many SMS and calls a day: in a tenth of the
    /// worlds.
    var hasTotalBudget: Bool { seed % 10 == 9 }

    /// Whether the limits on codes are the product's: in a quarter of the worlds.
    var hasCodeLimits: Bool { seed % 4 == 2 }

    static let firstKey = 7

    static func key(_ number: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: number), count: ServerKey.length)
    }

    static let totalSMS = 120
    static let totalCalls = 60

    /// Generates ids that look random, so that sorting by id is not sorting by time.
    var makeID: @Sendable () -> UUID {
        { [self] in
            let number = ids.withLock { count in
                count += 1
                return count
            }
            var words = [
                SeededGenerator.number(seed, number, 1).bigEndian,
                SeededGenerator.number(seed, number, 2).bigEndian,
            ]
            return words.withUnsafeMutableBytes { bytes in
                bytes[6] = bytes[6] & 0x0F | 0x40
                bytes[8] = bytes[8] & 0x3F | 0x80
                return UUID(uuid: bytes.load(as: uuid_t.self))
            }
        }
    }

    var random: RandomBytes {
        RandomBytes { [self] count in
            randomness.withLock { chance in
                Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) })
            }
        }
    }
}

/// News from the server's parts since the simulator last asked.
final class Notes: Sendable {
    struct Content: Sendable {
        var events: [StoredEvent] = []
        var hasNews = false
        /// Whether a commit may have changed a person's reachability.
        var changesReach = false
        var hasWritten = false
        /// Whether other devices of a person show an old state.
        var hasStaleDevices = false
        var failures: [String] = []
    }

    private struct State {
        var content = Content()
        /// Whether an event was stored since the last sign of life.
        var hasEvents = false
        var codes: [PhoneNumber: String] = [:]
        var mailCodes: [String: String] = [:]
        var invitations: [String: String] = [:]
        /// The number of invitations to each number or address.
        var invitationCounts: [String: Int] = [:]
        /// The tokens in the invitations by e-mail that end the mail.
        var refusals: [String: String] = [:]
        /// What the server does about invitations that no carrier took.
        var failing: [@Sendable () async -> Void] = []
        /// The last text message to each number that belongs to no delivery.
        var texts: [PhoneNumber: String] = [:]
        var sent = 0
    }
    private let state = Mutex(State())

    func add(_ outbox: Outbox) {
        state.withLock { state in
            if !outbox.events.isEmpty || outbox.nextDue != nil { state.content.hasNews = true }
            state.content.events += outbox.events.filter { $0.kind == .notification }
            if !outbox.events.isEmpty { state.hasEvents = true }
        }
    }

    func noteWrite() { state.withLock { $0.content.hasWritten = true } }

    func noteReach() { state.withLock { $0.content.changesReach = true } }

    func noteStaleDevices() { state.withLock { $0.content.hasStaleDevices = true } }

    func add(failures: [String]) { state.withLock { $0.content.failures += failures } }
    var hasEvents: Bool {
        get { state.withLock { $0.hasEvents } }
        set { state.withLock { $0.hasEvents = newValue } }
    }

    /// The number of messages that belong to no delivery.
    var sent: Int { state.withLock { $0.sent } }

    func send(_ code: String, to number: PhoneNumber) {
        state.withLock { state in
            state.sent += 1
            state.codes[number] = code
        }
    }

    func code(for number: PhoneNumber) -> String? { state.withLock { $0.codes[number] } }

    func send(text: String, to number: PhoneNumber) {
        state.withLock { state in
            state.sent += 1
            state.texts[number] = text
        }
    }

    /// Returns the last text message to a number, once.
    func takeText(to number: PhoneNumber) -> String? {
        state.withLock { $0.texts.removeValue(forKey: number) }
    }

    func send(_ code: String, to address: String) {
        state.withLock { state in
            state.sent += 1
            state.mailCodes[address] = code
        }
    }

    func code(forMailbox address: String) -> String? {
        state.withLock { $0.mailCodes[address] }
    }

    func send(_ message: InvitationMessage) {
        state.withLock { state in
            state.sent += 1
            switch message {
            case .text(let number, let text, _):
                state.invitations[number.text] = text
                state.invitationCounts[number.text, default: 0] += 1
            case .mail(let address, _, let paragraphs, let refusal):
                state.invitations[address.text] = paragraphs.joined(separator: "\n")
                state.invitationCounts[address.text, default: 0] += 1
                state.refusals[address.text] = refusal
            }
        }
    }

    /// Returns the text of the last invitation to a number or an address.
    func invitation(to recipient: String) -> String? {
        state.withLock { $0.invitations[recipient] }
    }

    func invitationCount(to recipient: String) -> Int {
        state.withLock { $0.invitationCounts[recipient, default: 0] }
    }

    /// Returns the token of the link that ends mail, in the last invitation to an address.
    func refusal(in address: String) -> String? {
        state.withLock { $0.refusals[address] }
    }

    func add(failing fail: @escaping @Sendable () async -> Void) {
        state.withLock { $0.failing.append(fail) }
    }

    func takeFailing() -> [@Sendable () async -> Void] {
        state.withLock { state in
            defer { state.failing = [] }
            return state.failing
        }
    }

    func take() -> Content {
        state.withLock { state in
            defer { state.content = Content() }
            return state.content
        }
    }

    /// Forgets what only a dead server knew.
    func forget() { hasEvents = false }
}

extension Outside {
    /// Returns whether no carrier takes this message.
    func refuses(_ message: InvitationMessage) -> Bool {
        let endpoint: Endpoint? =
            switch message {
            case .text(let number, _, _): Phone.person(of: number).map(Endpoint.sms)
            case .mail(let address, _, _, _):
                Phone.person(ofMailbox: address.text).map(Endpoint.mail)
            }
        guard let trouble = endpoint.flatMap(present) else { return false }
        return [.down, .gone, .refusing].contains(trouble)
    }
}
