import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// A server knows which channels only other servers of the database have.
@Suite struct OthersChannelsTests {
    let server: TestServer
    let full, bare: SafetyNetwork

    init() async throws {
        server = try TestServer()
        full = try server.another {
            $0.isSMSAvailable = true
            $0.pushKinds.insert(.apns)
        }
        bare = try server.another()
        for network in [full, bare] { try await network.serverLife.wake() }
    }

    private func giveSigns(of networks: [SafetyNetwork], after pause: Duration) async throws {
        server.clock.pass(pause)
        for network in networks { try await network.serverLife.giveSignOfLife() }
    }

    @Test func onlyTheServerThatLacksAChannelWarns() async throws {
        #expect(bare.serverLife.channelWarning == nil)
        try await giveSigns(of: [full, bare, full], after: .seconds(5))
        #expect(
            bare.serverLife.channelWarning == """
                another server of this database sends APNs pushes, SMS; this one doesn't: give \
                all servers the same channels
                """)
        #expect(full.serverLife.channelWarning == nil)
    }

    @Test(arguments: [(Duration.seconds(60), true), (.seconds(60).plusAMillisecond, false)])
    func warningEndsAMinuteAfterTheOtherServer(pause: Duration, warns: Bool) async throws {
        try await giveSigns(of: [full], after: .seconds(5))
        try await giveSigns(of: [bare], after: pause)
        #expect((bare.serverLife.channelWarning != nil) == warns)
    }

    /// It may be this server, before its settings changed.
    @Test func serverThatEndedBeforeTheStartDoesNotCount() async throws {
        try await giveSigns(of: [full], after: .seconds(5))
        let restarted = try server.another()
        try await restarted.serverLife.wake()
        try await giveSigns(of: [restarted], after: .seconds(5))
        #expect(restarted.serverLife.channelWarning == nil)
        try await giveSigns(of: [full, restarted], after: .seconds(25))
        #expect(restarted.serverLife.channelWarning != nil)
    }

    /// The other server sends the SMS.
    @Test(arguments: [true, false])
    func alertsUseTheChannelsOfServersThatRun(runs: Bool) async throws {
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await giveSigns(of: runs ? [full, bare] : [bare], after: .seconds(5))
        _ = try await bare.alerts.raiseAlert(server.environment.id(), by: ada.caller)
        let texts = try await server.engine.read {
            try $0.count(
                """
                SELECT COUNT(*) FROM deliveries
                WHERE user_id = $1 AND channel = 'sms' AND purpose = 'alertBegin'
                """, [.id(ben.id)])
        }
        #expect(texts == (runs ? 1 : 0))
    }

    /// Ben can be reached only by SMS.
    @Test(arguments: [true, false])
    func peopleReachedByServersThatRunAreReachable(runs: Bool) async throws {
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await giveSigns(of: runs ? [full, bare] : [bare], after: .seconds(5))
        let isReached = try await server.engine.read { [bare] connection in
            let user = try connection.user(ben.id)
            return try user.map { try bare.reach.reaches(Recipient($0), in: connection) }
        }
        #expect(isReached == runs)
    }

    @Test(arguments: [true, false])
    func callsOfOtherServersAreScheduled(calls: Bool) async throws {
        let caller = try server.another { $0.isVoiceAvailable = calls }
        try await caller.serverLife.wake()
        try await giveSigns(of: [caller, bare], after: .seconds(5))
        #expect((bare.climbing.firstCall(after: noon) != nil) == calls)
    }

    @Test func onlyServerOfAFileStoresNoChannels() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        guard !server.engine.isShared else { return }
        try await server.network.serverLife.wake()
        try await server.network.serverLife.giveSignOfLife()
        #expect(try await server.engine.read { try $0.serverState().channelsSeen } == [:])
    }
}
