import API
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// Kills the process between any two steps. The next process opens the same files.
@Suite struct KillTests {
    let app: TestApp
    let ada, ben: Person

    init() async throws {
        app = try TestApp(.memory)
        ada = try await app.person("Ada", "+15550100001")
        ben = try await app.person("Ben", "+15550100002")
        try await app.connect(ada, ben)
    }

    private static func actions(_ ben: UserID, note: NotificationID) -> [QueuedAction] {
        var settings = CheckInSettings.standard
        settings.intervalSeconds = 28_800
        return [
            .updateProfile(name: "Ada L.", emergencyNote: nil), .checkIn(id(1), occurredAt: noon),
            .ping(id(2), dependent: ben), .raiseAlert(id(3)),
            .updateProfile(name: "Ada M.", emergencyNote: nil), .endAlert(id(3)),
            .updateSettings(settings), .raiseAlert(id(4)), .markAsRead(note),
            .checkIn(id(5), occurredAt: noon), .clearPing(id(2)), .endAlert(id(4)),
        ]
    }

    /// Returns the id of a notification that Ada has not read. The notification is about an action
    /// of Ben, because notifications about Ada's own actions are created as read.
    private func unreadNote() async throws -> NotificationID {
        try await ben.connection.call(
            Routes.ping, PingRequest(dependentID: ada.id), id: (id(8) as PingID).uuid)
        let notes = try await ada.connection.call(Routes.notifications).items
        return try #require(notes.first { $0.readAt == nil }).id
    }

    @Test(arguments: 1...100) func eachActionTakesEffectExactlyOnce(step: Int) async throws {
        let folder = try TemporaryFolder()
        let note = try await unreadNote()
        let before = try await app.events(of: ada).count
        let actions = Self.actions(ben.id, note: note)
        let first = try await Phone(
            of: ada, in: folder, over: app.transport, app: app, faults: FaultInjector(deadly: step))
        #expect(try await effects(after: before, note) == [])
        let acknowledged = await first.queue(actions)
        await first.pump()
        await first.die()
        // A process that survives has taken fewer steps than `step`, so every step has been tried.
        guard first.faults.isDead else {
            return #expect(step > 24 + 12 * 4 && acknowledged == actions)
        }

        let second = try await Phone(of: ada, in: folder, over: app.transport, app: app)
        let waiting = await second.account.entries.map(\.action)
        let done = try await effects(after: before, note)
        // Each acknowledged action is either still queued or done.
        for action in acknowledged {
            #expect(
                waiting.contains(action) || done.contains { $0.isEffect(of: action) },
                "\(action.kind)")
        }
        await second.pump()
        #expect(await second.account.entries == [])
        await second.die()

        let all = try await effects(after: before, note)
        #expect(Set(all).count == all.count, "something happened twice: \(all)")
        for action in acknowledged {
            #expect(all.contains { $0.isEffect(of: action) }, "lost: \(action.kind)")
        }
        if acknowledged == actions {
            #expect(all.map(\.rank) == all.map(\.rank).sorted())
            #expect(try await ada.connection.call(Routes.profile).status == .active)
        }
    }

    /// Ada already has an open alert from another device. The alert raised and ended here is
    /// therefore the same alert.
    @Test(arguments: 1...20) func endOfAliasedAlertEndsTheOpenOne(step: Int)
        async throws
    {
        let folder = try TemporaryFolder()
        try await ada.connection.call(Routes.raiseAlert, id: (id(9) as AlertID).uuid)
        let first = try await Phone(
            of: ada, in: folder, over: app.transport, app: app, faults: FaultInjector(deadly: step))
        let acknowledged = await first.queue([.raiseAlert(id(3)), .endAlert(id(3))])
        await first.pump()
        await first.die()
        // In the last run, the process survives all steps.
        if step == 20 { #expect(!first.faults.isDead) }

        let second = try await Phone(of: ada, in: folder, over: app.transport, app: app)
        await second.pump()
        await second.die()
        let alerts = try await ada.connection.call(Routes.alerts).items
        #expect(alerts.map(\.id) == ["\(id(9) as AlertID)"])
        if acknowledged.count == 2 { #expect(alerts.allSatisfy { !$0.isActive }) }
        // A late copy of the first request raises no second alert.
        try await ada.connection.call(Routes.raiseAlert, id: (id(3) as AlertID).uuid)
        #expect(try await ada.connection.call(Routes.alerts).items.count == 1)
    }

    // MARK: Effects on the server

    private enum Effect: Hashable {
        case raised(String), ended(String), checkedIn(Int), pinged(PingID), cleared(PingID),
            profile(Int), read

        var rank: Int {
            switch self {
            case .raised, .ended: 0
            case .checkedIn: 1
            default: 2
            }
        }

        func isEffect(of action: QueuedAction) -> Bool {
            switch (action, self) {
            case (.raiseAlert(let id), .raised(let other)), (.endAlert(let id), .ended(let other)):
                other == "\(id)"
            case (.checkIn, .checkedIn), (.updateProfile, .profile), (.updateSettings, .profile),
                (.markAsRead, .read):
                true
            case (.ping(let id, _), .pinged(let other)), (.clearPing(let id), .cleared(let other)):
                other == id
            default: false
            }
        }
    }

    private func effects(after count: Int, _ note: NotificationID) async throws -> [Effect] {
        var (checkIns, edits) = (0, 0)
        var effects: [Effect] = try await app.events(of: ada).dropFirst(count).compactMap {
            event -> Effect? in
            switch event {
            case .alert(let record): return record.isActive ? .raised(record.id) : .ended(record.id)
            case .checkIn:
                checkIns += 1
                return .checkedIn(checkIns)
            case .ping(let ping):
                return ping.state == .pending ? .pinged(ping.id) : .cleared(ping.id)
            case .profileChanged:
                edits += 1
                return .profile(edits)
            default: return nil
            }
        }
        // Both check-ins have the same time, so the second check-in doesn't move the deadline.
        #expect(checkIns <= 1 && edits <= 3)
        if try await ada.connection.call(Routes.notifications).items.contains(where: {
            $0.id == note && $0.readAt != nil
        }) {
            effects.append(.read)
        }
        return effects
    }
}
