import Cryptography
import Delivery
import Domain
import Foundation
import Persistence
import SeededGenerator
import Synchronization

/// The world outside the server: endpoints, providers, their troubles, and attempts in progress.
/// Seed and time decide the length of an attempt, and so the order.
final class Outside: Sendable {
    struct Arrival: Sendable {
        var endpoint: Endpoint
        var delivery: DeliveryID
        var item: NotificationItem
        var at: Date
        /// Whether a provider accepts the message but doesn't deliver it. The server counts it as
        /// told.
        var isDropped: Bool
        /// The whole text of an SMS or an e-mail, with its links.
        var text: String?
        /// True for a call to a number that doesn't exist, says the provider.
        var isRefused = false
        /// True for a call to a busy line.
        var isBusy = false
        /// The number of an SMS or a call.
        var number: String?
    }

    /// A provider's later report about a message.
    struct Report: Sendable {
        var delivery: DeliveryID
        var user: UserID
        var providerID: String
        var state: DeliveryState
        /// Whether the provider already reported before its response.
        var isHasty = false
        /// The result of a call. `alert` is the alert that it was about.
        var outcome: CallOutcome?
        var attempt = 1
        var alert: AlertID?
        /// Whether this is a receipt from a browser or an app.
        var isReceipt = false
        var isLastCall = false

        /// How the carrier names the message.
        enum Way: Sendable { case row, origin, providerID }

        var way: Way {
            // The server doesn't know the provider's id before the response.
            if isHasty { return .origin }
            return [Way.row, .origin, .providerID][Int(delivery.uuid.uuid.13) % 3]
        }
    }

    struct Try: Sendable {
        var at: Date
        var order: UInt64
        var run: @Sendable () async -> Void
    }

    private struct State {
        var troubles: [Endpoint: (trouble: Trouble, until: Date)] = [:]
        var carrierTrouble: (trouble: Trouble, until: Date)?
        var tries: [Try] = []
        var arrivals: [Arrival] = []
        var reports: [Report] = []
        var ended: [Endpoint] = []
        /// The people whose STOP only the carrier has.
        var stopped: Set<Int> = []
        /// The people whose STOP the server has learned from the carrier.
        var stops: [Int] = []
        /// Where a message about an alert was refused for good.
        var refused: [Hearing.Place] = []
        /// The apps that were woken to update themselves.
        var wakes: [Endpoint] = []
    }

    private let seed: UInt64
    private let time: SimulatedTime
    private let state = Mutex(State())

    init(seed: UInt64, time: SimulatedTime) {
        self.seed = seed
        self.time = time
    }

    // MARK: Troubles

    func trouble(_ endpoint: Endpoint, _ trouble: Trouble, until: Date) {
        state.withLock { $0.troubles[endpoint] = (trouble, until) }
    }

    /// Sets the trouble of the carrier, which all SMS share.
    func carrierTrouble(_ trouble: Trouble, until: Date) {
        state.withLock { $0.carrierTrouble = (trouble, until) }
    }

    /// Returns the end of the last trouble on the way to an endpoint; nil if there was none.
    func lastTrouble(_ endpoint: Endpoint) -> Date? {
        state.withLock { state in
            if endpoint.isSMS, state.stopped.contains(endpoint.person) { return time.now }
            let carrier = endpoint.isSMS ? state.carrierTrouble?.until : nil
            return [state.troubles[endpoint]?.until, carrier].compactMap(\.self).max()
        }
    }

    func present(_ endpoint: Endpoint) -> Trouble? {
        state.withLock { state in
            let carrier = endpoint.isSMS ? state.carrierTrouble : nil
            if let carrier, time.now < carrier.until { return carrier.trouble }
            return state.troubles[endpoint].flatMap { time.now < $0.until ? $0.trouble : nil }
        }
    }

    // MARK: Tries

    func start(_ delivery: LeasedDelivery, _ run: @escaping @Sendable () async -> Void) {
        let now = time.now
        let endpoint = Self.endpoint(of: delivery)
        let luck = SeededGenerator.number(
            seed, UInt64(now.milliseconds), UInt64(endpoint?.person ?? 0),
            UInt64(bitPattern: Int64(endpoint?.number ?? 99)), UInt64(delivery.record.attempts),
            UInt64(delivery.record.id.uuid.uuid.15))
        let latency: UInt64 =
            switch endpoint.flatMap(present) {
            case .stalled: 10_000 + luck % 5_000
            case .slow: 3_000 + luck % 5_000
            default: 20 + luck % 780
            }
        let attempt = Try(at: now.adding(.milliseconds(Int64(latency))), order: luck, run: run)
        state.withLock { $0.tries.append(attempt) }
    }

