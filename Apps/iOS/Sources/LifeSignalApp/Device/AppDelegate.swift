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
    /// The background time since the app became inactive; nil while it is active.
    private var time: BackgroundTime?

    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        guard let configuration = DeviceConfiguration() else { return true }
        configuration.prepareOwnFolder()
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
                try await OutsidePress.perform(.checkIn) {
                    try await CheckInAction.perform().spokenWords
                }
            },
            arrive: {
                try await OutsidePress.perform(.arrived) {
                    try await JourneyAction.arrive()
                    return PushAction.arrived.done
                }
            },
            extendJourney: {
                try await OutsidePress.perform(.later) { try await JourneyAction.extend() }
            })
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
        Task { completionHandler(await refreshInTime() ? .newData : .failed) }
    }

    /// Handles the end of requests that iOS sent while the app was suspended. The app may still
    /// show a deadline that a sent check-in has moved.
    public func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        Task {
            _ = await refreshInTime()
            completionHandler()
        }
    }

    private func refreshInTime() async -> Bool {
        let refresh = Task { await refreshInBackground() }
        let limit = Task {
            try await Task.sleep(for: Self.patience)
            refresh.cancel()
        }
        let isFresh = await refresh.value
        limit.cancel()
        return isFresh
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

    /// Asks iOS for time to hand over the queued actions. iOS may suspend the app as soon as its
    /// scene has reported `.background`.
    public func becameInactive() {
        if time?.isHeld != true { time = BackgroundTime() }
    }

    /// Gives the unsent alerts, the newest check-in and an arrival to iOS, which sends them while
    /// the app is suspended. Stays awake until the first handover has ended, and until an alert
    /// that is being raised or a confirmed end is queued: iOS must not send an ended alert later.
    /// Stores the measurement of the server's clock for the widget, because the app may have shown
    /// the deadline before its first measurement.
    public func wentToBackground() {
        guard let sender, let store, let clients else { return }
        becameInactive()
        let alert = store.state.main?.home.alert
        let isAlertUnderway = alert?.isEndUnderway == true || alert?.isActivatingAlert == true
        let (handovers, continuation) = AsyncStream.makeStream(of: Void.self)
        handover?.cancel()
        handover = Task {
            // The first call ends the stream.
            await clients.keepSendingInBackground(by: sender) { continuation.finish() }
            continuation.finish()
        }
        let (time, deadline) = (time, store.state.deadline)
        Task {
            await DeadlineDisplay.shared.show(deadline)
            for await _ in handovers {}
            if isAlertUnderway { try? await Task.sleep(for: AlertRules.hold + .seconds(2)) }
            time?.end()
        }
    }

    /// Handles that the app is active again. The app then keeps running without background time.
    public func becameActive() {
        time?.end()
        time = nil
        let ended = handover
        handover = nil
        ended?.cancel()
        Task { await DeadlineDisplay.shared.becameActive() }
        Task { await takeBackRequests(after: ended) }
    }

    /// Stops iOS from sending. While the app is active, the app's own queue sends.
    private func takeBackRequests(after ended: Task<Void, Never>?) async {
        await ended?.value
        // The app may have left the foreground again.
        if handover == nil, let sender { await clients?.stopSendingInBackground(by: sender) }
        // The pass may have become a day old while iOS kept the app suspended.
        await clients?.renewAlertPass()
        await push?.checkSettings()
        if handover == nil { await push?.askForCriticalAlerts() }
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
