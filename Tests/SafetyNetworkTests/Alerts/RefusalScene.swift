import Domain
import Foundation
import Persistence

@testable import SafetyNetwork

/// Ben and Cleo watch over Ada. Messages also go by SMS and call.
struct RefusalScene {
    let server: TestServer
    let ada: Person
    let ben: Person
    let cleo: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        _ = try await server.send(.sms)
    }
}

protocol WithRefusalScene {
    var scene: RefusalScene { get }
}

extension WithRefusalScene {
    var server: TestServer { scene.server }
    var ada: Person { scene.ada }
    var ben: Person { scene.ben }
    var cleo: Person { scene.cleo }
    /// The title of the owner's news.
    var refused: String { "Your responders can't come" }

    /// Raises an alert that everyone has read.
    func alarm() async throws -> AlertRecord {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.send(.sms)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.seconds(1))
        return alert
    }

    func decline(_ alert: AlertRecord, _ person: Person) async throws {
        _ = try await server.network.responding.declineAlert(try alert.typedID, by: person.caller)
        server.clock.pass(.seconds(1))
    }
}
