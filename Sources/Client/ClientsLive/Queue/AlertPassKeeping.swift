import API
import Domain
import Foundation

/// The pass that lets the operating system send a call for help while the app is suspended. The
/// access token is too short-lived for that: it expires after 15 minutes.
public struct StoredAlertPass: Codable, Equatable, Sendable {
    public var pass: String
    public var expiresAt: Date
    /// The session of the pass. The pass ends with the session.
    public var sessionID: SessionID
    /// The alert that the pass was used for; nil before that. The server accepts the pass for no
    /// other alert.
    public var alertID: AlertID?

    public init(
        pass: String, expiresAt: Date, sessionID: SessionID, alertID: AlertID? = nil
    ) {
        self.pass = pass
        self.expiresAt = expiresAt
        self.sessionID = sessionID
        self.alertID = alertID
    }

    /// A pass that expires within this time is renewed. New passes are valid for 7 days, so a pass
    /// is renewed about once a day.
    fileprivate static let renewedBefore: Duration = .days(6)
}

extension LiveClients {
    /// Requests a pass for the next call for help, because the app may be offline when it is
    /// suspended. Does nothing while offline.
    public func renewAlertPass() async { try? await controller.account?.renewAlertPass() }

    /// Keeps a pass ready until the task is cancelled. Renews it after a sign-in, when the
    /// connection returns, and once a call for help that used it has reached the server.
    public func keepAlertPass() async {
        for await status in controller.connectivity.stream()
        where status.isOnline && !status.waiting.contains(where: { $0.kind == .raiseAlert }) {
            await renewAlertPass()
        }
    }
}

extension Account {
    /// Renewals must not overlap, because only the newest pass is valid.
    fileprivate func renewAlertPass() async throws {
        if let passRenewal { return try await passRenewal.value }
        let renewal = Task {
            defer { passRenewal = nil }
            try await renewUsedAlertPass()
        }
        passRenewal = renewal
        try await withTaskCancellationHandler {
            try await renewal.value
        } onCancel: {
            renewal.cancel()
        }
    }

    private func renewUsedAlertPass() async throws {
        let session = try await connection.keeper.tokens().sessionID
        if let pass = await connection.keeper.alertPass(), pass.sessionID == session,
            pass.alertID == nil,
            pass.expiresAt.since(environment.now()) > StoredAlertPass.renewedBefore
        {
            return
        }
        // A new pass would invalidate a call for help that the operating system may still have to
        // send.
        guard !outbox.active.contains(where: { $0.action.kind == .raiseAlert }) else { return }
        let answer = try await connection.call(Routes.alertPass)
        await connection.keeper.save(
            alertPass: StoredAlertPass(
                pass: answer.pass, expiresAt: answer.expiresAt, sessionID: session))
    }
}

extension Connection {
    /// Returns the request with the session's pass. Falls back to the access token.
    func signedByPass(
        _ request: APIRequest, for alert: AlertID, at now: Date
    ) async throws -> TransportRequest {
        let signed = try await signed(request)
        let session = try await keeper.tokens().sessionID
        guard var pass = await keeper.alertPass(), pass.sessionID == session,
            pass.expiresAt > now, pass.alertID ?? alert == alert
        else { return signed }
        if pass.alertID == nil {
            pass.alertID = alert
            await keeper.save(alertPass: pass)
        }
        var request = signed
        request.headers["Authorization"] = "AlertPass \(pass.pass)"
        return request
    }
}
