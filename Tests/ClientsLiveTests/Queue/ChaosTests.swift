import API
import Clients
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// The transport cuts, delays, duplicates and reorders requests to a real server.
@Suite struct ChaosTests {
    @Test(arguments: UInt64(1)...40) func eachActionTakesEffectOnceDespiteFaults(
        seed: UInt64
    )
        async throws
    {
        let app = try TestApp(.memory)
        let ada = try await app.person("Ada", "+15550100001")
        let ben = try await app.person("Ben", "+15550100002")
        try await app.connect(ada, ben)
        let before = try await app.events(of: ada).count
        let (folder, clock) = (try TemporaryFolder(), EagerClock())
        let chaos = ChaosTransport(app.transport, seed: seed, faults: 60)
        let phone = try await Phone(of: ada, in: folder, over: chaos, app: app, clock: clock)

        await phone.account.start()
        let names = (1...ProfileRules.announcedNamesPerDay).map { "Ada \($0)" }
        let actions: [QueuedAction] =
            names.map { .updateProfile(name: $0, emergencyNote: nil) } + [
                .checkIn(id(1), occurredAt: noon), .ping(id(2), dependent: ben.id),
                .raiseAlert(id(3)), .endAlert(id(3)), .clearPing(id(2)), .raiseAlert(id(4)),
                .changeRoles(ben.id, try ContactRoles(isResponder: true, isDependent: false)),
                .changeRoles(ben.id, try ContactRoles(isResponder: true, isDependent: true)),
                .endAlert(id(4)),
                .updatePreferences(try NotificationPreferences(muted: [.checkIn])),
                .updatePreferences(.standard),
            ]
        #expect(await phone.queue(actions) == actions)
        await phone.account.wait { _, connectivity in connectivity.waiting.isEmpty }
        try await chaos.deliverTheLate()
        await phone.die()

        let events = try await app.events(of: ada).dropFirst(before)
        let alerts = events.compactMap { event -> String? in
            if case .alert(let record) = event {
                "\(record.isActive ? "raised" : "ended") \(record.id)"
            } else {
                nil
            }
        }
        let (one, two): (AlertID, AlertID) = (id(3), id(4))
        #expect(alerts == ["raised \(one)", "ended \(one)", "raised \(two)", "ended \(two)"])
        #expect(events.count { if case .checkIn = $0 { true } else { false } } == 1)
        let pings = events.compactMap { event -> PingRecord.State? in
            if case .ping(let ping) = event { ping.state } else { nil }
        }
        #expect(pings == [.pending, .cleared])
        #expect(
            events.count { if case .profileChanged = $0 { true } else { false } } == names.count)
        #expect(try await ada.connection.call(Routes.profile).name == names.last)
        #expect(
            try await ada.connection.call(Routes.contacts).items.first?.isWanted(.dependent) == true
        )
        #expect(try await ada.connection.call(Routes.preferences) == .standard)
        #expect(try await app.notes(of: ben).count { $0.hasSuffix("needs help") } == 2)
    }
}
