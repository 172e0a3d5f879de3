import BackgroundTasks
import Clients
import ClientsLive
import ComposableArchitecture
import Domain
import Features
import Foundation
import LifeSignalDevice
import UIKit
import UserNotifications

/// The app's start: its clients and its store, and what iOS tells the app.
public final class AppDelegate: NSObject, UIApplicationDelegate {
    /// The identifier of the background refresh, as Info.plist permits it.
    public static let refreshTask = "refresh"
    private static let sendingSession = "outgoing"

    /// nil when the build has set no server; the app says so then.
    public private(set) var store: StoreOf<AppFeature>?
    private var clients: LiveClients?
    private var sender: URLSessionBackgroundSender?
    private var push: DevicePush?
    private var handler: NotificationHandler?

    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        guard let configuration = DeviceConfiguration() else { return true }
        let clients = LiveClients.app(configuration)
        let push = DevicePush(clients: clients)
        prepareDependencies {
            clients.install(in: &$0)
            $0.pushClient = push.client
            $0.installDevice()
        }
        let store = Store(initialState: AppFeature.State()) { AppFeature() }
        let handler = NotificationHandler { @MainActor [weak self] subject in
            self?.store?.send(.notificationOpened(subject))
        }
        let center = UNUserNotificationCenter.current()
        center.delegate = handler
        center.setNotificationCategories(NotificationHandler.categories)
        DeviceActions.shared.set { try await CheckInAction.perform() }
        (self.clients, self.push, self.handler) = (clients, push, handler)
        sender = URLSessionBackgroundSender(
            base: configuration.server, identifier: Self.sendingSession,
            folder: configuration.folder.appending(path: "outgoing"))
        self.store = store
        store.send(.appLaunched)
        scheduleRefresh()
        return true
    }

    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        Task { await push?.registered(token: deviceToken, in: .ofThisBuild) }
    }

    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        Task { await push?.failed() }
    }

    /// Sends what waits, and brings what is shown up to date. iOS decides when, and how often.
    public func refreshInBackground() async {
        scheduleRefresh()
        try? await clients?.sendWaiting()
        try? await clients?.refresh()
    }

    /// iOS goes on to send calls for help and the newest check-in while the app is suspended.
    public func wentToBackground() async {
        guard let sender else { return }
        await clients?.sendInBackground(by: sender)
    }

    /// From here on the queue sends.
    public func becameActive() async { await sender?.replace(with: []) }

    private func scheduleRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: Self.refreshTask)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        try? BGTaskScheduler.shared.submit(request)
    }
}

extension APNsEnvironment {
    /// Xcode's builds get tokens of Apple's sandbox, TestFlight's and the App Store's real ones.
    fileprivate static var ofThisBuild: APNsEnvironment {
        #if DEBUG
        .sandbox
        #else
        .production
        #endif
    }
}

extension LiveClients {
    /// The clients of this device, with its keychain and its folder.
    @MainActor
    fileprivate static func app(_ configuration: DeviceConfiguration) -> LiveClients {
        var options = Options(deviceName: UIDevice.current.name)
        options.deviceModel = UIDevice.current.model
        options.appVersion =
            Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String ?? "1"
        return LiveClients(
            transport: HTTPTransport(base: configuration.server),
            tokens: KeychainTokenStore(
                keychain: SystemKeychain(accessGroup: configuration.keychainGroup),
                lock: InterProcessLock(
                    path: configuration.folder.appending(path: "session.lock").path)),
            storage: .device(folder: configuration.folder), options: options)
    }
}
