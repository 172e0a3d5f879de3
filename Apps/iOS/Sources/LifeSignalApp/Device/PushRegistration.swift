import Clients
import Domain
import UserNotifications

/// The result of this device's last registration for push messages, and the session that it was
/// for. The server removes an endpoint together with its session.
struct PushRegistration: Equatable, Sendable {
    private let user: UserID
    private let session: SessionID?
    /// The device token; nil if iOS gave none.
    private let token: String?
    /// Nil if the registration failed.
    let endpoint: PushEndpointID?

    init(of signedIn: SignedIn, token: String? = nil, endpoint: PushEndpointID?) {
        (user, session) = (signedIn.userID, signedIn.sessionID)
        self.token = token
        self.endpoint = endpoint
    }

    /// Returns whether the server should send messages to this device.
    static func isUsed(isWanted: Bool, permission: PushStatus.Permission) -> Bool {
        isWanted && permission == .granted
    }

    /// Returns whether the system hasn't asked for critical alerts yet. After the person's answer,
    /// the setting is enabled or disabled.
    static func lacksCriticalAlerts(
        isUsed: Bool, allowsCritical: Bool, _ setting: UNNotificationSetting
    ) -> Bool { isUsed && allowsCritical && setting == .notSupported }

    /// Returns the registration that holds after this one failed. While the server can't be
    /// reached, an earlier registration of the same session and token stays valid.
    func afterFailure(_ error: UserFacingError, earlier: PushRegistration?) -> PushRegistration {
        let isUnreachable =
            error.has(.unavailable) || ["unreachable", "malformed-answer"].contains(error.code)
        guard isUnreachable, let earlier, earlier.user == user, earlier.session == session,
            earlier.token == token
        else { return self }
        return earlier
    }

    func belongs(to signedIn: SignedIn?) -> Bool {
        signedIn?.userID == user && signedIn?.sessionID == session
    }
}

extension PushStatus {
    /// Ignores a registration of another session. While iOS shows no notifications, they are off,
    /// even if the server sends them.
    init(
        _ permission: Permission, _ registration: PushRegistration?, of signedIn: SignedIn?,
        isPutOff: Bool
    ) {
        let own = registration.flatMap { $0.belongs(to: signedIn) ? $0 : nil }
        self.init(
            permission, endpoint: permission == .granted ? own?.endpoint : nil,
            isPutOff: isPutOff, hasFailed: own.map { $0.endpoint == nil } ?? false)
    }
}
