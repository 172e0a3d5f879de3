import API
import Domain
import Foundation

/// Loading what no event tells.
extension Account {
    /// The parts that were loaded; nil for those that were not asked for.
    private struct Loaded: Sendable {
        var profile: UserProfile?
        var contacts: [ContactData]?
        var alerts: [AlertRecord]?
        var pings: [PingRecord]?
        var checkIns: [CheckInRecord]?
        var notifications: [NotificationItem]?
        var preferences: NotificationPreferences?
    }

    func loadWanted() async -> Next {
        let slices = wanted
        guard !slices.isEmpty else { return .rest }
        wanted = []
        do {
            let time = environment.now()
            try await fetch(slices)
            guard !isStopped else { return .rest }
            if slices.count == AccountModel.Slice.allCases.count || lastSynced != nil {
                lastSynced = time
            }
            loadFailures = 0
            changed()
            return .more
        } catch {
            wanted.formUnion(slices)
            if error as? ClientFailure == .sessionEnded { return .rest }
            loadFailures += 1
            let wait = min((error as? ClientFailure)?.retryAfter ?? .zero, options.backoff.longest)
            return .pause(
                max(wait, options.backoff.pause(after: loadFailures, random: environment.random())),
                environment.clock)
        }
    }

    /// Reads what the server has now, also when nothing is said to have changed. Throws like every
    /// call.
    func reload(_ slices: Set<AccountModel.Slice>) async throws {
        try await fetch(slices)
        changed()
    }

    /// A list may be older than what an event, or another load, has told while it was on its way.
    private func fetch(_ slices: Set<AccountModel.Slice>) async throws {
        lastLoad += 1
        loads += 1
        let (number, start) = (lastLoad, happened.count)
        defer {
            loads -= 1
            if loads == 0 { happened = [] }
        }
        let loaded = try await load(slices)
        guard !isStopped else { return }
        merge(loaded, slices.filter { loadedBy[$0, default: 0] < number })
        for slice in slices { loadedBy[slice] = max(loadedBy[slice, default: 0], number) }
        for change in happened[start...] { apply(change) }
        base.dropWhatIsNotToBeSeen()
    }

    private func merge(_ loaded: Loaded, _ slices: Set<AccountModel.Slice>) {
        if slices.contains(.profile), let profile = loaded.profile { base.profile = profile }
        if slices.contains(.contacts), let contacts = loaded.contacts { base.contacts = contacts }
        if slices.contains(.alerts), let alerts = loaded.alerts { base.alerts = alerts }
        if slices.contains(.pings), let pings = loaded.pings { base.pings = pings }
        if slices.contains(.checkIns), let checkIns = loaded.checkIns { base.checkIns = checkIns }
        if slices.contains(.notifications), let notifications = loaded.notifications {
            base.notifications = notifications
        }
        if slices.contains(.preferences), let preferences = loaded.preferences {
            base.preferences = preferences
        }
    }

    private func load(_ slices: Set<AccountModel.Slice>) async throws -> Loaded {
        let (connection, limits) = (connection, options.limits)
        // One after the other: a server serves thousands of these, and a phone has one connection.
        var loaded = Loaded()
        if slices.contains(.profile) { loaded.profile = try await connection.call(Routes.profile) }
        if slices.contains(.alerts) { loaded.alerts = try await loadAlerts() }
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
}

extension Connection {
    /// The newest items of a list, over as many pages as it takes.
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
