import API
import Clients
import Domain
import Foundation

/// Loads data that events don't carry. Keeps changes that arrive during a load.
///
/// Belongs to one account, and runs in its isolation.
final class Sync {
    let wakeup = Wakeup()
    private var wanted: Set<AccountModel.Slice> = []
    /// Changes since the oldest of the current loads began. Several loads can run at the same time.
    private var happened: [Mirror.Change] = []
    private var loads = 0
    private var lastLoad = 0
    /// The number of the load that last set each slice.
    private var loadedBy: [AccountModel.Slice: Int] = [:]
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

    func loadWanted(for account: isolated Account) async -> Account.Next {
        let slices = wanted
        guard !slices.isEmpty else { return .rest }
        wanted = []
        let (environment, backoff) = (account.environment, account.options.backoff)
        do {
            let time = environment.now()
            try await fetch(slices, for: account)
            guard !account.isStopped else { return .rest }
            if slices.count == AccountModel.Slice.allCases.count || account.mirror.lastSynced != nil
            {
                account.markSynced(at: time)
            }
            failures = 0
            account.changed()
            return .more
        } catch {
            wanted.formUnion(slices)
            if error as? ClientFailure == .sessionEnded { return .rest }
            failures += 1
            let wait = min((error as? ClientFailure)?.retryAfter ?? .zero, backoff.longest)
            return .pause(
                max(wait, backoff.pause(after: failures, random: environment.random())),
                environment.clock)
        }
    }

    /// Loads slices, then applies changes that arrived meanwhile to these slices, because the
    /// loaded lists may be older. Doesn't change a slice that a later load has set.
    func fetch(_ slices: Set<AccountModel.Slice>, for account: isolated Account) async throws {
        lastLoad += 1
        loads += 1
        let (number, start) = (lastLoad, happened.count)
        defer { endLoad() }
        let loaded = try await load(slices, for: account)
        guard !account.isStopped else { return }
        let current = slices.filter { loadedBy[$0, default: 0] < number }
        account.mirror.merge(loaded, current)
        for slice in slices { loadedBy[slice] = max(loadedBy[slice, default: 0], number) }
        // A slice that this load doesn't set has these changes already, or newer data.
        let others = Set(AccountModel.Slice.allCases).subtracting(current)
        let merged = account.mirror.model
        for change in happened[start...] { account.apply(change) }
        account.mirror.merge(Mirror.Loaded(merged), others)
        account.mirror.dropWhatIsNotToBeSeen()
    }

    private func endLoad() {
        loads -= 1
        if loads == 0 { happened = [] }
    }

    private func load(
        _ slices: Set<AccountModel.Slice>, for account: isolated Account
    ) async throws -> Mirror.Loaded {
        let (connection, limits) = (account.connection, account.options.limits)
        // Sends one request at a time: a server holds thousands of accounts, and a phone has one
        // connection.
        var loaded = Mirror.Loaded()
        if slices.contains(.profile) { loaded.profile = try await connection.call(Routes.profile) }
        if slices.contains(.alerts) { loaded.alerts = try await loadAlerts(for: account) }
        if slices.contains(.contacts) {
            loaded.contacts = try await connection.call(Routes.contacts).items
        }
        if slices.contains(.pings) {
            loaded.pings = try await connection.all(Routes.pings, upTo: limits.pings)
        }
        if slices.contains(.notifications) {
            loaded.notifications = try await connection.all(
                Routes.notifications, upTo: limits.notifications)
        }
        if slices.contains(.checkIns) {
            loaded.checkIns = try await connection.all(Routes.checkIns, upTo: limits.checkIns)
        }
        if slices.contains(.preferences) {
            loaded.preferences = try await connection.call(Routes.preferences)
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
