import API
import Clients
import Domain
import Foundation

/// Loads data that events don't carry. Keeps changes that arrive during a load.
///
/// Belongs to one account, and runs in its isolation.
final class Sync {
    let wakeup = TaskWakeup()
    private var wanted: Set<AccountModel.Slice> = []
    /// Changes since the oldest of the current loads began. Several loads can run at the same time.
    private var happened: [Mirror.Change] = []
    private var loads = 0
    private var lastLoad = 0
    /// The number of the load that last set each slice.
    private var loadedBy: [AccountModel.Slice: Int] = [:]
    /// The slices that `loadWanted` has not loaded yet.
    private var neverSynced = Set(AccountModel.Slice.allCases)
    /// When `loadWanted` began to load what is still missing, by this device's clock; nil if
    /// nothing is.
    private var syncStart: Date?
    private var failures = 0

    var isIdle: Bool { wanted.isEmpty && loads == 0 }

    func want(_ slices: Set<AccountModel.Slice>) {
        wanted.formUnion(slices)
        wakeup.wake()
    }

    /// Ends the pause after a failure. The next pause is the shortest one again, even if the load
    /// that is running now fails.
    func retryNow() {
        failures = 0
        if !wanted.isEmpty { wakeup.wake() }
    }

    /// Keeps a change for the running loads, whose lists may be older.
    func keep(_ change: Mirror.Change) { if loads > 0 { happened.append(change) } }

    // MARK: Slices

    func hasLoaded(_ slice: AccountModel.Slice) -> Bool { loadedBy[slice] != nil }

    func loadWanted(for account: isolated Account) async -> Account.Next {
        let slices = wanted
        guard !slices.isEmpty else { return .rest }
        wanted = []
        let (environment, backoff) = (account.environment, account.options.backoff)
        let isEverything = slices.count == AccountModel.Slice.allCases.count
        let time = isEverything ? environment.now() : syncStart ?? environment.now()
        syncStart = time
        let result = await loadEach(slices, for: account)
        guard !account.isStopped else { return .rest }
        wanted.formUnion(result.missing)
        neverSynced.subtract(slices.subtracting(result.missing))
        defer { account.changed() }
        guard let failure = result.failure else {
            syncStart = nil
            if neverSynced.isEmpty || account.mirror.lastSynced != nil {
                account.markSynced(at: time)
            }
            failures = 0
            return .more
        }
        if failure as? ClientFailure == .sessionEnded { return .rest }
        failures += 1
        let wait = min((failure as? ClientFailure)?.retryAfter ?? .zero, backoff.longest)
        return .pause(
            max(wait, backoff.pause(after: failures, random: environment.random())),
            environment.clock)
    }

    /// Loads slices. Throws the first failure after merging the slices that have loaded.
    func fetch(_ slices: Set<AccountModel.Slice>, for account: isolated Account) async throws {
        if let failure = await loadEach(slices, for: account).failure { throw failure }
    }

    /// Loads slices, and merges each as soon as it has loaded, so that one failing list hides no
    /// other. Returns the slices to load again, and the first failure.
    private func loadEach(
        _ slices: Set<AccountModel.Slice>, for account: isolated Account
    ) async -> (missing: Set<AccountModel.Slice>, failure: (any Error)?) {
        loads += 1
        defer { endLoad() }
        var missing = slices
        var failure: (any Error)?
        // Sends one request at a time: a server holds thousands of accounts, and a phone has one
        // connection.
        for slice in AccountModel.Slice.allCases where slices.contains(slice) {
            do {
                try await loadAndMerge(slice, for: account)
                missing.remove(slice)
                // The lists that follow may take long.
                if slice == .alerts { account.changed() }
            } catch {
                failure = failure ?? error
                guard (error as? ClientFailure)?.mayConcernOneList == true else { break }
            }
            guard !account.isStopped else { break }
        }
        // Without the present contacts, an alert of a new contact was dropped.
        if missing.contains(.contacts), slices.contains(.alerts) { missing.insert(.alerts) }
        return (missing, failure)
    }

    /// Loads a slice, then applies changes that arrived meanwhile to this slice, because the
    /// loaded list may be older. Doesn't change a slice that a later load has set.
    private func loadAndMerge(
        _ slice: AccountModel.Slice, for account: isolated Account
    ) async throws {
        lastLoad += 1
        let (number, start) = (lastLoad, happened.count)
        let loaded = try await load(slice, for: account)
        guard !account.isStopped, loadedBy[slice, default: 0] < number else { return }
        loadedBy[slice] = number
        account.mirror.merge(loaded, [slice])
        // The other slices have these changes already, or newer data.
        let others = Set(AccountModel.Slice.allCases).subtracting([slice])
        let merged = account.mirror.model
        for change in happened[start...] { account.apply(change) }
        account.mirror.merge(Mirror.Loaded(merged), others)
        // Before the contacts are known, all alerts would be dropped.
        if hasLoaded(.contacts) || account.mirror.lastSynced != nil {
            account.mirror.dropWhatIsNotToBeSeen()
        }
    }

