import Domain
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct ServerStartTests {
    /// Another server of a shared database may still be sending.
    @Test func leasesOfTheLastServerEnd() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.raiseAlert(ada)
        let leased = try await server.engine.write(about: .none) {
            try $0.leaseDeliveries(channels: [.sms], lease: .seconds(60), limit: 10).count
        }
        #expect(leased == 1)
        #expect(try await server.send(.sms) == [])
        try await server.network.serverLife.prepareStart(keepsCopy: true)
        let isShared = server.network.database.isShared
        #expect(try await server.send(.sms) == (isShared ? [] : ["Ben"]))
    }

    @Test func serverWithoutCopyForgetsFilledCopies() async throws {
        let server = try TestServer()
        try await server.engine.write(about: .none) { try $0.noteCopiesFilled(7) }
        try await server.network.serverLife.prepareStart(keepsCopy: true)
        #expect(try await server.engine.read { try $0.filledCopies() } == 7)
        try await server.network.serverLife.prepareStart(keepsCopy: false)
        #expect(try await server.engine.read { try $0.filledCopies() } == nil)
    }
}
