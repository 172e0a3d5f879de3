import Delivery
import Domain
import Foundation
import Persistence
import SeededGenerator
import Synchronization

/// The world outside the server: endpoints and providers with their troubles, and attempts in
/// progress. The seed and the time decide how long an attempt takes, and thereby the order of
/// attempts.
final class Outside: Sendable {
    /// A message that has reached a person.
    struct Arrival: Sendable {
        var endpoint: Endpoint
        var delivery: DeliveryID
        var item: NotificationItem
        var at: Date
        /// True if a provider accepted it but delivers nothing. To the server, the person was told.
        var isDropped: Bool
    }

    /// A provider's later report about a message.
    struct Report: Sendable {
        var delivery: DeliveryID
        var user: UserID
        var providerID: String
        var state: DeliveryState
        /// True if the provider already reported it before its response.
        var isHasty = false
        /// The result of a call, and the alert that it was about.
        var outcome: CallOutcome?
        var alert: AlertID?
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

    /// Sets the trouble of the single carrier of all SMS.
    func carrierTrouble(_ trouble: Trouble, until: Date) {
        state.withLock { $0.carrierTrouble = (trouble, until) }
    }

    /// Returns the end of the last trouble on the way to an endpoint; nil if there never was any.
    func lastTrouble(_ endpoint: Endpoint) -> Date? {
        state.withLock { state in
            let carrier = endpoint.isSMS ? state.carrierTrouble?.until : nil
            return [state.troubles[endpoint]?.until, carrier].compactMap(\.self).max()
        }
    }

    private func present(_ endpoint: Endpoint) -> Trouble? {
        state.withLock { state in
            let own = state.troubles[endpoint]
            let found = endpoint.isSMS ? state.carrierTrouble ?? own : own
            return found.flatMap { time.now < $0.until ? $0.trouble : nil }
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
        let isStalled = endpoint.flatMap(present) == .stalled
        let latency = isStalled ? 10_000 + luck % 5_000 : 20 + luck % 780
        let attempt = Try(at: now.adding(.milliseconds(Int64(latency))), order: luck, run: run)
        state.withLock { $0.tries.append(attempt) }
    }

    var nextTry: Date? { state.withLock { $0.tries.map(\.at).min() } }

    /// Takes the next attempt that has ended by now, or with `early` any.
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
        if delivery.record.channel == .voice {
            return delivery.phoneNumber.flatMap { Phone.person(of: $0) }.map(Endpoint.call)
        }
        guard delivery.record.channel == .webhook else {
            return delivery.phoneNumber.flatMap { Phone.person(of: $0) }.map(Endpoint.sms)
        }
        return delivery.url.flatMap(Endpoint.init(url:))
    }

    /// Handles one attempt at an endpoint.
    func receive(
        _ delivery: LeasedDelivery, reportNow: @Sendable (Report) async -> Void
    ) async -> DeliveryResult {
        guard let endpoint = Self.endpoint(of: delivery) else { return .gone(.endpointRemoved) }
        let trouble = present(endpoint)
        switch trouble {
        case .down: return .failed(DeliveryReason(.connectionRefused))
        case .stalled: return .failed(.timeout)
        case .gone: return .gone(.http(404))
        case .deaf, .dropping, .hasty, nil: break
        }
        let arrival = Arrival(
            endpoint: endpoint, delivery: delivery.record.id, item: delivery.record.notification,
            at: time.now, isDropped: trouble == .dropping)
        state.withLock { $0.arrivals.append(arrival) }
        if trouble == .deaf { return .failed(.timeout) }
        if endpoint.isCall { return ring(delivery) }
        guard endpoint.isSMS else { return .accepted(providerID: nil) }
        var report = Report(
            delivery: delivery.record.id, user: delivery.record.userID,
            providerID: "SM\(delivery.record.id)-\(delivery.record.attempts)",
            state: trouble == .dropping ? .failed : .seen)
        if trouble == .hasty {
            report.isHasty = true
            await reportNow(report)
        }
        let later = report
        state.withLock { $0.reports.append(later) }
        return .accepted(providerID: report.providerID)
    }

    /// Simulates a call. Most calls aren't answered; some carriers never report that, and some
    /// numbers don't exist.
    private func ring(_ delivery: LeasedDelivery) -> DeliveryResult {
        let luck = SeededGenerator.number(seed, UInt64(time.now.milliseconds), 77) % 10
        if luck == 0 { return .refused(.twilio(21_211)) }
        let outcome: CallOutcome? = luck == 1 ? nil : luck == 2 ? .declines : .unanswered()
        if let outcome {
            let report = Report(
                delivery: delivery.record.id, user: delivery.record.userID, providerID: "",
                state: .seen, outcome: outcome, alert: delivery.record.notification.alertID)
            state.withLock { $0.reports.append(report) }
        }
        return .accepted(providerID: nil)
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

/// The product's view of an endpoint: a channel like any other.
struct SimulatedChannel: Channel {
    let kind: DeliveryChannel
    let outside: Outside
    let reportNow: @Sendable (Outside.Report) async -> Void

    func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        await outside.receive(delivery, reportNow: reportNow)
    }
}
