import Clients
import Domain
import Foundation
import Synchronization

/// The state of one signed-in user. On a device it has a copy and a queue on disk; in a server's
/// web session it has neither, and an action that can't be sent fails at once.
actor Account {
    struct Options: Sendable {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(300))
        var longestWaitOfAlerts: Duration = .seconds(30)
        /// How long somebody waits for the server's word before they are told that it will be sent;
        /// nil for the first try's end.
        var patience: Duration? = .seconds(4)
        var events = EventSubscription.Options()
        /// Opens the event stream; otherwise data loads on demand.
        var follows = true
        var limits: AccountModel.Limits
        /// nil in a server's session.
        var storage: Storage?
    }

    /// The files of this account.
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
    /// It outlives the account: who looks at it before anybody has signed in sees the account that
    /// comes.
    nonisolated let connectivity: Broadcast<Connectivity>
    nonisolated let refusals = NoticeBoard<Refusal>()
    /// The refusals that somebody has read.
    nonisolated let reportedRefusals = Mutex<[UUID]>([])

    /// The server's state as last received.
    var base = AccountModel()
    var lastSynced: Date?
    var isOnline = true
    var isStopped = false
    /// The session was ended elsewhere: nothing is sent before the next sign-in.
    var hasSessionEnded = false

    // The queue, in order.
    var entries: [QueuedEntry] = []
    var aliases: [UUID: UUID] = [:]
    var nextPosition: Int64 = 0
    /// Alerts of a session that was ended elsewhere: the person is asked whether to send them.
    var held: Set<UUID> = []
    /// The time when they are sent without an answer.
    var heldUntil: Date?
    /// Entries that the server has refused since `open`.
    var refusedIDs: Set<UUID> = []
    var lastAppend: Task<Void, any Error>?
    /// Entries on which the server failed in a way that is their own: others may go before them.
    var stuck: Set<UUID> = []
    var failures: [QueuedAction.Lane: Int] = [:]
    /// Entries that left the queue while the file is read.
    var left: Set<UUID> = []
    var readings = 0
    var waiters: [UUID: [Waiter]] = [:]
    var lastWaiter = 0
    nonisolated let wakeups: [QueuedAction.Lane: Wakeup] = [.alerts: Wakeup(), .rest: Wakeup()]

    // Slices to be loaded.
    var wanted: Set<AccountModel.Slice> = []
    /// Changes since the oldest running load began; loads run side by side.
    var happened: [Change] = []
    var loads = 0
    var lastLoad = 0
    /// The load that each part is from.
    var loadedBy: [AccountModel.Slice: Int] = [:]
    var loadFailures = 0
    nonisolated let loadWakeup = Wakeup()

    // Contents to be written to the copy.
    var saved = CopyContents()
    /// True if the copy is known to be this user's: until then it may hold another person's data,
    /// or old data.
    var isCopyOurs = false
    nonisolated let saveWakeup = Wakeup()

    var events: EventSubscription?
    private var tasks: [Task<Void, Never>] = []

    init(
        userID: UserID, connection: Connection, environment: ClientEnvironment, options: Options,
        connectivity: Broadcast<Connectivity> = Broadcast(Connectivity())
    ) {
        self.userID = userID
        self.connection = connection
        self.environment = environment
        self.options = options
        self.connectivity = connectivity
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    /// Shows what this device has, and takes up what waits. Throws what the disk throws.
    /// - Parameter isSignIn: the person has just signed in.
    func open(isSignIn: Bool = false) async throws {
        guard let storage else { return }
        let queue = try await storage.queue.load()
        entries = queue.entries
        aliases = queue.aliases
        nextPosition =
            ((queue.entries + queue.refused.map(\.entry)).map(\.position).max() ?? -1) + 1
        for refused in queue.refused { reportRefusal(refused.error, of: refused.entry) }
        if queue.wasDamaged { reportDamage() }
        await takeUpHeld(queue.held, isSignIn: isSignIn)
        // A missing copy shows less; everything queued is still sent.
        if let copy = try? await storage.copy.load(of: userID) {
            base = copy.model
            lastSynced = copy.lastSynced
            saved = copy
            isCopyOurs = true
        }
        isOnline = false
        watchEpoch()
        publish()
    }

    /// Follows the server until `stop`.
    func start() {
        guard tasks.isEmpty, !isStopped else { return }
        tasks = [
            Task { [weak self, loadWakeup] in
                await Self.repeating(loadWakeup) { [weak self] in await self?.loadWanted() }
            }
        ]
        if options.follows {
            let events = EventSubscription(connection, options: options.events)
            self.events = events
            let signals = events.subscribe()
            tasks += [
                Task { await events.run() },
                Task { [weak self] in for await signal in signals { await self?.receive(signal) } },
            ]
        }
        guard storage != nil else { return }
        tasks.append(
            Task { [weak self, saveWakeup] in
                await Self.repeating(saveWakeup) { [weak self] in await self?.save() }
            })
        if let heldUntil { tasks.append(releaseHeldAlerts(at: heldUntil)) }
        for (lane, wakeup) in wakeups {
            tasks.append(
                Task { [weak self] in
                    await Self.repeating(wakeup) { [weak self] in await self?.sendNext(lane) }
                })
        }
    }

    /// Ends everything but what the disk keeps, which is up to date then. Whoever waits for an
    /// answer is told that it will be sent.
    /// - Parameter sessionHasEnded: nothing is sent before the person has signed in again.
    func stop(sessionHasEnded: Bool = false) async {
        isStopped = true
        hasSessionEnded = hasSessionEnded || sessionHasEnded
        for task in tasks { task.cancel() }
        tasks = []
        for id in waiters.keys { settle(id, sessionHasEnded ? .sessionEnded : .postponed) }
        for finish in [
            profiles.finish, contacts.finish, alerts.finish, pings.finish, notifications.finish,
            refusals.finish,
        ] { finish() }
        _ = await save()
        for id in reportedRefusals.withLock({ $0 }) {
            try? await storage?.queue.remove(id, noting: nil)
        }
    }

    /// Does a piece of work as often as it says that there is more: at once, after a pause, or when
    /// the wake-up comes.
    private static func repeating(
        _ wakeup: Wakeup, _ work: @escaping @Sendable () async -> Next?
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

    // MARK: What shows
}
