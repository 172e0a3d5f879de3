import API
import Clients
import Domain
import Foundation
import Synchronization

/// Lets the operating system send requests for a suspended app, once there is a connection.
///
/// The answers are lost. The queue keeps the actions and later sends them itself, which yields the
/// same answers. So only requests that may arrive repeatedly and in any order are handed over.
public protocol BackgroundSender: Sendable {
    /// Replaces all unsent requests.
    func replace(with requests: [BackgroundRequest]) async
}

public struct BackgroundRequest: Equatable, Sendable, Identifiable {
    public var id: UUID
    public var request: TransportRequest
    /// When to send it, by this device's clock; nil for at once.
    public var earliest: Date?

    public init(id: UUID, request: TransportRequest, earliest: Date? = nil) {
        self.id = id
        self.request = request
        self.earliest = earliest
    }
}

extension LiveClients {
    /// Hands calls for help, the newest check-in and an arrival to the operating system before the
    /// app is suspended. If the operating system doesn't send them, the queue sends them later.
    public func sendInBackground(by sender: any BackgroundSender) async {
        await controller.handOver(by: sender)
    }

    /// Takes all unsent requests back from the operating system, because the app is active. Until
    /// `keepSendingInBackground`, the operating system gets no held alert.
    public func stopSendingInBackground(by sender: any BackgroundSender) async {
        let handovers = controller.handovers
        await handovers.run {
            handovers.isAppActive = true
            await handovers.replace(with: [], by: sender)
        }
    }

    /// Hands over now and after each change of the queue, until the task is cancelled. The person
    /// may have confirmed the end of an alert just before the app left the foreground. The
    /// operating system must not send that alert later.
    /// - Parameter handedOver: called after each handover.
    public func keepSendingInBackground(
        by sender: any BackgroundSender, handedOver: @Sendable () -> Void = {}
    ) async {
        let handovers = controller.handovers
        await handovers.run { handovers.isAppActive = false }
        var known: Connectivity?
        for await status in controller.connectivity.stream() {
            guard
                status.waiting.map(\.id) != known?.waiting.map(\.id)
                    || status.unsentAlert != known?.unsentAlert
            else { continue }
            // A new account publishes its queue just before it can hand it over.
            known = controller.account == nil ? nil : status
            await sendInBackground(by: sender)
            handedOver()
        }
    }
}

extension SessionController {
    nonisolated func handOver(by sender: any BackgroundSender) async {
        await handovers.run { [self] in await replaceRequests(of: sender) }
    }

    /// Updates what the operating system has, after the person has discarded or released an action.
    /// Does nothing if the operating system holds nothing.
    nonisolated func handOverAgain() async {
        await handovers.run { [self] in
            if let sender = handovers.sender { await replaceRequests(of: sender) }
        }
    }

    private nonisolated func replaceRequests(of sender: any BackgroundSender) async {
        let requests = await account?.backgroundRequests(withHeld: !handovers.isAppActive) ?? []
        await handovers.replace(with: requests, by: sender)
    }
}

/// Runs handovers one after another, in the order of their calls. If two ran at the same time, the
/// older one could delete the newer one's requests, or add an alert that the person has ended.
final class Handovers: Sendable {
    private struct State {
        var last: Task<Void, Never>?
        var isAppActive = false
        var sender: (any BackgroundSender)?
    }

    private let state = Mutex(State())

    /// True if the app is in the foreground, where its own timer releases a held alert.
    var isAppActive: Bool {
        get { state.withLock { $0.isAppActive } }
        set { state.withLock { $0.isAppActive = newValue } }
    }

    /// The sender that got the last requests; nil if there were none.
    var sender: (any BackgroundSender)? { state.withLock { $0.sender } }

    func replace(with requests: [BackgroundRequest], by sender: any BackgroundSender) async {
        state.withLock { $0.sender = requests.isEmpty ? nil : sender }
        await sender.replace(with: requests)
    }

    /// Returns after `work`, which runs even if the caller is cancelled.
    func run(_ work: @escaping @Sendable () async -> Void) async {
        let task = state.withLock { state in
            let task = Task { [previous = state.last] in
                await previous?.value
                await work()
            }
            state.last = task
            return task
        }
        await task.value
    }
}

extension Account {
    /// Returns the queued calls for help that are still open, the newest check-in, and the arrival.
    /// An edit stays in the queue: if it arrived late, it could undo a later edit.
    /// - Parameter withHeld: true to include held alerts, which are sent at the end of the time to
    ///   answer, because this device's timer stops in a suspended app.
    func backgroundRequests(withHeld: Bool) async -> [BackgroundRequest] {
        let waiting = (withHeld ? outbox.entries : outbox.active).inSendingOrder
        var requests: [BackgroundRequest] = []
        for entry in waiting where entry.isForBackground(among: waiting) {
            let isHeld = outbox.isHeld(entry.id)
            let earliest = isHeld ? outbox.heldUntil : nil
            guard !isHeld || earliest != nil else { continue }
            let now = environment.now()
            // The access token is new after the sign-in, and the pass stays for the next alert.
            let request = try? await connection.request(
                inBackground: entry.timed(at: now, environment.uptime()), at: now,
                usesPass: !isHeld)
            guard let request else { continue }
            requests.append(
                BackgroundRequest(id: entry.id, request: request, earliest: earliest))
        }
        // The person may have discarded an alert while this signed the requests.
        let queued = Set(outbox.entries.map(\.id))
        return requests.filter { queued.contains($0.id) }
    }
}

extension QueuedEntry {
    fileprivate func isForBackground(among waiting: [QueuedEntry]) -> Bool {
        switch action {
        case .raiseAlert: waiting.unsentAlerts.contains { $0.id == id }
        case .checkIn: id == waiting.last { $0.action.kind == .checkIn }?.id
        case .endJourney: true
        case .endAlert, .ping, .respondToPing, .clearPing, .updateProfile, .leaveNoteOutOfCopy,
            .updateSettings, .changeRoles, .updatePreferences, .markAsRead, .deleteNotification,
            .pause, .endPause, .extendJourney, .resendJourney:
            false
        }
    }
}

extension Connection {
    /// Returns the signed request of a call for help, a check-in or an arrival; nil for other
    /// actions. Throws while signed out.
    fileprivate func request(
        inBackground entry: QueuedEntry, at now: Date, usesPass: Bool
    ) async throws -> TransportRequest? {
        switch entry.action {
        case .raiseAlert(let id):
            let request = APIRequest(
                Routes.raiseAlert.endpoint, id: id.uuid,
                body: try .json(RaiseAlertRequest(raisedAt: entry.createdAt)),
                timeout: options.timeout)
            guard usesPass else { return try await signed(request) }
            return try await signedByPass(request, for: id, at: now)
        case .checkIn(let id, let moment):
            return try await signed(
                APIRequest(
                    Routes.checkIn.endpoint, id: id.uuid,
                    body: try .json(CheckInRequest(occurredAt: moment)), timeout: options.timeout))
        case .endJourney(let id):
            return try await signed(
                APIRequest(
                    Routes.endJourney.endpoint, id: id.uuid,
                    body: try .json(EndJourneyRequest(pressedAt: entry.createdAt)),
                    timeout: options.timeout))
        case .endAlert, .ping, .respondToPing, .clearPing, .updateProfile, .leaveNoteOutOfCopy,
            .updateSettings, .changeRoles, .updatePreferences, .markAsRead, .deleteNotification,
            .pause, .endPause, .extendJourney, .resendJourney:
            return nil
        }
    }
}
