import API
import Clients
import Domain
import Foundation
import Synchronization
import TaskWork

/// The state of one signed-in user. Publishes the state, sends the user's actions, and follows the
/// server's events. On a device, an account has a local copy and a queue on disk. A web session on
/// the server has neither, so an action that can't be sent fails at once.
///
/// Three parts hold the state and run in the isolation of this actor. `Outbox` has the unsent
/// actions, `Mirror` the local copy, and `Sync` the data that has to be loaded.
actor Account {
    struct Options: Sendable {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(300))
        var longestWaitOfAlerts: Duration = .seconds(30)
        /// See `LiveClients.Options`.
        var patience: Duration? = .seconds(4)
        var events = EventSubscription.Options()
        /// See `LiveClients.Options`.
        var follows = true
        var limits: AccountModel.Limits
        /// nil for a web session on the server.
        var storage: Storage?
    }

    struct Storage: Sendable {
        var queue: any QueueStore
        var copy: any CopyStore
    }

    let userID: UserID
    let connection: Connection
    let environment: ClientEnvironment
    let options: Options
    nonisolated var storage: Storage? { options.storage }

    nonisolated let profiles = Broadcast<UserProfile>()
    nonisolated let contacts = Broadcast<[ContactData]>()
    nonisolated let alerts = Broadcast<[AlertRecord]>([])
    nonisolated let pings = Broadcast<[PingRecord]>([])
    nonisolated let notifications = Broadcast<[NotificationItem]>()
    /// The broadcast outlives the account, so that a subscriber from before the sign-in also sees
    /// this account.
    nonisolated let connectivity: Broadcast<Connectivity>
    nonisolated let refusals = NoticeBoard<RefusedAction>()
    /// The ids of refused entries whose refusal a subscriber has received.
    private nonisolated let reportedRefusals = Mutex<[UUID]>([])

    let outbox: Outbox
    let mirror: Mirror
    let sync: Sync

    private var isOnline = true
    private(set) var isStopped = false
    private var events: EventSubscription?
    /// nil until it is known.
    private var ownSession: SessionID?
    private var tasks: [Task<Void, Never>] = []
    /// The running renewal of the alert pass; nil without one.
    var passRenewal: Task<Void, any Error>?

    init(
        userID: UserID, connection: Connection, environment: ClientEnvironment, options: Options,
        connectivity: Broadcast<Connectivity> = Broadcast(Connectivity())
    ) {
        self.userID = userID
        self.connection = connection
        self.environment = environment
        self.options = options
        self.connectivity = connectivity
        outbox = Outbox(file: options.storage?.queue)
        mirror = Mirror(of: userID, limits: options.limits, file: options.storage?.copy)
        sync = Sync()
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    /// Loads the queue and the local copy from disk, and publishes them. Throws the errors of the
    /// disk.
    /// - Parameter isSignIn: true if the person has just signed in.
    func open(isSignIn: Bool = false) async throws {
        ownSession = try? await connection.keeper.tokens().sessionID
        guard let storage else { return }
        let queue = try await storage.queue.load()
        outbox.restore(queue)
        for refused in queue.refused { reportRefusal(refused.error, of: refused.entry) }
        if queue.wasDamaged { reportDamage() }
        await outbox.takeUpHeld(queue.held, isSignIn: isSignIn, for: self)
        await mirror.load(for: self)
        isOnline = false
        watchEpoch()
        publish()
    }

    /// Follows the server until `stop`.
    func start() {
        guard tasks.isEmpty, !isStopped else { return }
        let executor = environment.executor
        tasks = [
            Task(executorPreference: executor) { [weak self, wakeup = sync.wakeup] in
                await Self.repeating(wakeup) { [weak self] in await self?.loadWanted() }
            }
        ]
        if options.follows {
            let events = EventSubscription(connection, options: options.events)
            self.events = events
            let signals = events.subscribe()
            tasks += [
                Task(executorPreference: executor) { await events.run() },
                Task(executorPreference: executor) { [weak self] in
                    for await signal in signals { await self?.receive(signal) }
                },
            ]
        }
        guard storage != nil else { return }
        tasks.append(
            Task { [weak self, wakeup = mirror.wakeup] in
                await Self.repeating(wakeup) { [weak self] in await self?.save() }
            })
        if let heldUntil = outbox.heldUntil { tasks.append(releaseHeldAlerts(at: heldUntil)) }
        for (lane, wakeup) in outbox.wakeups {
            tasks.append(
                Task { [weak self] in
                    await Self.repeating(wakeup) { [weak self] in await self?.sendNext(lane) }
                })
        }
    }

    /// Stops all work and saves the local copy. Callers that wait for a reply get `postponed`.
    /// - Parameter sessionHasEnded: true if waiting callers get `sessionEnded` instead.
    func stop(sessionHasEnded: Bool = false) async {
        isStopped = true
        for task in tasks { task.cancel() }
        tasks = []
        outbox.settleAll(sessionHasEnded: sessionHasEnded)
        for finish in [
            profiles.finish, contacts.finish, alerts.finish, pings.finish, notifications.finish,
            refusals.finish,
        ] { finish() }
        _ = await save()
        await outbox.removeLeftovers(for: self)
        // If the disk fails, the next start reports these refusals again.
        for id in reportedRefusals.withLock({ $0 }) {
            try? await storage?.queue.remove(id, noting: nil)
        }
    }

    /// Repeats `work` until the task is cancelled or `work` returns nil. `work` says when to
    /// continue: at once, after a pause, or at the next wake-up.
    private static func repeating(
        _ wakeup: TaskWakeup, _ work: @escaping @Sendable () async -> Next?
    ) async {
        while !Task.isCancelled {
            switch try? await inChildTask(work) {
            case nil: return
            case .more: continue
            case .rest: await wakeup.wait()
            case .pause(let pause, let clock): await wakeup.wait(atMost: pause, clock)
            }
        }
    }

    enum Next: Sendable { case more, rest, pause(Duration, ClientClock) }

    // MARK: Publishing

    /// The visible state: the server's state with the queue applied.
    var shown: AccountModel { showing(mirror.model) }

    func showing(_ model: AccountModel) -> AccountModel {
        model.showing(shownQueue, aliases: outbox.aliases, me: userID)
    }

    /// The return of the running journey with unsent later returns applied; nil without a journey.
    var expectedReturn: Date? { mirror.model.expectedReturn(after: outbox.active) }

    /// The queue as screens show it, with its times by the server's clock.
    private var shownQueue: [QueuedEntry] { outbox.active.map { onServerClock($0) } }

    /// The present time by the server's clock, which also counts on a device with a wrong clock.
    var serverTime: Date { environment.now().adding(connection.serverClock.offset) }

    /// Returns an entry with its times by the server's clock, which all readers of the visible
    /// state count by. The request keeps the times of this device's clock.
    func onServerClock(_ entry: QueuedEntry) -> QueuedEntry {
        entry.timed(at: environment.now(), environment.uptime())
            .moved(by: connection.serverClock.offset)
    }

    func publish() {
        // After `stop`, `connectivity` may already belong to another account.
        guard !isStopped else { return }
        let shown = shown
        if let profile = shown.profile { profiles.send(profile) }
        alerts.send(shown.alerts)
        pings.send(shown.pings)
        // Before they have loaded, the lists are unknown. Empty lists would be wrong.
        if mirror.lastSynced != nil || sync.hasLoaded(.contacts) { contacts.send(shown.contacts) }
        if mirror.lastSynced != nil || sync.hasLoaded(.notifications) {
            notifications.send(forThisDevice(shown.notifications))
        }
        connectivity.send(
            Connectivity(
                isOnline: isOnline, lastSynced: lastSyncedToTell,
                waiting: shownQueue.inSendingOrder.map(\.waiting), refused: outbox.refusedIDs,
                discarded: outbox.discardedIDs, unsentAlert: outbox.unsentAlert))
    }

    /// Returns the notifications that this device shows. Most news of its own session, such as its
    /// sign-in, is only for the other devices.
    private func forThisDevice(_ items: [NotificationItem]) -> [NotificationItem] {
        // A filtered copy would be compared item by item with the published list.
        guard let ownSession, items.contains(where: { $0.sessionID == ownSession }) else {
            return items
        }
        return items.compactMap { $0.shown(to: ownSession) }
    }

    /// The published time of the last sync. It changes at most once a minute while the device is
    /// online, and becomes exact when the device goes offline.
    private var lastSyncedToTell: Date? {
        let lastSynced = mirror.lastSynced
        guard isOnline, let published = connectivity.value, published.isOnline,
            let known = published.lastSynced,
            let lastSynced
        else { return lastSynced }
        return (0..<60).contains(lastSynced.since(known) / .seconds(1)) ? known : lastSynced
    }

    func changed() {
        // A restored server lacks the journey until the device has sent it again.
        if !outbox.active.contains(where: { $0.action.kind == .resendJourney }) {
            mirror.noteJourney(at: serverTime)
        }
        publish()
        mirror.wakeup.wake()
    }

    func save() async -> Next { await mirror.save(for: self) }

    // MARK: Changes from the server

    func receive(_ signal: StreamSignal) {
        guard !isStopped else { return }
        switch signal {
        case .connected:
            isOnline = true
            outbox.wakeAll()
            sync.retryNow()
            publish()
            Task { [weak self] in await self?.takeUpWhatOthersLeft() }
        case .disconnected:
            isOnline = false
            publish()
        case .reload: sync.want(Set(AccountModel.Slice.allCases))
        case .event(let event, _):
            if sync.isIdle, mirror.lastSynced != nil { markSynced(at: environment.now()) }
            receive(.event(event, at: serverTime))
            switch event {
            case .profileChanged: sync.want([.profile])
            case .notificationsChanged(let change) where change.notificationID == nil:
                sync.want([.notifications])
            case .checkIn(let summary) where lacksCheckIn(summary): sync.want([.checkIns])
            case .contactChanged(let reference):
                // A new contact may bring alerts and pings.
                sync.want(
                    mirror.model.contacts.contains { $0.id == reference.contactID }
                        ? [.contacts] : [.contacts, .alerts, .pings])
            default: break
            }
        }
    }

    /// True if the user has checked in elsewhere. The event doesn't contain the record.
    private func lacksCheckIn(_ summary: UserEvent.CheckInSummary) -> Bool {
        summary.userID == userID
            && !shown.checkIns.contains { $0.occurredAt == summary.lastCheckInTime }
    }

    private func takeUpWhatOthersLeft() async { await outbox.takeUpWhatOthersLeft(for: self) }

    func receive(_ change: Mirror.Change) {
        apply(change)
        sync.keep(change)
        changed()
    }

    /// Applies a change. `Sync` applies the change again to a list that is being loaded, because
    /// that list may be older.
    func apply(_ change: Mirror.Change) {
        if mirror.lacksContact(of: change) { sync.want([.contacts]) }
        mirror.apply(change, aliases: outbox.aliases)
    }

    func loadWanted() async -> Next { await sync.loadWanted(for: self) }

    // MARK: Actions

    /// Queues an action and sends it. Returns the server's reply, or nil if the action is waiting.
    /// Throws `UserFacingError`.
    /// - Parameter moment: when the person acted; nil means now.
    func submit(_ action: QueuedAction, at moment: Date? = nil) async throws -> ServerReply? {
        guard !isStopped else {
            throw UserFacingError(ClientFailure.sessionEnded, during: action.operation)
        }
        return try await outbox.submit(action, at: moment, for: self)
    }

    /// Submits independent actions. Throws the first failure after all have been tried.
    func submitAll(_ actions: [QueuedAction]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for action in actions { group.addTask { _ = try await self.submit(action) } }
            var failure: (any Error)?
            while let result = await group.nextResult() {
                if case .failure(let error) = result { failure = failure ?? error }
            }
            if let failure { throw failure }
        }
    }

    func sendNext(_ lane: QueuedAction.Lane) async -> Next {
        await outbox.sendNext(lane, for: self)
    }

    func sendAll() async throws { try await outbox.sendAll(for: self) }

    var isRateLimited: Bool { outbox.isRateLimited }

    func settle(_ id: UUID, _ result: Outbox.SendResult) { outbox.settle(id, result) }

    func stopWaiting(_ number: Int, on id: UUID) { outbox.stopWaiting(number, on: id) }

    func retryNow() {
        events?.wake()
        outbox.wakeAll()
        sync.retryNow()
    }

    func discard(_ ids: Set<UUID>?) async { await outbox.discard(ids, for: self) }

    /// Returns the queue, and refuses later actions: `SessionController` deletes an empty queue.
    func sessionHasEnded() async -> [WaitingAction] {
        let unsent = await outbox.sessionHasEnded(for: self)
        isStopped = true
        return unsent
    }

    /// See `Outbox`.
    var undiscarded: [WaitingAction] { outbox.undiscarded }

    var unsentAlert: UnsentAlert? { outbox.unsentAlert }

    func answerHeldAlerts(isToBeSent: Bool) async {
        await outbox.answerHeldAlerts(isToBeSent: isToBeSent, for: self)
    }

    private func releaseHeldAlerts(at time: Date) -> Task<Void, Never> {
        let pause = max(.zero, time.since(environment.now()))
        return Task { [weak self, clock = environment.clock] in
            guard (try? await clock.sleep(pause)) != nil else { return }
            await self?.answerHeldAlerts(isToBeSent: true)
        }
    }

    // MARK: Refusals

    /// Returns the refusals of queued actions. Without a disk nothing is queued, so the stream ends
    /// at once.
    nonisolated func refusalStream() -> AsyncStream<RefusedAction> {
        storage == nil ? .finished : refusals.stream()
    }

    func reportRefusal(_ error: UserFacingError, of entry: QueuedEntry) {
        refusals.put(RefusedAction(action: entry.waiting, error: error)) { [weak self, storage] in
            self?.reportedRefusals.withLock { $0.append(entry.id) }
            // If the disk fails, `stop` tries again.
            Task { try? await storage?.queue.remove(entry.id, noting: nil) }
        }
    }

    private func reportDamage() {
        let action = WaitingAction(
            id: environment.makeID(), kind: .checkIn, createdAt: environment.now())
        refusals.put(RefusedAction(action: action, error: .queueWasDamaged))
    }

    // MARK: A restored server

    // A new epoch means that the server's database was restored. The database may lack recent
    // actions, so this device sends them again. The ids of the actions make this idempotent.

    private static let epochSetting = "ServerEpoch"

    private func watchEpoch() {
        guard storage != nil else { return }
        connection.epoch.onChange { [weak self] in await self?.handle(epoch: $0) ?? true }
    }

    /// Queues recent actions again after a new epoch. Returns true once all of them are queued.
    private func handle(epoch: String) async -> Bool {
        guard let storage, !isStopped else { return true }
        do {
            let known = try await storage.copy.setting(Self.epochSetting)
            guard known != epoch else { return true }
            // The model still has the state before the restore, because nothing was loaded since.
            if known != nil {
                try await outbox.sendAgain(
                    mirror.model.recentActions(of: userID, waiting: shownQueue), for: self)
                // Events since the backup have numbers that this device has seen for others.
                sync.want(Set(AccountModel.Slice.allCases))
            }
            try await storage.copy.set(epoch, Self.epochSetting)
            return true
        } catch {
            return false
        }
    }

    // MARK: Reading on demand

    // These functions fall back to the local copy when the server is unreachable.

    func profile() async throws -> UserProfile {
        try await fresh([.profile])
        return try shownProfile()
    }

    private func shownProfile() throws -> UserProfile {
        guard let profile = shown.profile else { throw ClientFailure.unreachable(.other) }
        return profile
    }

    func contactList() async throws -> [ContactData] {
        try await fresh([.contacts])
        return shown.contacts
    }

    func preferences() async throws -> NotificationPreferences {
        try await fresh([.preferences])
        guard let preferences = shown.preferences else { throw ClientFailure.unreachable(.other) }
        return preferences
    }

    /// Loads slices. Ignores a connection failure if there is a local copy to show.
    private func fresh(_ slices: Set<AccountModel.Slice>) async throws {
        do {
            try await reload(slices)
        } catch let failure as ClientFailure
            where failure.isConnectionFailure && mirror.lastSynced != nil
        {
            return
        }
    }

    /// Loads the profile. Throws the errors of `Connection`, even if there is a local copy.
    func loadedProfile() async throws -> UserProfile {
        try await reload([.profile])
        return try shownProfile()
    }

    /// Loads the contacts. Throws the errors of `Connection`, even if there is a local copy.
    func loadedContacts() async throws -> [ContactData] {
        try await reload([.contacts])
        return shown.contacts
    }

    /// Loads slices, even if no change was announced. Throws the errors of `Connection`.
    func reload(_ slices: Set<AccountModel.Slice>) async throws {
        // A list may have loaded before another one failed.
        defer { changed() }
        try await sync.fetch(slices, for: self)
    }

    /// Loads everything from the server. Throws the errors of `Connection`.
    func refresh() async throws {
        let time = environment.now()
        try await reload(Set(AccountModel.Slice.allCases))
        markSynced(at: time)
        changed()
    }

    /// Marks the time of the last sync by the server's clock, because somebody may set this
    /// device's clock later.
    /// - Parameter time: by this device's clock.
    func markSynced(at time: Date) {
        mirror.markSynced(at: time.adding(connection.serverClock.offset))
    }

    func alertHistory(before: String?) async throws -> ListPage<AlertRecord> {
        try await sync.page(Routes.alerts, before, \.alerts, for: self)
    }

    func pingHistory(before: String?) async throws -> ListPage<PingRecord> {
        try await sync.page(Routes.pings, before, \.pings, for: self)
    }

    func checkInHistory(before: String?) async throws -> ListPage<CheckInRecord> {
        try await sync.page(Routes.checkIns, before, \.checkIns, for: self)
    }

    /// Returns a page of notifications. With the first page, loads the whole list in the
    /// background, because another device may have read or deleted some.
    func notificationHistory(before: String?) async throws -> ListPage<NotificationItem> {
        if before == nil { sync.want([.notifications]) }
        var page = try await sync.page(
            Routes.notifications, before, \.notifications, for: self)
        page.items = forThisDevice(page.items)
        return page
    }

    /// Returns the alert with its ledger. When the server is unreachable, returns the local copy,
    /// which lacks the ledger.
    func alert(_ id: AlertID) async throws -> AlertRecord {
        do {
            return try await connection.call(Routes.alert, id: outbox.aliases[id.uuid] ?? id.uuid)
        } catch let failure as ClientFailure where failure.isConnectionFailure {
            guard let known = shown.alerts.first(where: { $0.id == "\(id)" }) else { throw failure }
            return known
        }
    }

    // MARK: Calls that need a connection

    func perform<Value: Sendable>(
        _ call: @Sendable (Connection) async throws -> Value,
        _ change: @Sendable (Value) -> Mirror.Change?
    ) async throws -> Value {
        let value = try await call(connection)
        if let change = change(value) { receive(change) }
        return value
    }
}
