import API
import Clients
import ClientsLive
import Domain
import Foundation
import HTTPServer
import Hummingbird
import LivePages

extension WebRoutes {
    private static var bodyLimit: Int { 8 * 1024 }

    /// Adds the routes for subscription reports and for presses on notifications. Both act as the
    /// cookie's user. A report from another user's page is refused. So is a press on another
    /// recipient's notification.
    func addPush(to router: Router<LifeSignalContext>) {
        pages.onSession(.post, "/web/push", on: router) { call in
            let report = try await call.request.json(PushReport.self, limit: Self.bodyLimit)
            let caller = try await caller(in: call.session, meant: report.user)
            return try .json(
                try await register(report, of: caller, call.session), encoder: WireJSON.encoder())
        }
        pages.onSession(.post, "/web/push/actions", on: router) { call in
            let press = try await call.request.json(
                PushPress.self, limit: Self.bodyLimit, decoder: WireJSON.decoder())
            let caller = try await caller(in: call.session, meant: press.user)
            return try .json(
                try await perform(press, of: caller, call.session), encoder: WireJSON.encoder())
        }
    }

    /// Returns the cookie's user. Throws unless that is `user`.
    func caller(in session: Session, meant user: String?) async throws -> Caller {
        guard await session.admits(nil), let caller = session.resources.identity else {
            throw PageError.noSession
        }
        guard user == nil || user == caller.userID.description else {
            throw CommandError.permissionDenied("This is for someone who is not signed in here.")
        }
        return caller
    }

    // MARK: Reports

    private func register(
        _ report: PushReport, of caller: Caller, _ session: Session
    ) async throws -> PushReportReply {
        let connection = session.resources.connection
        let id = PushEndpoint.id(ofBrowserIn: caller.sessionID)
        var reply = PushReportReply(isOn: false)
        var hasFailed = report.hasFailed == true
        do {
            // Reports without a permission come from the service worker, which runs only if
            // notifications are permitted.
            if report.wants == true || report.permission == nil {
                reply.key = try await connection.call(Routes.pushKey).publicKey
            }
            if let subscription = report.subscription, reply.key != nil, report.key == reply.key {
                reply.isOn = try await isRegistered(
                    subscription, as: id, isKnown: report.isKnown == true, connection)
            } else if report.wants == false, report.isKnown == true {
                try await forget(id, connection)
            }
        } catch {
            _ = try finalRefusal(error, during: .saveDevice)
            hasFailed = true
        }
        note(report, reply, hasFailed: hasFailed, of: caller, session)
        return reply
    }

    /// Returns true if the subscription is registered. Registers an address that is new. Returns
    /// false if the server has deleted a known address. The browser must then make a new
    /// subscription.
    private func isRegistered(
        _ subscription: PushReport.Subscription, as id: PushEndpointID, isKnown: Bool,
        _ connection: Connection
    ) async throws -> Bool {
        guard !isKnown else {
            return try await connection.call(Routes.pushEndpoints).items.contains {
                $0.id == id && $0.url.absoluteString == subscription.endpoint
            }
        }
        _ = try await connection.call(
            Routes.savePushEndpoint,
            PushEndpointRequest(
                kind: .webPush, url: subscription.endpoint, keys: subscription.keys), id: id.uuid)
        return true
    }

    private func forget(_ id: PushEndpointID, _ connection: Connection) async throws {
        do {
            _ = try await connection.call(Routes.deletePushEndpoint, id: id.uuid)
        } catch let failure as ClientFailure where failure.code == .notFound {
            // The server has already deleted the endpoint.
        }
    }

    private func note(
        _ report: PushReport, _ reply: PushReportReply, hasFailed: Bool, of caller: Caller,
        _ session: Session
    ) {
        guard
            let permission = report.permission.map({
                PushStatus.Permission(rawValue: $0) ?? .unsupported
            }),
            // In all other cases, the browser now subscribes and sends another report.
            report.wants != true || reply.isOn || hasFailed || reply.key == nil
        else { return }
        session.resources.push.report(
            PushStatus(
                permission,
                endpoint: reply.isOn ? PushEndpoint.id(ofBrowserIn: caller.sessionID) : nil,
                isPutOff: report.isPutOff == true, hasFailed: hasFailed), of: caller)
    }

    // MARK: Presses

    private func perform(
        _ press: PushPress, of caller: Caller, _ session: Session
    ) async throws -> PushPressReply {
        let connection = session.resources.connection
        do {
            let reply = try await press.perform(
                as: caller.userID, at: pages.sessions.backend.clock.time(), connection)
            if reply.isDone, press.action != .read, let id = press.notification {
                _ = try? await connection.call(Routes.readNotification, id: id.uuid)
            }
            return reply
        } catch let error as PageError {
            throw error
        } catch {
            return .refused(try finalRefusal(error, during: press.operation))
        }
    }

    /// Returns the text of a final refusal. Throws for every other failure, so that the browser
    /// signs in or retries.
    private func finalRefusal(
        _ error: any Error, during operation: ClientOperation
    ) throws -> String {
        let failure = error as? ClientFailure
        guard failure != .sessionEnded, failure?.code != .unauthenticated else {
            throw PageError.noSession
        }
        guard case .refused(let reason) = QueueResult(error, during: operation) else {
            throw CommandError.unavailable("LifeSignal is busy. Try again.")
        }
        return reason
    }
}
