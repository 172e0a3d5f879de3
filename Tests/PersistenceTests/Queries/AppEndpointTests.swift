import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct AppEndpointTests {
    @Test(arguments: [PushEndpoint.Kind.apns, .fcm])
    func leaseIncludesTokenAndRegistrationTime(kind: PushEndpoint.Kind) async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let caller = try await engine.signIn(ada, 1)
            let row = try app(5, kind: kind)
            try await engine.save(row, of: caller)
            try await ledger.enter(1, by: kind.channel, device: id(5))
            let leased = try await ledger.lease(at: noon, channels: [kind.channel])
            #expect(leased.map(\.url) == [row.endpoint.url])
            #expect(leased.map(\.registeredAt) == [noon])
            #expect(leased.map(\.keys) == [nil])
            #expect(try await engine.endpoints(of: ada) == [row.endpoint])
        }
    }

    @Test func changedEndpointKindGetsNoOldDelivery() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let caller = try await engine.signIn(ada, 1)
            try await engine.save(try app(5), of: caller)
            try await ledger.enter(1, by: .apns, device: id(5))
            try await engine.save(try app(5, kind: .fcm), of: caller)
            #expect(try await ledger.lease(at: noon, channels: [.apns]).isEmpty)
            #expect(try await ledger.state(1) == .failed)
        }
    }

    /// A message to the old token proves nothing about the new one.
    @Test func newTokenStartsWithoutProof() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let caller = try await engine.signIn(ada, 1)
            try await engine.save(try app(5), of: caller)
            try await ledger.enter(1, by: .apns, device: id(5))
            let hourLater = noon.adding(.hours(1))
            try await engine.write(at: hourLater) { _ = try $0.markReceived(id(1), of: ada) }
            func times() async throws -> [Int64?]? {
                try await engine.read {
                    try $0.first("SELECT received_at, checked_at FROM app_endpoints", []) {
                        [try $0["received_at"] as Int64?, try $0["checked_at"] as Int64?]
                    }
                }
            }
            try await engine.save(try app(5), of: caller)
            #expect(try await times() == [hourLater.milliseconds, hourLater.milliseconds])
            try await engine.save(try app(5, token: 6), of: caller)
            #expect(try await times() == [nil, noon.milliseconds])
        }
    }

    @Test func reregisteredTokenIsKept() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let caller = try await engine.signIn(ada, 1)
            let row = try app(5)
            try await engine.save(row, of: caller)
            func end(at time: Date?) async throws -> EndpointNews? {
                var failure = EndpointFailure(
                    .http(410), url: row.endpoint.url, attempts: 1, at: noon)
                (failure.hasEnded, failure.endedAt, failure.kind) = (true, time, .apns)
                return try await engine.write(about: .none) { [failure] in
                    try $0.noteEndpointFailure(id(5), of: ada, failure)
                }
            }
            #expect(try await end(at: noon.adding(.zero - .seconds(1))) == nil)
            #expect(try await engine.endpoints(of: ada).count == 1)
            #expect(try await end(at: noon) == .ended)
            #expect(try await engine.endpoints(of: ada) == [])
        }
    }

    @Test func onlyUsedPushServicesAreFound() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let caller = try await engine.signIn(ada, 1)
            try await engine.save(try app(5), of: caller)
            func kinds(since time: Date) async throws -> Set<PushEndpoint.Kind> {
                try await engine.read { try $0.appKinds(usedSince: time) }
            }
            #expect(try await kinds(since: noon) == [])
            #expect(try await kinds(since: noon.adding(.zero - .milliseconds(1))) == [.apns])
            // A message that was taken later counts, too.
            let later = noon.adding(.hours(1))
            try await engine.write(about: .none) {
                _ = try $0.execute(
                    "UPDATE app_endpoints SET last_success_at = $1", [.date(later)])
            }
            #expect(try await kinds(since: noon) == [.apns])
            #expect(try await kinds(since: later) == [])
            try await engine.save(try app(6, kind: .fcm), of: caller)
            let both = try await kinds(since: noon.adding(.zero - .milliseconds(1)))
            #expect(both == [.apns, .fcm])
        }
    }
}
