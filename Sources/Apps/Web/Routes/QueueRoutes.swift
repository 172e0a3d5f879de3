import API
import ClientsLive
import ComposableArchitecture
import Domain
import Features
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import LivePages
import NIOCore

/// Actions made offline. The browser makes their ids, so sending them is idempotent.
struct OfflineQueue: Decodable, Sendable {
    struct Item: Decodable, Sendable {
        var kind: String
        var id: UUID
        var at: Date
        /// The page and the number of the event that may have delivered the item already. Nil
        /// without such an event.
        var view: String?
        var n: Int?
        /// The journey of an arrival or a later return.
        var journey: JourneyID?
        /// The later return; nil for an arrival.
        var back: Date?
        /// The time when the user ended the alert; nil if they didn't.
        var ended: Date?
        /// True if the server already had the alert when the user ended it, so that only the end
        /// must be sent.
        var isKnown: Bool?

        /// The place of the item's kind in the order of sending; nil for an unknown kind.
        fileprivate var rank: Int? {
            switch kind {
            case "alert": ended == nil ? 1 : 0
            case "checkIn": 2
            case "journey": 3
            default: nil
            }
        }
    }

    /// The version of the answer. 2 asks for a `QueueReport`. Pages of older versions send nil, and
    /// get a list of the delivered or refused ids.
    var version: Int?

    /// The user who was signed in on the page when the actions were made.
    var user: String
    var items: [Item]
    /// The time of sending by the clock that timed the items. Nil from the service worker, which
    /// doesn't know that clock, and from pages of older versions.
    var now: Date?

    /// The items in the order of sending: ended alerts, open alerts, check-ins, then presses about
    /// a journey, each kind oldest first. The service worker sends the items in the order of their
    /// random ids. An open alert that arrives before the end of an earlier alert is merged with the
    /// earlier alert, and the end would end both.
    fileprivate var ordered: [Item] {
        items.compactMap { item in item.rank.map { (rank: $0, item: item) } }
            .sorted { ($0.rank, $0.item.at) < ($1.rank, $1.item.at) }
            .map(\.item)
    }

    /// The maximum number of items that one request delivers.
    static let itemsAtOnce = 500

    /// The time-out of a page's request.
    static let longestTransit: Duration = .seconds(30)

    /// Returns the time of a press by the server's clock. The browser's estimate of the server's
    /// time may be wrong. The time between press and sending is right by any clock.
    func moment(of item: Item, receivedAt now: Date) -> Date {
        guard let sentAt = self.now else { return min(item.at, now) }
        let latest = now.adding(.zero - max(sentAt.since(item.at), .zero))
        return min(max(item.at, latest.adding(.zero - Self.longestTransit)), latest)
    }
}

extension WebRoutes {
    /// Passes the browser's queue to the API as the signed-in user, in the order of
    /// `OfflineQueue.ordered`. Answers with the result of each item.
    func addQueue(to router: Router<LifeSignalContext>) {
        pages.onSession(.post, "/web/queue", on: router) { call in
            let queue = try await call.request.json(
                OfflineQueue.self, limit: 256 * 1024, decoder: WireJSON.decoder(),
                on: call.session.resources.executor)
            _ = try await caller(in: call.session, meant: queue.user)
            var report = QueueReport()
            let items = queue.ordered
            let hasOpenAlert = items.contains { $0.kind == "alert" && $0.ended == nil }
            // The browser keeps the items that the answer doesn't name, and sends them again.
            for item in items.prefix(OfflineQueue.itemsAtOnce) {
                // Checks the user before each item, because someone else may sign in on this
                // browser meanwhile.
                _ = try await caller(in: call.session, meant: queue.user)
                var outcome = try await deliver(
                    item, pressedAt: queue.moment(of: item, receivedAt: time()), call.session)
                // A failed end isn't retried if the queue also has an open alert. The server may
                // have merged that alert with the ended alert, and a retry would end both.
                if outcome == .waits, item.ended != nil, hasOpenAlert { outcome = .delivered }
                report.note(outcome, of: item)
            }
            let encoder = WireJSON.encoder()
            return queue.version == nil
                ? try .json(report.settled, encoder: encoder)
                : try .json(report, encoder: encoder)
        }
    }

    private func time() -> Date { pages.sessions.backend.clock.time() }

