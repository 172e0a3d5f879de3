import Clients
import ClientsLive
import ComposableArchitecture
import Domain
import Features
import Foundation
import LivePages

extension PageApp where Feature == AppFeature, Resources == SessionResources {
    /// LifeSignal in a browser: one store per session, which calls the API as the signed-in user.
    /// Writes nothing to disk.
    /// - Parameter time: the server's time, which every session uses.
    static func lifeSignal(
        publicURL: URL, time: @escaping @Sendable () -> Date,
        pictures: PictureWorkshop = PictureWorkshop(limitInBytes: EventValue.bytesLimit),
        settings: SettingsMemory = SettingsMemory()
    ) -> PageApp {
        PageApp(
            makeStore: { resources, isolation in
                var environment = ClientEnvironment.live
                environment.clock = .session
                environment.now = time
                environment.uptime = { nil }
                environment.pictures = pictures
                environment.executor = resources.executor
                var options = LiveClients.Options(deviceName: resources.browserName)
                options.deviceModel = resources.browserName
                options.events.isRemote = false
                let clients = LiveClients(
                    connection: resources.connection, storage: .session, options: options,
                    environment: environment)
                resources.atEnd { await clients.stop() }
                // A page names its user even before the session is restored. The script treats a
                // page without a user as a sign-out, and ends the push subscription.
                let user = resources.identity.map {
                    SignedIn(userID: $0.userID, isNewUser: false, sessionID: $0.sessionID)
                }
                return Store(
                    initialState: AppFeature.State(signedIn: user), isolation: isolation,
                    executor: resources.executor, isObserved: false
                ) {
                    AppFeature()
                } withDependencies: {
                    clients.install(in: &$0)
                    $0.pushClient = .browser(resources)
                    $0.settingsClient = .browser(resources, settings)
                    $0.continuousClock = SessionClock()
                    $0.phoneCountry = PhoneCountry(languages: resources.credentials.languages)
                    $0.date = DateGenerator(time)
                }
            },
            start: .appLaunched, view: AppFeature.view, outline: \.outline,
            open: { path, state in state.actions(opening: path, publicURL: publicURL) },
            canOpen: { path, state in state.canOpen(path) },
            accepts: { action, state in state.accepts(action) },
            download: { name, state in state.main?.file(named: name) },
            isSettled: \.isSettled, keptAct: \.keptAct,
            base: PathPrefix(of: publicURL).text
        )
    }
}

extension AlertQuestion where State == AppFeature.State, Action == AppFeature.Action {
    static var aboutUnsentAlert: AlertQuestion {
        AlertQuestion(
            answer: { id, state in state.answer(about: id) },
            ask: { id, raisedAt in .earlierAlertFound(id, raisedAt: raisedAt) })
    }
}

extension MainTabFeature.State {
    /// Returns the file with this name if the page offers it for download.
    fileprivate func file(named name: String) -> Download<AppFeature.Action>? {
        switch name {
        case exportName:
            profile.settings?.exportedFile.map {
                Download(
                    $0, mediaType: "application/json",
                    handedOver: .screen(
                        .presented(
                            .main(
                                .profile(
                                    .destination(.presented(.settings(.exportHandedOver))))))))
            }
        case AlertFeature.tableName:
            Download(
                Data(AlertSummary.csv(home.alert.alertHistory) { _ in "You" }.utf8),
                mediaType: "text/csv; charset=utf-8")
        case QRCodeFeature.pictureName:
            (home.qrCode ?? profile.qrCode)?.qrCodeImage.map {
                Download($0.png, mediaType: "image/png")
            }
        default: nil
        }
    }
}

extension AppFeature.State {
    /// What became of the end of an alert (`Attribute.ends`). `failed` after a sign-out, because
    /// the server may not have the end.
    var keptAct: KeptAct {
        guard let alert = main?.home.alert else { return .failed }
        if alert.isDeactivatingAlert { return .underWay }
        return alert.isAlertActive && alert.error != nil ? .failed : .stored
    }

    var isSettled: Bool {
        guard let main else { return screen != nil }
        switch main.selectedTab {
        case .home: return main.home.checkIn.lastCheckInTime != nil
        case .responders: return !main.responders.isLoading
        case .dependents: return !main.dependents.isLoading
        case .profile: return !main.profile.phoneNumber.isEmpty
        }
    }
}