    private func endLoad() {
        loads -= 1
        if loads == 0 { happened = [] }
    }

    private func load(
        _ slice: AccountModel.Slice, for account: isolated Account
    ) async throws -> Mirror.Loaded {
        let (connection, limits) = (account.connection, account.options.limits)
        var loaded = Mirror.Loaded()
        switch slice {
        case .profile: loaded.profile = try await connection.call(Routes.profile)
        case .contacts: loaded.contacts = try await connection.call(Routes.contacts).items
        case .alerts: loaded.alerts = try await loadAlerts(for: account)
        case .pings: loaded.pings = try await connection.all(Routes.pings, upTo: limits.pings)
        case .checkIns:
            loaded.checkIns = try await connection.all(Routes.checkIns, upTo: limits.checkIns)
        case .notifications:
            loaded.notifications = try await connection.all(
                Routes.notifications, upTo: limits.notifications)
        case .preferences: loaded.preferences = try await connection.call(Routes.preferences)
        }
        return loaded
    }

    /// Loads the newest alerts, and all open alerts of any age.
    private func loadAlerts(for account: isolated Account) async throws -> [AlertRecord] {
        let (connection, limit) = (account.connection, account.options.limits.alerts)
        let newest = try await connection.all(Routes.alerts, upTo: limit)
        guard newest.count == limit else { return newest }
        let open = try await connection.all(
            Routes.alerts, upTo: .max, query: [Endpoint.onlyOpen: "true"])
        let known = newest + account.mirror.model.alerts
        let ended = try await ended(among: known, open: open, over: connection, for: account)
        let later = open + ended
        let laterIDs = Set(later.map(\.id))
        return (newest.filter { !laterIDs.contains($0.id) } + later).sorted {
            ($0.startTime, $0.id) > ($1.startTime, $1.id)
        }
    }

    /// Returns the current state of alerts that have ended since they were loaded. Their screens
    /// show the end.
    private func ended(
        among alerts: [AlertRecord], open: [AlertRecord], over connection: Connection,
        for account: isolated Account
    ) async throws -> [AlertRecord] {
        let gone = Set(alerts.filter(\.isActive).map(\.id)).subtracting(open.map(\.id))
        var ended: [AlertRecord] = []
        for id in gone.compactMap(AlertID.init) {
            do {
                ended.append(try await connection.call(Routes.alert, id: id.uuid).withoutDetails)
            } catch let failure as ClientFailure where failure.code == .notFound {
                continue
            }
        }
        return ended
    }

    // MARK: Pages

    /// Returns a page of a list. The first page includes queued actions. When the server is
    /// unreachable, the first page comes from the local copy.
    func page<Item: Payload>(
        _ route: Route<Empty, List<Item>>, _ before: String?,
        _ list: WritableKeyPath<AccountModel, [Item]> & Sendable, for account: isolated Account
    ) async throws -> ListPage<Item> {
        loads += 1
        let start = happened.count
        defer { endLoad() }
        do {
            let page = try await account.connection.page(route, before: before)
            guard before == nil else { return ListPage(items: page.items, next: page.next) }
            let (mirror, outbox) = (account.mirror, account.outbox)
            var model = mirror.model
            model[keyPath: list] = page.items
            // The page may be older than changes that arrived during the request.
            for change in happened[start...] {
                model = mirror.applying(change, to: model, aliases: outbox.aliases)
            }
            return ListPage(items: account.showing(model)[keyPath: list], next: page.next)
        } catch let failure as ClientFailure
            where failure.isConnectionFailure && before == nil && account.mirror.lastSynced != nil
        {
            return ListPage(items: account.shown[keyPath: list])
        }
    }
}

extension ClientFailure {
    /// True if other lists may load nevertheless.
    fileprivate var mayConcernOneList: Bool {
        switch self {
        case .refused(let problem, _):
            ![.unauthenticated, .rateLimited, .unavailable].contains(problem.code)
        case .malformedAnswer: true
        case .unreachable, .sessionEnded: false
        }
    }
}

extension Connection {
    /// Returns the newest items of a list, from as many pages as needed.
    func all<Item: Payload>(
        _ route: Route<Empty, List<Item>>, upTo limit: Int, query: [String: String] = [:]
    ) async throws -> [Item] {
        var items: [Item] = []
        var before: String?
        repeat {
            let page = try await page(
                route, before: before, limit: min(Page.limits.upperBound, limit - items.count),
                query: query)
            items += page.items
            before = page.next
        } while before != nil && items.count < limit
        return items
    }

    func page<Item: Payload>(
        _ route: Route<Empty, List<Item>>, before: String?, limit: Int = Page.standardLimit,
        query: [String: String] = [:]
    ) async throws -> List<Item> {
        var query = query
        query["limit"] = String(limit)
        if let before { query["before"] = before }
        return try await call(route, query: query)
    }
}
