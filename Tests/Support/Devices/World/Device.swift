import ClientsLive
import ComposableArchitecture
import Domain
import Features
import Foundation
import Synchronization

/// A person's phone: the store of the whole app, with live clients. Queue, local copy and tokens
/// survive when the app is killed.
actor Device {
    /// The phone's number among all phones. `person` is the owner's number.
    nonisolated let number: Int
    nonisolated let person: Int
    nonisolated let name: String
    nonisolated let phoneNumber: String
    nonisolated let connection: BadConnection
    nonisolated let tokens = MemoryTokenStore()
    private nonisolated let folder: URL
    private nonisolated let ids: Ids
    private nonisolated let screen = Mutex(AppFeature.State())
    private nonisolated let known = Mutex<UserID?>(nil)
    private nonisolated let word = Mutex(Word())
    private nonisolated let wallClock = Mutex(WallClock())
    private nonisolated let lives = Mutex(0)
    /// The tab of this process that has sent its `onAppear`. Nil while no tabs are on the screen.
    private nonisolated let shownTab = Mutex<MainTabFeature.Tab?>(nil)
    private var life: Life?

    /// One process of the app.
    private struct Life {
        var clients: LiveClients
        var store: StoreOf<AppFeature>
        var transport: KillableTransport
    }

    /// The times of the phone's last refusal and last empty queue.
    private struct Word {
        /// The last time when the person was told of a refusal.
        var saidNo: Date?
        /// The last time when the profile or the app showed an error.
        var refusedProfile: Date?
        /// The last time when nothing waited to be sent.
        var wasIdle = Date.distantPast
    }

    /// The phone's own clock, as the person or the network sets it.
    private struct WallClock {
        var ahead = Duration.zero
        var isTrusted = true
        var setBack: Date?
    }

    init(
        _ number: Int, of person: Int, _ name: String, _ phoneNumber: String, folder: URL,
        connection: BadConnection, ids: Ids
    ) {
        (self.number, self.person, self.name) = (number, person, name)
        (self.phoneNumber, self.connection) = (phoneNumber, connection)
        (self.folder, self.ids) = (folder, ids)
    }

    /// The user who signed in on this phone. Signing out keeps it.
    nonisolated var userID: UserID? { known.withLock { $0 } }

    /// Returns whether the person has been told of a refusal since this moment.
    nonisolated func hasSaidNo(since moment: Date) -> Bool {
        word.withLock { $0.saidNo.map { $0 >= moment } ?? false }
    }

    /// Returns whether the person may have been told since this moment that the profile stays.
    nonisolated func hasRefusedProfile(since moment: Date) -> Bool {
        word.withLock { $0.refusedProfile.map { $0 >= moment } ?? false }
    }

    nonisolated var lastIdle: Date { word.withLock { $0.wasIdle } }

    // MARK: Its clock

    nonisolated var now: Date { DeviceServer.now().adding(wallClock.withLock { $0.ahead }) }

    /// False from the first wrong time until the end of the hour. Until then, the phone may correct
    /// its clock by an answer sent before the change.
    nonisolated var isClockTrusted: Bool { wallClock.withLock { $0.isTrusted } }

    /// - Returns: whether the clock was set back.
    @discardableResult
    nonisolated func set(clockAheadBy error: Duration) -> Bool {
        wallClock.withLock { clock in
            let isBack = error < clock.ahead
            clock.ahead = error
            clock.isTrusted = clock.isTrusted && error == .zero
            if isBack { clock.setBack = DeviceServer.now() }
            return isBack
        }
    }

    nonisolated func trustClock() {
        set(clockAheadBy: .zero)
        wallClock.withLock { $0.isTrusted = true }
    }

    nonisolated func wasSetBack(since moment: Date?) -> Bool {
        guard let moment, let setBack = wallClock.withLock({ $0.setBack }) else { return false }
        return setBack >= moment
    }

    // MARK: Its screen

    nonisolated var state: AppFeature.State { screen.withLock { $0 } }
    nonisolated var tabs: MainTabFeature.State? { state.screen?.main }
    nonisolated var settings: SettingsFeature.State? { tabs?.profile.settings }
    nonisolated var hasAppeared: Bool { shownTab.withLock { $0 != nil } }

    func start() {
        guard life == nil else { return }
        let (transport, ids) = (KillableTransport(connection), ids)
        var environment = ClientEnvironment(
            clock: ClientClock(VirtualClock()), now: { [self] in now }, makeID: { ids.uuid() },
            random: { ids.fraction() })
        environment.uptime = { [name] in Uptime(start: name, time: Scheduler.shared.now) }
        var options = LiveClients.Options(deviceName: "\(name)'s phone")
        options.runsOnCallersThread = true
        let clients = LiveClients(
            transport: transport, tokens: tokens, storage: .device(folder: folder),
            options: options,
            environment: environment)
        screen.withLock { $0 = AppFeature.State() }
        shownTab.withLock { $0 = nil }
        let number = lives.withLock { lives in
            lives += 1
            return lives
        }
        let store = Store(initialState: AppFeature.State()) {
            AppFeature()
            Reduce { [self] state, _ in
                show(state, in: number)
                return .none
            }
        } withDependencies: {
            $0.context = .live
            $0.date = DateGenerator { [self] in now }
            $0.continuousClock = VirtualClock()
            $0.suspendingClock = VirtualClock()
            $0.uuid = UUIDGenerator { ids.uuid() }
            clients.install(in: &$0)
        }
        life = Life(clients: clients, store: store, transport: transport)
        store.send(.appLaunched)
    }

    private nonisolated func show(_ state: AppFeature.State, in life: Int) {
        guard lives.withLock({ $0 == life }) else { return }
        screen.withLock { $0 = state }
        let tab = state.screen?.main?.selectedTab
        let isNew = shownTab.withLock { shown in
            if tab == nil { shown = nil }
            return tab != shown
        }
        if isNew { Task { await showTab() } }
        if let user = state.signedIn?.userID { known.withLock { $0 = user } }
        let ping = state.screen?.main?.dependents.ping.error
        let hasProfileError = state.screen?.main?.profile.error != nil
        let time = DeviceServer.now()
        word.withLock { word in
            if ping != nil || !state.errors.isEmpty { word.saidNo = time }
            if hasProfileError || !state.errors.isEmpty { word.refusedProfile = time }
            // A process that has just started doesn't know its queue yet.
            let knowsQueue = state.connectivity.lastSynced != nil
            if knowsQueue, state.connectivity.waiting.isEmpty { word.wasIdle = time }
        }
        Scheduler.shared.touch()
    }

    /// Kills the app, like `kill -9`: no request of this process reaches the server after that.
    func kill() async {
        guard let life else { return }
        self.life = nil
        lives.withLock { $0 += 1 }
        life.transport.die()
        await life.clients.stop()
    }

    /// Sends the app to the background. It gives unsent alerts and its newest check-in to the
    /// system.
    func suspend() async {
        guard let life else { return }
        life.store.send(.becameInactive)
        await life.clients.sendInBackground(by: SystemSender(connection: connection))
    }

    /// Selects a tab, as a person must before they can press a button in it.
    func go(to tab: MainTabFeature.Tab) {
        guard let old = tabs?.selectedTab, old != tab else { return }
        send(tabs: .tabSelected(tab))
        showTab()
    }

    /// Tells the tabs which of them appears and disappears, as the views do. The app changes tabs
    /// by itself, too, for example when a notification is opened.
    private func showTab() {
        guard let tab = tabs?.selectedTab else { return }
        let old = shownTab.withLock { shown in
            defer { shown = tab }
            return shown
        }
        guard old != tab else { return }
        switch old {
        case nil: send(tabs: .onAppear)
        case .home: send(tabs: .home(.onDisappear))
        case .responders: send(tabs: .responders(.onDisappear))
        case .dependents: send(tabs: .dependents(.onDisappear))
        case .profile: send(tabs: .profile(.onDisappear))
        }
        switch tab {
        case .home: send(tabs: .home(.onAppear))
        case .responders: send(tabs: .responders(.onAppear))
        case .dependents: send(tabs: .dependents(.onAppear))
        case .profile: send(tabs: .profile(.onAppear))
        }
    }

    func send(_ action: AppFeature.Action) { life?.store.send(action) }
    func send(tabs action: MainTabFeature.Action) { send(.screen(.presented(.main(action)))) }

    func send(settings action: SettingsFeature.Action) {
        guard settings != nil else { return }
        send(tabs: .profile(.destination(.presented(.settings(action)))))
    }

    /// Waits until the screen shows something. Returns false after the time limit.
    nonisolated func shows(within bound: Duration, _ isShown: (AppFeature.State) -> Bool) async
        -> Bool
    {
        let end = Scheduler.shared.now + bound
        while !isShown(state) {
            guard Scheduler.shared.now < end else { return false }
            try? await VirtualClock().sleep(for: .milliseconds(200))
        }
        return true
    }
}

/// The connection of one process, which ends with the process.
private final class KillableTransport: Transport {
    private let transport: any Transport
    private let isDead = Mutex(false)

    init(_ transport: any Transport) { self.transport = transport }

    func die() { isDead.withLock { $0 = true } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard !isDead.withLock({ $0 }) else { throw ClientFailure.unreachable(.offline) }
        return try await transport.send(request)
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        guard !isDead.withLock({ $0 }) else { throw ClientFailure.unreachable(.offline) }
        return try await transport.stream(request)
    }
}

/// The operating system. It sends a suspended app's requests and ignores the answers.
private struct SystemSender: BackgroundSender {
    let connection: BadConnection

    func replace(with requests: [BackgroundRequest]) async {
        // The system needn't send an alert that waits for an answer, and this device doesn't take
        // requests back.
        for request in requests where request.earliest == nil {
            Task {
                for _ in 0..<5 {
                    try await VirtualClock().sleep(for: .seconds(3))
                    if (try? await connection.send(request.request)) != nil { return }
                }
            }
        }
    }
}