    private func deliver(
        _ item: OfflineQueue.Item, pressedAt moment: Date, _ session: Session
    ) async throws -> QueueResult {
        if item.isKnown == true, let ended = item.ended {
            return await end(item.id, at: moment.adding(ended.since(item.at)), session)
        }
        if item.kind == "alert" {
            let decision = await session.decide(
                onAlert: AlertID(item.id), raisedAt: moment, asking: question)
            if decision != .send { return decision == .giveUp ? .delivered : .waits }
        }
        if let view = item.view, let number = item.n, await session.hasTaken(number, from: view) {
            return .delivered
        }
        if item.kind == "alert" { return await raise(item, pressedAt: moment, session) }
        if item.kind == "journey" { return await change(item, pressedAt: moment, session) }
        do {
            let checkIn = try await session.resources.connection.call(
                Routes.checkIn, CheckInRequest(occurredAt: moment), id: item.id)
            if let delivered {
                await session.send(delivered(checkIn))
                await session.render()
            }
            return .delivered
        } catch {
            return QueueResult(error, during: .action(.checkIn))
        }
    }

    /// Raises the alert, and ends it if the user has already ended it. A refused alert stays in the
    /// queue; a refused end doesn't. The server doesn't end an alert that another device raised
    /// after the end.
    private func raise(
        _ item: OfflineQueue.Item, pressedAt moment: Date, _ session: Session
    ) async -> QueueResult {
        let connection = session.resources.connection
        do {
            let alert = try await connection.call(
                Routes.raiseAlert, RaiseAlertRequest(raisedAt: moment), id: item.id)
            guard alert.isActive else { return .delivered }
            guard let ended = item.ended, let id = AlertID(alert.id) else {
                // The alert's screen is on the first page.
                await session.open("/")
                return .isOn
            }
            // The clock that timed the press also timed the end.
            let end = moment.adding(ended.since(item.at))
            return await self.end(
                id.uuid, at: end, pressedAt: id.uuid == item.id ? nil : end, session)
        } catch {
            return .waits
        }
    }

    /// Says that the user has arrived, or comes back later. Both count from the press. A press
    /// about a journey that the server no longer has counts as delivered. Refuses a later return of
    /// an ended journey, whose responders are no longer told.
    private func change(
        _ item: OfflineQueue.Item, pressedAt moment: Date, _ session: Session
    ) async -> QueueResult {
        guard let journey = item.journey?.uuid else { return .delivered }
        let connection = session.resources.connection
        do {
            if let back = item.back {
                let request = ExtendJourneyRequest(
                    expectedReturn: back, pressedAt: moment, isLater: true)
                let answer = try await connection.call(Routes.extendJourney, request, id: journey)
                // The user has said meanwhile, perhaps by mistake, that they have arrived.
                guard answer.journey?.id == item.journey else {
                    return .refused(PressWords.journeyIsOver)
                }
            } else {
                _ = try await connection.call(
                    Routes.endJourney, EndJourneyRequest(pressedAt: moment), id: journey)
            }
            return .delivered
        } catch let failure as ClientFailure where failure.code == .notFound {
            return .delivered
        } catch {
            return QueueResult(
                error, during: .action(item.back == nil ? .endJourney : .extendJourney))
        }
    }

    /// - Parameters:
    ///   - moment: the end, which the server needs if a restore has lost it.
    ///   - pressedAt: see `EndAlertRequest`.
    private func end(
        _ alert: UUID, at moment: Date, pressedAt: Date? = nil, _ session: Session
    ) async -> QueueResult {
        do {
            let connection = session.resources.connection
            let isLate = time().since(moment).isLate
            let request = EndAlertRequest(
                pressedAt: pressedAt, endedAt: isLate ? moment : nil)
            let record = try await connection.call(Routes.endAlert, request, id: alert)
            guard record.isActive else { return .delivered }
            await session.open("/")
            return .isOn
        } catch {
            return QueueResult(error, during: .action(.endAlert))
        }
    }

    /// Serves pictures of the user and of their contacts. The API decides who may see a picture.
    func addPictures(to router: Router<LifeSignalContext>) {
        pages.onSession(.get, "/web/pictures/{id}", on: router) { call in
            // Loads the picture from the API for each request, so that a sign-out or a block
            // removes access at once.
            guard await call.session.admits(nil),
                let id = call.parameters.get("id").flatMap({ UUID(uuidString: $0) }),
                let picture = try? await call.session.resources.connection.download(
                    Routes.picture, id: id),
                ["image/png", "image/jpeg"].contains(picture.mediaType)
            else { throw CommandError.notFound("There is no such picture.") }
            let tag = "\"\(id.uuidString.lowercased())\""
            var headers: HTTPFields = [.cacheControl: "private, no-cache", .eTag: tag]
            guard call.request.headers[.ifNoneMatch] != tag else {
                return Response(status: .notModified, headers: headers)
            }
            headers[.contentType] = picture.mediaType
            return Response(
                status: .ok, headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture.bytes)))
        }
    }
}
