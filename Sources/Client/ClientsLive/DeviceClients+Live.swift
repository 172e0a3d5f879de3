import Clients

extension SettingsClient {
    static func live(_ controller: SessionController) -> SettingsClient {
        SettingsClient(
            string: { key in await controller.setting(key.rawValue) },
            setString: { value, key in await controller.set(value, key.rawValue) }
        )
    }
}

extension ConnectivityClient {
    static func live(_ controller: SessionController) -> ConnectivityClient {
        ConnectivityClient(
            status: { controller.connectivity.stream() },
            refusals: { controller.account?.refusalStream() ?? .finished },
            answerUnsentAlert: {
                await controller.account?.answerHeldAlerts(isToBeSent: $0)
                await controller.handOverAgain()
            },
            retryNow: { await controller.account?.retryNow() }
        )
    }
}
