import API
import Clients
import Domain
import Foundation

/// Reading when the person asks for it: from the server, and from the copy when it can't be
/// reached.
extension Account {
    func profile() async throws -> UserProfile {
        try await fresh([.profile])
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

    /// Throws only when there is no copy to show instead.
    private func fresh(_ slices: Set<AccountModel.Slice>) async throws {
        do {
            try await reload(slices)
        } catch let failure as ClientFailure where failure.isConnectionFailure && lastSynced != nil
        {
            return
        }
    }

    /// Everything, as the server has it now. Throws like every call.
    func refresh() async throws {
        let time = environment.now()
        try await reload(Set(AccountModel.Slice.allCases))
        lastSynced = time
        changed()
    }

    // MARK: Histories

    func alertHistory(before: String?) async throws -> ListPage<AlertRecord> {
        try await page(Routes.alerts, before, \.alerts)
    }

    func pingHistory(before: String?) async throws -> ListPage<PingRecord> {
        try await page(Routes.pings, before, \.pings)
    }

    func checkInHistory(before: String?) async throws -> ListPage<CheckInRecord> {
        try await page(Routes.checkIns, before, \.checkIns)
    }

    func notificationHistory(before: String?) async throws -> ListPage<NotificationItem> {
        try await page(Routes.notifications, before, \.notifications)
    }

    /// A page with what waits to be sent laid over it; the first one from the copy when the server
    /// can't be reached.
    private func page<Item: Payload>(
        _ route: Route<Empty, List<Item>>, _ before: String?,
        _ list: WritableKeyPath<AccountModel, [Item]> & Sendable
    ) async throws -> ListPage<Item> {
        loads += 1
        let start = happened.count
        defer {
            loads -= 1
            if loads == 0 { happened = [] }
        }
        do {
            let page = try await connection.page(route, before: before)
            guard before == nil else { return ListPage(items: page.items, next: page.next) }
            var model = base
            model[keyPath: list] = page.items
            // The page may be older than what was told while it was on its way.
            for change in happened[start...] { model = applying(change, to: model) }
            return ListPage(
                items: model.showing(active, aliases: aliases, me: userID)[keyPath: list],
                next: page.next)
        } catch let failure as ClientFailure
            where failure.isConnectionFailure && before == nil && lastSynced != nil
        {
            return ListPage(items: shown[keyPath: list])
        }
    }

    /// The alert with its ledger, which the copy does not have.
    func alert(_ id: AlertID) async throws -> AlertRecord {
        do {
            return try await connection.call(Routes.alert, id: aliases[id.uuid] ?? id.uuid)
        } catch let failure as ClientFailure where failure.isConnectionFailure {
            guard let known = shown.alerts.first(where: { $0.id == "\(id)" }) else { throw failure }
            return known
        }
    }

    // MARK: Calls that need a connection

    /// Applies the server's answer to the state.
    func perform<Value: Sendable>(
        _ call: @Sendable (Connection) async throws -> Value, _ change: @Sendable (Value) -> Change?
    ) async throws -> Value {
        let value = try await call(connection)
        if let change = change(value) { receive(change) }
        return value
    }

    func removeContact(_ id: UserID) async throws {
        try await connection.call(Routes.removeContact, id: id.uuid)
        receive(.event(.contactRemoved(.init(contactID: id)), at: environment.now()))
    }

    /// The other's, or one's own; with the last thing between the two the contact goes.
    func endRequest(_ role: ContactRole, with id: UserID) async throws {
        try await connection.call(Routes.endRequest(role), id: id.uuid)
        if let relation = base.contacts.first(where: { $0.id == id })?.relation,
            try relation.withoutRequest(role).isEmpty
        {
            receive(.event(.contactRemoved(.init(contactID: id)), at: environment.now()))
        } else {
            try await reload([.contacts])
        }
    }

    func block(_ id: UserID) async throws -> BlockedPerson {
        let person = try await connection.call(Routes.block, id: id.uuid)
        receive(.event(.contactRemoved(.init(contactID: id)), at: environment.now()))
        return person
    }

    func pendingPing(from responder: UserID, to dependent: UserID) -> PingID? {
        shown.pings.first {
            $0.state == .pending && $0.responderID == responder && $0.dependentID == dependent
        }?.id
    }

    func pendingPings() -> [PingID] {
        shown.pings.filter { $0.state == .pending && $0.dependentID == userID }.map(\.id)
    }

    /// Does the same to all notifications: in one call with a connection, one by one without.
    func clearCentre(
        _ route: Route<Empty, Empty>, _ action: (NotificationID) -> QueuedAction,
        where isConcerned: (NotificationItem) -> Bool
    ) async throws {
        let shown = shown.notifications
        let actions = shown.filter(isConcerned).map { action($0.id) }
        // Only what the person could see: a newer alert has to go on reaching its responder.
        let newest = shown.first.map { [Endpoint.until: Timestamp.text($0.createdAt)] }
        do {
            try await connection.call(
                route, query: newest ?? [:], retry: storage == nil ? nil : .once)
            for action in actions {
                receive(
                    .done(
                        QueuedEntry(
                            id: environment.makeID(), position: 0, action: action,
                            createdAt: environment.now())))
            }
        } catch let failure as ClientFailure where failure.isConnectionFailure && storage != nil {
            try await submitAll(actions)
        }
    }
}

extension ClientFailure {
    /// Nothing is wrong with the request; the server can't be asked at the moment.
    var isConnectionFailure: Bool {
        switch self {
        case .unreachable, .malformedAnswer: true
        case .refused(let problem, _):
            [.unavailable, .rateLimited, .internal].contains(problem.code)
        case .sessionEnded: false
        }
    }
}
