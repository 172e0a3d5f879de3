import Domain
import Foundation
import Testing

@testable import Persistence

/// A browser's or app's push address belongs to one person and one session.
@Suite struct PushAddressTests {
    private static let kinds: [PushEndpoint.Kind] = [.webPush, .apns, .fcm]

    @discardableResult
    private func save(
        _ number: UInt8, address: UInt8? = nil, _ kind: PushEndpoint.Kind, of caller: Caller,
        in engine: any DatabaseEngine
    ) async throws -> UserID? {
        kind == .webPush
            ? try await engine.save(try browser(number, hash: address), of: caller)
            : try await engine.save(try app(number, token: address, kind: kind), of: caller)
    }

    @Test(arguments: kinds)
    func addressHasOneOwner(kind: PushEndpoint.Kind) async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            let (adas, bens) = (try await engine.signIn(ada, 1), try await engine.signIn(ben, 2))
            #expect(try await save(5, kind, of: adas, in: engine) == nil)
            try await ledger.enter(1, by: kind.channel, device: id(5))
            #expect(try await save(6, address: 5, kind, of: bens, in: engine) == ada)
            #expect(try await engine.endpoints(of: ada) == [])
            #expect(try await engine.endpoints(of: ben).map(\.id) == [id(6)])
            #expect(try await engine.addressOwner(5) == ben)
            #expect(try await ledger.state(1) == .failed)
            // Ben moves his own address to another id, so no other user loses the address.
            #expect(try await save(7, address: 5, kind, of: bens, in: engine) == nil)
            // The former owner may use the id for another address.
            #expect(try await save(5, address: 8, kind, of: adas, in: engine) == nil)
            #expect(try await engine.addressOwner(8) == ada)
            #expect(try await engine.endpoints(of: ben).count == 1)
        }
    }

    @Test(arguments: kinds)
    func endedSessionAndRemovalDeleteAddress(kind: PushEndpoint.Kind) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let (first, second) = (try await engine.signIn(ada, 1), try await engine.signIn(ada, 2))
            try await save(5, kind, of: first, in: engine)
            try await save(6, kind, of: second, in: engine)
            _ = try await engine.write(about: .none) { try $0.deleteSession(first) }
            #expect(try await engine.endpoints(of: ada).map(\.id) == [id(6)])
            #expect(try await engine.addressOwner(5) == nil)
            try await engine.write(about: .none) { try $0.forgetPushEndpoint(id(6), of: ada) }
            #expect(try await engine.endpoints(of: ada) == [])
            #expect(try await engine.addressOwner(6) == nil)
        }
    }

    /// Programs of the fifth or sixth schema don't know the tables of browsers and apps.
    @Test(arguments: kinds)
    func olderProgramEndsSessionWithItsEndpoints(kind: PushEndpoint.Kind) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let caller = try await engine.signIn(ada, 1)
            try await save(5, kind, of: caller, in: engine)
            try await engine.write(about: .none) {
                _ = try $0.execute(
                    "DELETE FROM sessions WHERE user_id = $1 AND id = $2",
                    [.id(ada), .id(caller.sessionID)])
            }
            #expect(try await engine.endpoints(of: ada) == [])
            // The older program left the address behind. A new registration still works.
            let another = try await engine.signIn(ada, 2)
            try await save(5, kind, of: another, in: engine)
            #expect(try await engine.endpoints(of: ada).count == 1)
        }
    }

    @Test(arguments: kinds)
    func successAndFailureAreRecordedLikeWebhooks(kind: PushEndpoint.Kind) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            try await save(5, kind, of: try await engine.signIn(ada, 1), in: engine)
            let url = try #require(try await engine.endpoints(of: ada).first).url
            try await engine.write(about: .none) { transaction in
                var failure = EndpointFailure(.http(500), url: url, attempts: 1, at: noon)
                failure.kind = kind
                _ = try transaction.noteEndpointFailure(id(5), of: ada, failure)
            }
            let failing = try #require(try await engine.endpoints(of: ada).first)
            #expect(failing.failingSince == noon && failing.lastFailure == "http-500")
            try await engine.write(about: .none) { transaction in
                var success = EndpointSuccess(id(5), of: ada, url: url, at: noon)
                success.kind = kind
                try transaction.noteEndpointSuccesses([success])
            }
            let working = try #require(try await engine.endpoints(of: ada).first)
            #expect(working.failingSince == nil && working.lastSuccessAt == noon)
        }
    }
}