    /// Whether the tries may take all places of a worker (`Server`).
    var isBusy: Bool { state.withLock { $0.tries.count >= 16 } }

    var nextTry: Date? { state.withLock { $0.tries.map(\.at).min() } }

    /// Takes the next attempt that has ended. With `early`, takes the next of all attempts.
    func takeTry(early: Bool = false) -> Try? {
        let now = time.now
        return state.withLock { state in
            let due = state.tries.indices.filter { early || state.tries[$0].at <= now }
            guard let next = due.min(by: { state.tries[$0] < state.tries[$1] }) else { return nil }
            return state.tries.remove(at: next)
        }
    }

    // MARK: Messages

    static func endpoint(of delivery: LeasedDelivery) -> Endpoint? {
        let person = delivery.phoneNumber.flatMap { Phone.person(of: $0) }
        return switch delivery.record.channel {
        case .voice: person.map(Endpoint.call)
        case .sms: person.map(Endpoint.sms)
        case .email:
            delivery.email.flatMap { Phone.person(ofMailbox: $0.address) }.map(Endpoint.mail)
        default: delivery.url.flatMap(Endpoint.init(url:))
        }
    }

    /// Handles one attempt at an endpoint.
    /// - Parameter text: the channel's text for the notification.
    func receive(
        _ delivery: LeasedDelivery, text: String? = nil, reportNow: @Sendable (Report) async -> Void
    ) async -> DeliveryResult {
        guard let endpoint = Self.endpoint(of: delivery) else { return .gone(.endpointRemoved) }
        let trouble = present(endpoint)
        switch trouble {
        case .down: return .failed(DeliveryReason(.connectionRefused))
        case .stalled: return .failed(.timeout)
        case .gone where endpoint.isApp:
            state.withLock { $0.ended.append(endpoint) }
            return .ended(.http(410))
        case .gone: return .gone(.http(404))
        case .refusing:
            if let alert = delivery.record.notification.alertID {
                let place = Hearing.Place(endpoint: endpoint, alert: alert)
                state.withLock { $0.refused.append(place) }
            }
            let isMail = endpoint.isMail
            return .refused(endpoint.isSMS ? .twilio(21_211) : isMail ? .smtp(554) : .http(400))
        case .limited: return .failed(.http(429), after: .minutes(3))
        case .deaf, .dropping, .hasty, .slow, nil: break
        }
        if endpoint.isSMS, state.withLock({ $0.stopped.contains(endpoint.person) }) {
            return .refused(.twilio(21_610))
        }
        let arrival = Arrival(
            endpoint: endpoint, delivery: delivery.record.id, item: delivery.record.notification,
            at: time.now, isDropped: trouble == .dropping, text: text,
            isRefused: endpoint.isCall && callLuck == 0, isBusy: endpoint.isCall && callLuck == 4,
            number: endpoint.isSMS || endpoint.isCall ? delivery.phoneNumber?.text : nil)
        state.withLock { $0.arrivals.append(arrival) }
        if trouble == .deaf { return .failed(.timeout) }
        if endpoint.isCall { return ring(delivery) }
        if endpoint.isApp { confirm(delivery) }
        guard endpoint.isSMS else { return .accepted(providerID: nil) }
        var report = Report(
            delivery: delivery.record.id, user: delivery.record.userID,
            providerID: "SM\(delivery.record.id)-\(delivery.record.attempts)",
            state: trouble == .dropping ? .failed : .seen)
        report.attempt = delivery.record.attempts
        if trouble == .hasty {
            report.isHasty = true
            await reportNow(report)
        }
        let later = report
        state.withLock { $0.reports.append(later) }
        return .accepted(providerID: report.providerID)
    }

    /// Simulates a call. Most calls aren't answered, some have no report, and some numbers don't
    /// exist.
    private func ring(_ delivery: LeasedDelivery) -> DeliveryResult {
        let luck = callLuck
        if luck == 0 { return .refused(.twilio(21_211)) }
        let outcome: CallOutcome? =
            switch luck {
            case 1: nil
            case 2: .declines
            case 3 where answersCalls: .takesOn
            // People hear their own last call more often.
            case 5...8 where delivery.purpose == .lastCall: .takesOn
            default: .unanswered(luck == 4 ? .lineBusy : .noAnswer)
            }
        if let outcome {
            var report = Report(
                delivery: delivery.record.id, user: delivery.record.userID, providerID: "",
                state: .seen, outcome: outcome, alert: delivery.record.notification.alertID)
            report.isLastCall = delivery.purpose == .lastCall
            report.attempt = delivery.record.attempts
            state.withLock { $0.reports.append(report) }
        }
        return .accepted(providerID: nil)
    }

    private var callLuck: UInt64 {
        SeededGenerator.number(seed, UInt64(time.now.milliseconds), 77) % 10
    }

