import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

@Suite struct ServerStateTests {
    @Test(arguments: Home.all) func stateIsRestoredAndDeleted(home: Home) async throws {
        try await withDatabase(home) { engine in
            #expect(try await engine.read { try $0.serverState() } == ServerState())
            for trust: ClockMemory.Trust in [
                .full, .steady(noon.adding(.hours(1)), since: noon), .atLeast,
            ] {
                var state = ServerState()
                state.clock = ClockMemory(
                    time: noon.adding(.minutes(1)), since: noon, trust: trust,
                    boot: .milliseconds(12_345), bootID: -3)
                state.outage = Outage(
                    from: noon, to: noon.adding(.hours(2)), silentSince: noon.adding(.hours(-1)))
                state.restoration = Restoration(
                    restoredAt: noon.adding(.hours(3)), incompleteSince: noon)
                state.restoredFrom = noon.adding(.hours(4))
                (state.epoch, state.lastSignOfLife, state.startedAt) = (
                    .min, noon, noon.adding(.hours(5))
                )
                (state.signUp, state.restoreNews) = (.invited, -7)
                state.channelsSeen = [
                    .email: noon, .sms: noon.adding(.seconds(1)), .voice: noon, .apns: noon,
                    .fcm: noon.adding(.seconds(2)),
                ]
                let expected = state
                _ = try await engine.write(about: .none) {
                    try $0.updateServerState { $0 = expected }
                }
                #expect(try await engine.read { try $0.serverState() } == expected)
            }
            _ = try await engine.write(about: .none) {
                try $0.updateServerState { $0 = ServerState() }
            }
            #expect(try await engine.rows(in: "server_state") == 0)
        }
    }

    @Test func channelsAreNotedEvery30Seconds() {
        var state = ServerState()
        state.note([.sms, .webhook], at: noon)
        #expect(state.channelsSeen == [.sms: noon])
        state.note([.sms, .voice], at: noon.adding(.seconds(30) - .milliseconds(1)))
        #expect(state.channelsSeen[.sms] == noon)
        state.note([.sms], at: noon.adding(.seconds(30)))
        #expect(state.channelsSeen[.sms] == noon.adding(.seconds(30)))
        // A corrected clock can leave a time of the future.
        state.note([.sms], at: noon)
        #expect(state.channelsSeen[.sms] == noon)
    }

    @Test func channelRunsForAMinuteAfterItsNote() {
        var state = ServerState()
        state.note([.sms], at: noon)
        let end = noon.adding(.seconds(60))
        #expect(state.runningChannels(at: end) == [.sms])
        #expect(state.runningChannels(at: end.adding(.milliseconds(1))) == [])
        #expect(state.runningChannels(since: noon.adding(.milliseconds(-1)), at: end) == [.sms])
        #expect(state.runningChannels(since: noon, at: end) == [])
    }

    @Test func updateWritesOnlyChangedState() async throws {
        let engine = try TestDatabase.make(now: { noon })
        _ = try await engine.write(about: .none) { transaction in
            try transaction.updateServerState {
                $0.clock = ClockMemory(
                    time: noon, since: noon, trust: .full, boot: .zero, bootID: 1)
            }
        }
        let rows = try await engine.rows(in: "server_state")
        _ = try await engine.write(about: .none) { transaction in
            try transaction.updateServerState { $0.clock?.time = noon.adding(.seconds(5)) }
        }
        #expect(try await engine.rows(in: "server_state") == rows)
        #expect(
            try await engine.read { try $0.serverState().clock?.time } == noon.adding(.seconds(5)))
    }
}
