import API
import Domain
import Foundation

/// Sends requests for an app that is suspended: the system does it when there is a connection.
///
/// Nobody hears the answers. The queue keeps what was handed over, and its next try gets the same
/// answer: only requests that may arrive any number of times, in any order, are handed over.
public protocol BackgroundSender: Sendable {
    /// Puts these in the place of all that were handed over and have not been sent.
    func replace(with requests: [BackgroundRequest]) async
}

/// A signed request, with the id of the action in the queue.
public struct BackgroundRequest: Equatable, Sendable, Identifiable {
    public var id: UUID
    public var request: TransportRequest

    public init(id: UUID, request: TransportRequest) {
        self.id = id
        self.request = request
    }
}

extension LiveClients {
    /// For an app that is about to be suspended: hands over what calls for help or says that the
    /// person is fine. Without an answer of the system's, the queue sends it all the same.
    public func sendInBackground(by sender: any BackgroundSender) async {
        await sender.replace(with: controller.account?.backgroundRequests() ?? [])
    }
}

extension Account {
    /// The calls for help that wait and are still on, and the newest check-in. An edit could undo
    /// a later one when it arrives out of order, and is left to the queue.
    func backgroundRequests() async -> [BackgroundRequest] {
        let waiting = active.inSendingOrder
        var requests: [BackgroundRequest] = []
        for entry in waiting where entry.isForBackground(among: waiting) {
            guard let request = try? await connection.request(inBackground: entry) else { continue }
            requests.append(BackgroundRequest(id: entry.id, request: request))
        }
        return requests
    }
}

extension QueuedEntry {
    fileprivate func isForBackground(among waiting: [QueuedEntry]) -> Bool {
        switch action {
        // Its end may wait behind it.
        case .raiseAlert(let alert): !waiting.contains { $0.action == .endAlert(alert) }
        case .checkIn: id == waiting.last { $0.action.kind == .checkIn }?.id
        case .endAlert, .ping, .respondToPing, .clearPing, .updateProfile, .updateSettings,
            .changeRoles, .updatePreferences, .markAsRead, .deleteNotification:
            false
        }
    }
}

extension Connection {
    /// The signed request of a call for help or a check-in; nil for other actions. Throws when
    /// nobody is signed in.
    fileprivate func request(inBackground entry: QueuedEntry) async throws -> TransportRequest? {
        switch entry.action {
        case .raiseAlert(let id):
            return try await signed(
                APIRequest(
                    Routes.raiseAlert.endpoint, id: id.uuid,
                    body: try .json(RaiseAlertRequest(raisedAt: entry.createdAt)),
                    timeout: options.timeout))
        case .checkIn(let id, let moment):
            return try await signed(
                APIRequest(
                    Routes.checkIn.endpoint, id: id.uuid,
                    body: try .json(CheckInRequest(occurredAt: moment)), timeout: options.timeout))
        case .endAlert, .ping, .respondToPing, .clearPing, .updateProfile, .updateSettings,
            .changeRoles, .updatePreferences, .markAsRead, .deleteNotification:
            return nil
        }
    }
}
