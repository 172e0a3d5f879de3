import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct SharedWorkTests {
    @Test func oneServerHoldsATaskAtATime() async throws {
        let server = try TestServer()
        let (first, second) = (try server.another(), try server.another())
        #expect(try await first.isResponsible(for: .cleanUp))
        #expect(try await !second.isResponsible(for: .cleanUp))
        #expect(try await second.isResponsible(for: .metrics))
        // A server renews its lease after half the lease's duration.
        server.clock.pass(.seconds(30))
        #expect(try await first.isResponsible(for: .cleanUp))
        server.clock.pass(.seconds(60) - .milliseconds(1))
        #expect(try await !second.isResponsible(for: .cleanUp))
        // The first server has died, so its lease expires.
        server.clock.pass(.milliseconds(1))
        #expect(try await second.isResponsible(for: .cleanUp))
        #expect(try await !first.isResponsible(for: .cleanUp))
    }

    @Test func theOnlyServerDoesEverything() async throws {
        let server = try TestServer()
        guard !server.engine.isShared else { return }
        for task in SharedTask.allCases {
            #expect(try await server.network.isResponsible(for: task))
        }
    }

    @Test func onlyTheLeaseHolderDeletes() async throws {
        let server = try TestServer()
        let (first, second) = (try server.another(), try server.another())
        #expect(try await first.isResponsible(for: .cleanUp))
        #expect(try await Retention(second).pass() == server.clock.now.adding(.seconds(30)))
        #expect(try await Retention(first).pass() == server.clock.now.adding(.minutes(10)))
    }

    // MARK: The key

    @Test func otherKeyIsRefusedUntilAccepted() async throws {
        let server = try TestServer()
        try await server.another().serverLife.wake()
        try await server.another().serverLife.wake()
        await #expect(throws: WrongKey.self) { try await server.another(key: 8).serverLife.wake() }
        try await server.another(key: 8, accepts: true).serverLife.wake()
        try await server.another(key: 8).serverLife.wake()
        await #expect(throws: WrongKey.self) { try await server.another().serverLife.wake() }
    }

    // MARK: Starts

    @Test func startBesideARunningServerFindsNoOutage() async throws {
        let server = try TestServer()
        let (first, second) = (try server.another(), try server.another())
        try await first.serverLife.wake()
        server.clock.pass(.seconds(60))
        try await first.serverLife.giveSignOfLife()
        server.clock.pass(.seconds(4))
        try await second.serverLife.wake()
        #expect(try await server.engine.read { try $0.serverState().outage } == nil)
    }

    @Test func secondStartKeepsTheOutage() async throws {
        let server = try TestServer()
        try await server.another().serverLife.wake()
        server.clock.pass(.hours(5))
        try await server.another().serverLife.wake()
        let outage = try await server.engine.read { try $0.serverState().outage }
        #expect(outage?.from == noon)
        server.clock.pass(.seconds(1))
        try await server.another().serverLife.wake()
        #expect(try await server.engine.read { try $0.serverState().outage } == outage)
    }

    /// PostgreSQL's own tools restore it, without telling the servers.
    @Test func manualsStatementReportsARestore() async throws {
        let manual = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Docs/operations.md"), encoding: .utf8)
        let start = try #require(manual.range(of: "```sql\n"))
        let end = try #require(manual[start.upperBound...].range(of: "```"))
        let statement = String(manual[start.upperBound..<end.lowerBound])
        let server = try TestServer()
        let network = try server.another()
        try await network.serverLife.wake()
        let epoch = network.epoch.text
        server.clock.pass(.hours(2))
        _ = try await server.engine.write(about: .none) { try $0.execute(statement, []) }
        let next = try server.another()
        try await next.serverLife.wake()
        let state = try await server.engine.read { try $0.serverState() }
        #expect(state.restoration?.incompleteSince == noon)
        #expect(state.outage == nil)
        #expect(next.epoch.text != epoch)
    }
}
