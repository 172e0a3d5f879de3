import Domain
import Foundation
import Testing

@testable import Persistence

/// An app with a token of its own.
func app(
    _ number: UInt8, token: UInt8? = nil, kind: PushEndpoint.Kind = .apns
) throws -> AppEndpointRow {
    let scheme = kind == .apns ? "apns://production" : "fcm://google"
    let url = try #require(
        URL(string: "\(scheme)/\(String(repeating: "a\(token ?? number)", count: 9))"))
    return AppEndpointRow(
        endpoint: PushEndpoint(id: id(number), kind: kind, url: url, createdAt: noon),
        addressHash: Data(repeating: token ?? number, count: 32))
}

@Suite struct AppEndpointTests {
    private func save(
        _ row: AppEndpointRow, of caller: Caller, in engine: any DatabaseEngine
    ) async throws {
        try await engine.write(about: .none) { try $0.save(row, of: caller) }
    }

    private func endpoints(
        of user: UserID, in engine: any DatabaseEngine
    ) async throws -> [PushEndpoint] {
        try await engine.read { try $0.pushEndpoints(of: user) }
    }

    @Test(arguments: [PushEndpoint.Kind.apns, .fcm])
    func aDeliveryBringsTheTokenAndItsTime(kind: PushEndpoint.Kind) async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let caller = try await engine.signIn(ada, 1)
            let row = try app(5, kind: kind)
            try await save(row, of: caller, in: engine)
            try await ledger.enter(1, by: kind.channel, device: id(5))
            let leased = try await ledger.lease(at: noon, channels: [kind.channel])
            #expect(leased.map(\.url) == [row.endpoint.url])
            #expect(leased.map(\.registeredAt) == [noon])
            #expect(leased.map(\.keys) == [nil])
            #expect(try await endpoints(of: ada, in: engine) == [row.endpoint])
        }
    }

    @Test func anEndpointThatBecameAnotherKindGetsNothingByTheOldOne() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let caller = try await engine.signIn(ada, 1)
            try await save(try app(5), of: caller, in: engine)
            try await ledger.enter(1, by: .apns, device: id(5))
            try await save(try app(5, kind: .fcm), of: caller, in: engine)
            #expect(try await ledger.lease(at: noon, channels: [.apns]).isEmpty)
            #expect(try await ledger.state(1) == .failed)
        }
    }

    @Test func aTokenHasOneOwner() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            let (adas, bens) = (try await engine.signIn(ada, 1), try await engine.signIn(ben, 2))
            try await save(try app(5), of: adas, in: engine)
            try await ledger.enter(1, by: .apns, device: id(5))
            try await save(try app(6, token: 5), of: bens, in: engine)
            #expect(try await endpoints(of: ada, in: engine) == [])
            #expect(try await endpoints(of: ben, in: engine).map(\.id) == [id(6)])
            #expect(try await ledger.state(1) == .failed)
        }
    }

    @Test func aTokenEndsWithItsSession() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let (first, second) = (try await engine.signIn(ada, 1), try await engine.signIn(ada, 2))
            try await save(try app(5), of: first, in: engine)
            try await save(try app(6), of: second, in: engine)
            _ = try await engine.write(about: .none) { try $0.deleteSession(first) }
            #expect(try await endpoints(of: ada, in: engine).map(\.id) == [id(6)])
            let hash = Data(repeating: 5, count: 32)
            #expect(try await engine.read { try $0.owner(ofPushAddress: hash) } == nil)
        }
    }

    /// A program of the sixth schema knows nothing of apps.
    @Test func anOlderProgramEndsASessionWithItsApps() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let caller = try await engine.signIn(ada, 1)
            try await save(try app(5), of: caller, in: engine)
            try await engine.write(about: .none) {
                _ = try $0.execute(
                    "DELETE FROM sessions WHERE user_id = $1 AND id = $2",
                    [.id(ada), .id(caller.sessionID)])
            }
            #expect(try await endpoints(of: ada, in: engine) == [])
            let another = try await engine.signIn(ada, 2)
            try await save(try app(5), of: another, in: engine)
            #expect(try await endpoints(of: ada, in: engine).count == 1)
        }
    }

    @Test func aTokenThatWasRegisteredSinceItsEndIsKept() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let caller = try await engine.signIn(ada, 1)
            let row = try app(5)
            try await save(row, of: caller, in: engine)
            func end(at time: Date?) async throws -> EndpointNews? {
                var failure = EndpointFailure(
                    .http(410), url: row.endpoint.url, attempts: 1, at: noon)
                (failure.hasEnded, failure.endedAt, failure.kind) = (true, time, .apns)
                return try await engine.write(about: .none) { [failure] in
                    try $0.noteEndpointFailure(id(5), of: ada, failure)
                }
            }
            #expect(try await end(at: noon.adding(.zero - .seconds(1))) == nil)
            #expect(try await endpoints(of: ada, in: engine).count == 1)
            #expect(try await end(at: noon) == .ended)
            #expect(try await endpoints(of: ada, in: engine) == [])
        }
    }

    @Test func successAndFailureAreNoted() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let caller = try await engine.signIn(ada, 1)
            let rows = [try app(5), try app(6, kind: .fcm)]
            for row in rows { try await save(row, of: caller, in: engine) }
            try await engine.write(about: .none) { transaction in
                for row in rows {
                    var failure = EndpointFailure(
                        .http(500), url: row.endpoint.url, attempts: 1, at: noon)
                    failure.kind = row.endpoint.kind
                    _ = try transaction.noteEndpointFailure(row.endpoint.id, of: ada, failure)
                }
            }
            let failing = try await endpoints(of: ada, in: engine)
            #expect(failing.map(\.failingSince) == [noon, noon])
            try await engine.write(about: .none) { transaction in
                try transaction.noteEndpointSuccesses(
                    rows.map { row in
                        var success = EndpointSuccess(
                            row.endpoint.id, of: ada, url: row.endpoint.url, at: noon)
                        success.kind = row.endpoint.kind
                        return success
                    })
            }
            let working = try await endpoints(of: ada, in: engine)
            #expect(working.map(\.lastSuccessAt) == [noon, noon])
            #expect(working.map(\.failingSince) == [nil, nil])
        }
    }
}
