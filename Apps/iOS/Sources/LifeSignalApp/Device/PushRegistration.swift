import Clients
import Domain

/// The result of this device's last registration for push messages, and the session that it was
/// for. The server removes an endpoint together with its session.
struct PushRegistration: Equatable, Sendable {
    private let user: UserID
    private let session: SessionID?
    /// Nil if the registration failed.
    let endpoint: PushEndpointID?

    init(of signedIn: SignedIn, endpoint: PushEndpointID?) {
        (user, session) = (signedIn.userID, signedIn.sessionID)
        self.endpoint = endpoint
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
