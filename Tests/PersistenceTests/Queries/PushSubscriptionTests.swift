import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct PushSubscriptionTests {
    @Test func leaseIncludesBrowserKeys() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let caller = try await engine.signIn(ada, 1)
            let row = try browser(5)
            try await engine.save(row, of: caller)
            try await ledger.enter(1, by: .webPush, device: id(5))
            let leased = try await ledger.lease(at: noon, channels: [.webPush])
            #expect(leased.map(\.keys) == [row.keys])
            #expect(leased.map(\.url) == [row.endpoint.url])
            #expect(leased.map(\.purpose) == [.other])
            #expect(try await engine.endpoints(of: ada) == [row.endpoint])
        }
    }

    @Test func endedSubscriptionIsRemovedOnceAtItsAddress() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let caller = try await engine.signIn(ada, 1)
            try await engine.save(try browser(5), of: caller)
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
            #expect(try await engine.endpoints(of: ada) == [])
            #expect(try await engine.addressOwner(5) == nil)
            #expect(try await ledger.state(1) == .failed)
        }
    }

    /// The browser subscribes with the new key when the user next opens LifeSignal, even months
    /// later.
    @Test func lostKeyKeepsSubscriptionAndNotifiesOnce() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let caller = try await engine.signIn(ada, 1)
            let row = try browser(5)
            try await engine.save(row, of: caller)
            func fail(at time: Date, _ reason: DeliveryReason = .keyChanged) async throws
                -> EndpointNews?
            {
                var failure = EndpointFailure(reason, url: row.endpoint.url, attempts: 9, at: time)
                (failure.isFinal, failure.kind) = (true, .webPush)
                return try await engine.write(about: .none) { [failure] in
                    try $0.noteEndpointFailure(id(5), of: ada, failure)
                }
            }
            #expect(try await fail(at: noon) == .hasOldKey)
            #expect(try await fail(at: noon.adding(.days(30))) == nil)
            #expect(try await fail(at: noon.adding(.days(60))) == nil)
            let known = try #require(try await engine.endpoints(of: ada).first)
            #expect(known.failingSince == noon && known.lastFailure == "key-changed")
            // After another error, an endpoint that has failed for this time is removed.
            #expect(try await fail(at: noon.adding(.days(61)), .http(403)) == .givenUp)
        }
    }

    @Test func receiptSettlesFailedDelivery() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let caller = try await engine.signIn(ada, 1)
            try await engine.save(try browser(5), of: caller)
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

    @Test func serverSecretIsReplaced() async throws {
        try await withDatabase { engine in
            #expect(try await engine.read { try $0.sealed(.pushKey) } == nil)
            for secret in [Data([1]), Data([2])] {
                try await engine.write(about: .none) { try $0.save(secret, as: .pushKey) }
                #expect(try await engine.read { try $0.sealed(.pushKey) } == secret)
            }
        }
    }
}
