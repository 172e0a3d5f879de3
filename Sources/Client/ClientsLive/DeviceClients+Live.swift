import Clients

extension SettingsClient {
    static func live(_ desk: Desk) -> SettingsClient {
        SettingsClient(
            string: { key in await desk.setting(key.rawValue) },
            setString: { value, key in await desk.set(value, key.rawValue) }
        )
    }
}

extension ConnectivityClient {
    static func live(_ desk: Desk) -> ConnectivityClient {
        ConnectivityClient(
            status: { desk.connectivity.stream() },
            refusals: { desk.account?.refusalStream() ?? .finished },
            answerUnsentAlert: { await desk.account?.answerHeldAlerts(isToBeSent: $0) },
            retryNow: { await desk.account?.retryNow() }
        )
    }
}
