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

/// Starts the app with its clients and its store, and handles the calls of iOS.
public final class AppDelegate: NSObject, UIApplicationDelegate {
    /// The identifier of the background refresh, which Info.plist also lists.
    public static let refreshTask = "refresh"
    private static let sendingSession = "outgoing"
    /// The time limit for background work. iOS ends an app whose background work takes more than 30
    /// seconds.
    private static let patience: Duration = .seconds(25)

    /// Nil if the build sets no server. The app then shows a text that says so.
    public private(set) var store: StoreOf<AppFeature>?
    private var clients: LiveClients?
    private var sender: URLSessionBackgroundSender?
    private var push: DevicePush?
    private var handler: NotificationTapHandler?
    /// Gives the queued actions to iOS while the app is in the background.
    private var handover: Task<Void, Never>?

    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        guard let configuration = DeviceConfiguration() else { return true }
        // The system doesn't create this folder for a new app.
        try? FileManager.default.createDirectory(
            at: configuration.ownFolder, withIntermediateDirectories: true)
        let clients = LiveClients.app(configuration)
        let push = DevicePush(clients: clients, folder: configuration.sharedFolder)
        let sender = URLSessionBackgroundSender(
            base: configuration.server, identifier: Self.sendingSession,
            folder: configuration.ownFolder.appending(path: "outgoing"))
        prepareDependencies {
            clients.install(in: &$0)
            $0.pushClient = push.client
            $0.backgroundHandover = .by(sender, of: clients)
            $0.installDevice()
        }
        let store = Store(initialState: AppFeature.State()) { AppFeature() }
        let handler = NotificationTapHandler { @MainActor [weak self] subject in
            self?.store?.send(.notificationOpened(subject))
        }
        let center = UNUserNotificationCenter.current()
        center.delegate = handler
        center.setNotificationCategories(NotificationTapHandler.categories)
        DeviceActions.shared.set(
            checkIn: {
                try await SpokenError.saying { try await CheckInAction.perform().spokenWords }
            },
            arrive: {
                try await SpokenError.saying { try await JourneyAction.arrive() }
                return PushAction.arrived.done
            },
            extendJourney: { try await SpokenError.saying { try await JourneyAction.extend() } })
        (self.clients, self.sender, self.push) = (clients, sender, push)
        (self.handler, self.store) = (handler, store)
        store.send(.appLaunched)
        Task { await push.followConnection() }
        Task { await clients.keepAlertPass() }
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

    /// Handles a silent push, which reports a check-in or the end of an alert on another device.
    public func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        Task {
            let refresh = Task { await refreshInBackground() }
            let limit = Task {
                try await Task.sleep(for: Self.patience)
                refresh.cancel()
            }
            completionHandler(await refresh.value ? .newData : .failed)
            limit.cancel()
        }
    }

    /// Handles a change of the device's clock. iOS counts the reminders and the Live Activity by
    /// that clock. iOS also calls this at midnight.
    public func applicationSignificantTimeChange(_ application: UIApplication) {
        store?.send(.reminders(.refresh))
    }

    /// Sends pending actions, gives the unsent ones to iOS, and updates what iOS shows outside the
    /// app. iOS decides when and how often this runs.
    /// - Returns: false if the server was not reached.
    public func refreshInBackground() async -> Bool {
        scheduleRefresh()
        guard let clients, let store else { return false }
        return await DeviceRefresh(clients: clients, store: store, sender: sender, push: push).run()
    }

    /// Gives the unsent alerts, the newest check-in and an arrival to iOS, which sends them while
    /// the app is suspended. Runs until a confirmed end of an alert is queued, because iOS must not
    /// send that alert later. Stores the measurement of the server's clock for the widget, because
    /// the app may have shown the deadline before its first measurement.
    public func wentToBackground() async {
        guard let sender, let store, let clients else { return }
        let isEndUnderway = store.state.main?.home.alert.isEndUnderway == true
        let time = isEndUnderway ? BackgroundTime() : nil
        handover?.cancel()
        handover = Task { await clients.keepSendingInBackground(by: sender) }
        await DeadlineDisplay.shared.show(store.state.deadline)
        guard let time else { return }
        try? await Task.sleep(for: AlertRules.hold + .seconds(2))
        time.end()
    }

    /// Stops iOS from sending. While the app is active, the app's own queue sends.
    public func becameActive() async {
        let ended = handover
        handover = nil
        ended?.cancel()
        await ended?.value
        // The app may have left the foreground again.
        if handover == nil, let sender { await clients?.stopSendingInBackground(by: sender) }
        // The pass may have become a day old while iOS kept the app suspended.
        await clients?.renewAlertPass()
        await push?.checkSettings()
    }

    /// Handles the end of the session, also by another device.
    public func signedOut() async { await push?.clearIfSignedOut() }

    private func scheduleRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: Self.refreshTask)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        try? BGTaskScheduler.shared.submit(request)
    }
}

extension APNsEnvironment {
    /// Xcode's builds get tokens for Apple's sandbox. Builds from TestFlight and the App Store get
    /// tokens for production.
    fileprivate static var ofThisBuild: APNsEnvironment {
        #if DEBUG
        .sandbox
        #else
        .production
        #endif
    }
}

extension LiveClients {
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
                    path: configuration.ownFolder.appending(path: "session.lock").path)),
            storage: .device(folder: configuration.ownFolder), options: options)
    }
}
