import API
import ClientsLive
import ComposableArchitecture
import Domain
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import LivePages
import NIOCore

/// Actions made offline. The browser makes their ids, so that sending one twice changes nothing.
struct OfflineQueue: Decodable, Sendable {
    struct Item: Decodable, Sendable {
        var kind: String
        var id: UUID
        var at: Date
        /// The page and the number of the event that it was sent with first, when nobody knows
        /// whether that arrived.
        var view: String?
        var n: Int?
        /// The time when the person ended an alert.
        var ended: Date?
        /// The alert was on when it was ended: there is nothing to raise.
        var isKnown: Bool?
    }

    /// The form of the answer: 2 for a `QueueReport`, nil for the ids that need not wait, which
    /// pages of older versions ask for.
    var version: Int?

    /// The user that was on the page when the actions were made.
    var user: String
    var items: [Item]
}

extension WebRoutes {
    /// Hands check-ins and alerts that waited in the browser to the API, in the name of who is
    /// signed in, alerts first. Answers with what became of them.
    func addQueue(to router: Router<LifeSignalContext>) {
        pages.onSession(.post, "/web/queue", on: router) { call in
            let queue = try await call.request.json(
                OfflineQueue.self, limit: 256 * 1024, decoder: WireJSON.decoder())
            guard await call.session.admits(nil), !queue.user.isEmpty,
                await call.session.outline.user == queue.user
            else {
                throw CommandError.permissionDenied("This was pressed by someone else.")
            }
            var report = QueueReport()
            let alerts = queue.items.filter { $0.kind == "alert" }
            for item in alerts + queue.items.filter({ $0.kind == "checkIn" }) {
                var outcome = try await deliver(item, call.session)
                // A new alert may stand for the one that could not be ended: nobody ends it then.
                if outcome == .waits, item.ended != nil, alerts.contains(where: { $0.ended == nil })
                {
                    outcome = .delivered
                }
                report.note(outcome, of: item)
            }
            let encoder = WireJSON.encoder()
            return queue.version == nil
                ? try .json(report.settled, encoder: encoder)
                : try .json(report, encoder: encoder)
        }
    }

    private func deliver(_ item: OfflineQueue.Item, _ session: Session) async throws -> QueueResult
    {
        if item.isKnown == true, item.ended != nil { return await end(item.id, session) }
        if item.kind == "alert" {
            let decision = await session.decide(
                onAlert: AlertID(item.id), raisedAt: item.at, asking: question)
            if decision != .send { return decision == .giveUp ? .delivered : .waits }
        }
        if let view = item.view, let number = item.n, await session.hasTaken(number, from: view) {
            return .delivered
        }
        let connection = session.resources.connection
        if item.kind == "alert" { return await raise(item, session) }
        do {
            try await connection.call(
                Routes.checkIn,
                CheckInRequest(occurredAt: min(item.at, pages.sessions.backend.clock.time())),
                id: item.id)
            return .delivered
        } catch {
            return QueueResult(error, during: .action(.checkIn))
        }
    }

    /// An alert that is refused is tried again for as long as it takes; its end is not.
    private func raise(_ item: OfflineQueue.Item, _ session: Session) async -> QueueResult {
        let connection = session.resources.connection
        do {
            let alert = try await connection.call(
                Routes.raiseAlert, RaiseAlertRequest(raisedAt: item.at), id: item.id)
            guard alert.isActive else { return .delivered }
            guard item.ended != nil, let id = AlertID(alert.id) else {
                // Its screen is on the first page.
                await session.open("/")
                return .isOn
            }
            return await end(id.uuid, session)
        } catch {
            return .waits
        }
    }

    private func end(_ alert: UUID, _ session: Session) async -> QueueResult {
        do {
            try await session.resources.connection.call(Routes.endAlert, id: alert)
            return .delivered
        } catch {
            return QueueResult(error, during: .action(.endAlert))
        }
    }

    /// Pictures of the user and of their contacts: the API decides who may see which.
    func addPictures(to router: Router<LifeSignalContext>) {
        pages.onSession(.get, "/web/pictures/{id}", on: router) { call in
            guard await call.session.admits(nil),
                let id = call.parameters.get("id").flatMap({ UUID(uuidString: $0) }),
                let picture = try? await call.session.resources.connection.download(
                    Routes.picture, id: id),
                ["image/png", "image/jpeg"].contains(picture.mediaType)
            else { throw CommandError.notFound("There is no such picture.") }
            return Response(
                status: .ok,
                headers: [
                    .contentType: picture.mediaType,
                    .cacheControl: "private, max-age=86400, immutable",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture.bytes)))
        }
    }
}
