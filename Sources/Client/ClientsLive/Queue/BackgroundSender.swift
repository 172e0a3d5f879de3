import API
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
        await handovers.run { [controller] in
            await sender.replace(with: controller.account?.backgroundRequests() ?? [])
        }
    }

    /// Takes all unsent requests back from the operating system.
    public func stopSendingInBackground(by sender: any BackgroundSender) async {
        await handovers.run { await sender.replace(with: []) }
    }

    /// Hands over now and after each change of the queue, until the task is cancelled. The person
    /// may have confirmed the end of an alert just before the app left the foreground. The
    /// operating system must not send that alert later.
    public func keepSendingInBackground(by sender: any BackgroundSender) async {
        var known: [UUID]?
        for await status in controller.connectivity.stream() {
            let waiting = status.waiting.map(\.id)
            guard waiting != known else { continue }
            known = waiting
            await sendInBackground(by: sender)
        }
    }
}

/// Runs handovers one after another, in the order of their calls. If two ran at the same time, the
/// older one could delete the newer one's requests, or add an alert that the person has ended.
final class Handovers: Sendable {
    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Returns after `work`, which runs even if the caller is cancelled.
    func run(_ work: @escaping @Sendable () async -> Void) async {
        let task = last.withLock { last in
            let task = Task { [previous = last] in
                await previous?.value
                await work()
            }
            last = task
            return task
        }
        await task.value
    }
}

extension Account {
    /// Returns the queued calls for help that are still open, the newest check-in, and the arrival.
    /// An edit stays in the queue: if it arrived late, it could undo a later edit. A held alert is
    /// sent at the end of the time to answer, because this device's timer stops in a suspended app.
    func backgroundRequests() async -> [BackgroundRequest] {
        let waiting = outbox.entries.inSendingOrder
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
        return requests
    }
}

extension QueuedEntry {
    fileprivate func isForBackground(among waiting: [QueuedEntry]) -> Bool {
        switch action {
        case .raiseAlert(let alert): !waiting.contains { $0.action == .endAlert(alert) }
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
