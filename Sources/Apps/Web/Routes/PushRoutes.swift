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

    /// Reports of browsers about their subscriptions, and the buttons of messages. Both act for who
    /// is signed in by the cookie, and only if that is the person who was on the page, or whom the
    /// message was for.
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

    private func caller(in session: Session, meant user: String?) async throws -> Caller {
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
            // The worker asks without a permission: it has one.
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

    /// An address that the server has had and has no more has ended: the browser needs a new one.
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
            // It went by itself.
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
            // The browser subscribes now, and reports once more.
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
                // An answered message has been read; the answer counts without this.
                _ = try? await connection.call(Routes.readNotification, id: id.uuid)
            }
            return reply
        } catch let error as PageError {
            throw error
        } catch {
            return .refused(try finalRefusal(error, during: press.operation))
        }
    }

    /// The words of a refusal that another try would meet again. Throws for every other failure:
    /// the browser has to sign in, or tries again.
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
