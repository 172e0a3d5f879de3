import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// An action on one device makes the data on the user's other devices stale.
@Suite struct StaleDeviceTests {
    private let server: TestServer
    private let ada: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.armed("Ada")
        server.clock.pass(.minutes(10))
    }

    /// Runs `act` and returns the devices whose data it makes stale.
    private func stale(by act: () async throws -> Void) async throws -> [StaleDevices] {
        let before = server.published.staleDevices.count
        try await act()
        return Array(server.published.staleDevices.dropFirst(before))
    }

    private var others: [StaleDevices] {
        [StaleDevices(user: ada.id, besides: ada.caller.sessionID)]
    }

    @Test func aCheckInMakesOtherDevicesStale() async throws {
        let id: CheckInID = server.environment.id()
        #expect(try await stale { try await server.checkIn(ada, id: id) } == others)
        // A repeated check-in doesn't move the deadline, and neither does an older one.
        #expect(try await stale { try await server.checkIn(ada, id: id) } == [])
        let earlier = server.clock.now.adding(.zero - .minutes(5))
        #expect(try await stale { try await server.checkIn(ada, at: earlier) } == [])
    }

    @Test func anotherIntervalMakesOtherDevicesStale() async throws {
        #expect(try await stale { _ = try await server.setInterval(.hours(8), of: ada) } == others)
        #expect(try await stale { _ = try await server.setInterval(.hours(8), of: ada) } == [])
    }

    @Test func theEndOfAnAlertMakesOtherDevicesStale() async throws {
        let alert = try await server.raiseAlert(ada)
        #expect(try await stale { _ = try await server.endAlert(alert, ada) } == others)
        #expect(try await stale { _ = try await server.endAlert(alert, ada) } == [])
    }

    @Test func changesOfAJourneyMakeOtherDevicesStale() async throws {
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        let now = server.clock.now
        let draft = JourneyDraft(
            id: server.environment.id(), name: "Zugspitze", expectedReturn: now.adding(.hours(2)),
            graceMinutes: 0)
        let journeys = server.network.journeys
        _ = try await journeys.start(draft, of: ada.caller)
        let extended = try await stale {
            _ = try await journeys.extend(
                draft.id, until: now.adding(.hours(3)), pressedAt: now, of: ada.caller)
        }
        #expect(extended == others)
        for isFirst in [true, false] {
            let ended = try await stale {
                _ = try await journeys.end(draft.id, pressedAt: now, of: ada.caller)
            }
            #expect(ended == (isFirst ? others : []))
        }
    }

    @Test func aRefusedCheckInMakesNothingStale() async throws {
        let future = server.clock.now.adding(.hours(1))
        let stale = try await stale {
            _ = await refusal { try await server.checkIn(ada, at: future) }
        }
        #expect(stale == [])
    }
}
