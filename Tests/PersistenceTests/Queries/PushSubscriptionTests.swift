import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct PushSubscriptionTests {
    private func save(
        _ row: PushSubscriptionRow, of caller: Caller, in engine: any DatabaseEngine
    ) async throws {
        try await engine.write(about: .none) { try $0.save(row, of: caller) }
    }

    private func endpoints(
        of user: UserID, in engine: any DatabaseEngine
    ) async throws -> [PushEndpoint] {
        try await engine.read { try $0.pushEndpoints(of: user) }
    }

    private func owner(_ hash: UInt8, in engine: any DatabaseEngine) async throws -> UserID? {
        try await engine.read { try $0.owner(ofPushAddress: Data(repeating: hash, count: 32)) }
    }

    @Test func aDeliveryBringsTheKeysOfItsBrowser() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let caller = try await engine.signIn(ada, 1)
            let row = try browser(5)
            try await save(row, of: caller, in: engine)
            try await ledger.enter(1, by: .webPush, device: id(5))
            let leased = try await ledger.lease(at: noon, channels: [.webPush])
            #expect(leased.map(\.keys) == [row.keys])
            #expect(leased.map(\.url) == [row.endpoint.url])
            #expect(leased.map(\.purpose) == [.other])
            #expect(try await endpoints(of: ada, in: engine) == [row.endpoint])
        }
    }

    @Test func anAddressHasOneOwner() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            let (adas, bens) = (try await engine.signIn(ada, 1), try await engine.signIn(ben, 2))
            try await save(try browser(5), of: adas, in: engine)
            try await ledger.enter(1, by: .webPush, device: id(5))
            try await save(try browser(6, hash: 5), of: bens, in: engine)
            #expect(try await endpoints(of: ada, in: engine) == [])
            #expect(try await endpoints(of: ben, in: engine).map(\.id) == [id(6)])
            #expect(try await owner(5, in: engine) == ben)
            #expect(try await ledger.state(1) == .failed)
            // The former owner may register another browser under the same id.
            try await save(try browser(5, hash: 7), of: adas, in: engine)
            #expect(try await owner(7, in: engine) == ada)
            #expect(try await endpoints(of: ben, in: engine).count == 1)
        }
    }

    @Test func aSessionAndARemovalLeaveNoAddress() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let (first, second) = (try await engine.signIn(ada, 1), try await engine.signIn(ada, 2))
            try await save(try browser(5), of: first, in: engine)
            try await save(try browser(6), of: second, in: engine)
            _ = try await engine.write(about: .none) { try $0.deleteSession(first) }
            #expect(try await endpoints(of: ada, in: engine).map(\.id) == [id(6)])
            #expect(try await owner(5, in: engine) == nil)
            try await engine.write(about: .none) { try $0.forgetPushEndpoint(id(6), of: ada) }
            #expect(try await endpoints(of: ada, in: engine) == [])
            #expect(try await owner(6, in: engine) == nil)
        }
    }

    /// A program of the fifth schema knows nothing of browsers.
    @Test func anOlderProgramEndsASessionWithItsBrowsers() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let caller = try await engine.signIn(ada, 1)
            try await save(try browser(5), of: caller, in: engine)
            try await engine.write(about: .none) {
                _ = try $0.execute(
                    "DELETE FROM sessions WHERE user_id = $1 AND id = $2",
                    [.id(ada), .id(caller.sessionID)])
            }
            #expect(try await endpoints(of: ada, in: engine) == [])
            // The address that it left behind stands in nobody's way.
            let another = try await engine.signIn(ada, 2)
            try await save(try browser(5), of: another, in: engine)
            #expect(try await endpoints(of: ada, in: engine).count == 1)
        }
    }

    @Test func anEndedSubscriptionIsRemovedOnceAndOnlyAtItsAddress() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let caller = try await engine.signIn(ada, 1)
            try await save(try browser(5), of: caller, in: engine)
            try await ledger.enter(1, by: .webPush, device: id(5))
            func end(at row: PushSubscriptionRow) async throws -> EndpointNews? {
                var failure = EndpointFailure(
                    .http(410), url: row.endpoint.url, attempts: 1, at: noon)
                (failure.hasEnded, failure.kind) = (true, .webPush)
                return try await engine.write(about: .none) { [failure] in
                    try $0.noteEndpointFailure(id(5), of: ada, failure)
                }
            }
            #expect(try await end(at: try browser(5, hash: 9)) == nil)
            #expect(try await end(at: try browser(5)) == .ended)
            #expect(try await end(at: try browser(5)) == nil)
            #expect(try await endpoints(of: ada, in: engine) == [])
            #expect(try await owner(5, in: engine) == nil)
            #expect(try await ledger.state(1) == .failed)
        }
    }

    @Test func successAndFailureAreNotedLikeThoseOfWebhooks() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let caller = try await engine.signIn(ada, 1)
            let row = try browser(5)
            try await save(row, of: caller, in: engine)
            try await engine.write(about: .none) { transaction in
                var failure = EndpointFailure(
                    .http(500), url: row.endpoint.url, attempts: 1, at: noon)
                failure.kind = .webPush
                _ = try transaction.noteEndpointFailure(id(5), of: ada, failure)
            }
            let failing = try #require(try await endpoints(of: ada, in: engine).first)
            #expect(failing.failingSince == noon && failing.lastFailure == "http-500")
            try await engine.write(about: .none) { transaction in
                var success = EndpointSuccess(id(5), of: ada, url: row.endpoint.url, at: noon)
                success.kind = .webPush
                try transaction.noteEndpointSuccesses([success])
            }
            let working = try #require(try await endpoints(of: ada, in: engine).first)
            #expect(working.failingSince == nil && working.lastSuccessAt == noon)
        }
    }

    @Test func aReceiptSettlesWhatWasTriedInVain() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let caller = try await engine.signIn(ada, 1)
            try await save(try browser(5), of: caller, in: engine)
            let states: [(DeliveryState, DeliveryState)] = [
                (.queued, .accepted), (.retrying, .accepted), (.accepted, .accepted),
                (.failed, .accepted), (.seen, .seen), (.superseded, .superseded),
            ]
            for (number, state) in zip(1..., states) {
                let number = UInt8(number)
                try await ledger.enter(number, by: .webPush, device: id(5))
                let key: DeliveryID = id(number)
                let marked = try await engine.write(about: .none) { transaction in
                    try transaction.execute(
                        "UPDATE deliveries SET state = $1 WHERE user_id = $2 AND id = $3",
                        [.text(state.0.rawValue), .id(ada), .id(key)])
                    return try (
                        transaction.markReceived(key, of: ada),
                        transaction.markReceived(key, of: ada),
                        transaction.markReceived(key, of: ben)
                    )
                }
                #expect(marked == (true, false, false))
                #expect(try await ledger.state(number) == state.1)
            }
            #expect(try await ledger.lease(at: noon, channels: [.webPush]).isEmpty)
        }
    }

    @Test func aSecretOfTheServersIsReplaced() async throws {
        try await withDatabase { engine in
            #expect(try await engine.read { try $0.sealed(.pushKey) } == nil)
            for secret in [Data([1]), Data([2])] {
                try await engine.write(about: .none) { try $0.save(secret, as: .pushKey) }
                #expect(try await engine.read { try $0.sealed(.pushKey) } == secret)
            }
        }
    }
}