    /// In half of the worlds, no call brings an "I'm on it".
    private var answersCalls: Bool { seed % 2 == 0 }

    /// Lets some browsers and apps confirm a message.
    private func confirm(_ delivery: LeasedDelivery) {
        let luck = SeededGenerator.number(seed, UInt64(time.now.milliseconds), 78) % 4
        guard luck == 0 else { return }
        var report = Report(
            delivery: delivery.record.id, user: delivery.record.userID, providerID: "",
            state: .seen)
        report.isReceipt = true
        let receipt = report
        state.withLock { $0.reports.append(receipt) }
    }

    /// Takes the browsers and apps whose push service has ended their registration.
    func takeEnded() -> [Endpoint] {
        state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
    }

    // MARK: STOP and updates

    /// Records a STOP that only the carrier gets.
    func stopTexts(to person: Int) {
        state.withLock { state in _ = state.stopped.insert(person) }
    }

    /// Returns whether there was such a STOP.
    func startTexts(to person: Int) -> Bool {
        state.withLock { $0.stopped.remove(person) != nil }
    }

    /// Records that the server has stored the STOP of a number that the carrier refuses.
    func noteStop(of number: PhoneNumber) {
        guard let person = Phone.person(of: number) else { return }
        state.withLock { $0.stops.append(person) }
    }

    func takeStops() -> [Int] {
        state.withLock { state in
            defer { state.stops = [] }
            return state.stops
        }
    }

    func takeRefused() -> [Hearing.Place] {
        state.withLock { state in
            defer { state.refused = [] }
            return state.refused
        }
    }

    /// Wakes an app, so that it updates itself.
    func wake(_ token: AppToken) -> DeliveryResult {
        guard let endpoint = Endpoint(url: token.url) else { return .refused(.endpointRemoved) }
        switch present(endpoint) {
        case .down, .deaf, .stalled: return .failed(.timeout)
        case .gone: return .ended(.http(410))
        case .refusing: return .refused(.http(400))
        case .limited: return .failed(.http(429), after: .minutes(3))
        case .dropping, .hasty, .slow, nil: break
        }
        state.withLock { $0.wakes.append(endpoint) }
        return .accepted(providerID: nil)
    }

    /// Takes the apps that were woken, in an order that doesn't depend on tasks.
    func takeWakes() -> [Endpoint] {
        state.withLock { state in
            defer { state.wakes = [] }
            return state.wakes.sorted()
        }
    }

    func takeArrivals() -> [Arrival] {
        state.withLock { state in
            defer { state.arrivals = [] }
            return state.arrivals
        }
    }

    func takeReports() -> [Report] {
        state.withLock { state in
            defer { state.reports = [] }
            return state.reports
        }
    }
}

extension Outside.Try {
    static func < (left: Self, right: Self) -> Bool {
        (left.at, left.order) < (right.at, right.order)
    }
}

/// The product's view of an endpoint.
struct SimulatedChannel: Channel {
    let kind: DeliveryChannel
    let outside: Outside
    let reportNow: @Sendable (Outside.Report) async -> Void

    func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        await outside.receive(delivery, reportNow: reportNow)
    }
}

/// The product's own SMS channel, with a simulated carrier.
struct SimulatedSMS: Channel {
    private struct Carrier: SMSProvider {
        let receive: @Sendable (String) async -> DeliveryResult

        func send(_ message: TextMessage) async -> DeliveryResult { await receive(message.text) }
    }

    let kind = DeliveryChannel.sms
    let outside: Outside
    let links: PageLinks
    /// Stores a STOP that the carrier reports.
    let stopped: @Sendable (PhoneNumber) async -> Void
    let reportNow: @Sendable (Outside.Report) async -> Void

    func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        let carrier = Carrier { text in
            await outside.receive(delivery, text: text, reportNow: reportNow)
        }
        return await SMSChannel(
            provider: StopNoticingProvider(carrier, stopped: stopped), validity: .hours(1),
            takesAnswers: true, links: links
        ).send(delivery)
    }
}

/// The product's own e-mail channel, with a simulated mail server.
struct SimulatedMail: Channel {
    private struct Server: Mailer {
        let receive: @Sendable (Email) async -> DeliveryResult

        func send(_ email: Email) async -> DeliveryResult { await receive(email) }
    }

    let kind = DeliveryChannel.email
    let outside: Outside
    let key: ServerKey
    let links: EmailChannel.Links

    func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        let server = Server { email in
            let lines = email.paragraphs + [email.unsubscribe?.absoluteString].compactMap(\.self)
            return await outside.receive(delivery, text: lines.joined(separator: "\n")) { _ in }
        }
        return await EmailChannel(mailer: server, key: key, links: links).send(delivery)
    }
}
