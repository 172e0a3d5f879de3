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
        happened = []
        defer { happened = nil }
        do {
            let time = environment.now()
            let loaded = try await load(slices)
            guard !isStopped else { return .rest }
            merge(loaded)
            for change in happened ?? [] { apply(change) }
            base.dropWhatIsNotToBeSeen()
            if slices.count == AccountModel.Slice.allCases.count || lastSynced != nil { lastSynced = time }
            loadFailures = 0
            changed()
            return .more
        } catch {
            wanted.formUnion(slices)
            if error as? ClientFailure == .sessionEnded { return .rest }
            loadFailures += 1
            let wait: Duration = if case ClientFailure.refused(_, let wait?) = error { wait } else { .zero }
            return .pause(max(wait, options.backoff.pause(after: loadFailures, random: environment.random())), environment.clock)
        }
    }

    /// Reads what the server has now, also when nothing is said to have changed. Throws like every call.
    func reload(_ slices: Set<AccountModel.Slice>) async throws {
        merge(try await load(slices))
        base.dropWhatIsNotToBeSeen()
        changed()
    }

    private func merge(_ loaded: Loaded) {
        if let profile = loaded.profile { base.profile = profile }
        if let contacts = loaded.contacts { base.contacts = contacts }
        if let alerts = loaded.alerts { base.alerts = alerts }
        if let pings = loaded.pings { base.pings = pings }
        if let checkIns = loaded.checkIns { base.checkIns = checkIns }
        if let notifications = loaded.notifications { base.notifications = notifications }
        if let preferences = loaded.preferences { base.preferences = preferences }
    }

    private func load(_ slices: Set<AccountModel.Slice>) async throws -> Loaded {
        let (connection, limits) = (connection, options.limits)
        // One after the other: a server has thousands of these, and a phone's line is one line.
        var loaded = Loaded()
        if slices.contains(.profile) { loaded.profile = try await connection.call(Routes.profile) }
        if slices.contains(.alerts) { loaded.alerts = try await connection.all(Routes.alerts, upTo: limits.alerts) }
        if slices.contains(.contacts) { loaded.contacts = try await connection.call(Routes.contacts).items }
        if slices.contains(.pings) { loaded.pings = try await connection.all(Routes.pings, upTo: limits.pings) }
        if slices.contains(.notifications) { loaded.notifications = try await connection.all(Routes.notifications, upTo: limits.notifications) }
        if slices.contains(.checkIns) { loaded.checkIns = try await connection.all(Routes.checkIns, upTo: limits.checkIns) }
        if slices.contains(.preferences) { loaded.preferences = try await connection.call(Routes.preferences) }
        return loaded
    }
}

extension Connection {
    /// The newest items of a list, over as many pages as it takes.
    func all<Item: Payload>(_ route: Route<Empty, List<Item>>, upTo limit: Int) async throws -> [Item] {
        var items: [Item] = []
        var before: String?
        repeat {
            let page = try await page(route, before: before, limit: min(Page.limits.upperBound, limit - items.count))
            items += page.items
            before = page.next
        } while before != nil && items.count < limit
        return items
    }

    func page<Item: Payload>(_ route: Route<Empty, List<Item>>, before: String?, limit: Int = Page.standardLimit) async throws -> List<Item> {
        var query = ["limit": String(limit)]
        if let before { query["before"] = before }
        return try await call(route, query: query)
    }
}
