import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Endpoints stay stored when the operator removes their push service.
@Suite struct UnavailableEndpointTests {
    private let server: TestServer
    private let ada, ben: Person

    init() async throws {
        server = try TestServer(options: { $0.pushKinds = [.webhook, .apns] })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook,
            url: try #require(URL(string: "https://hooks.example/ben")), of: ben.caller)
        let token = try AppToken(
            apns: String(repeating: "ab", count: 32), environment: .production)
        _ = try await server.network.appEndpoints.saveAppEndpoint(
            server.environment.id(), token, of: ben.caller)
    }

    /// Raises an alert and returns the push channels to Ben.
    private func channels(by network: SafetyNetwork) async throws -> Set<String> {
        let alert: AlertID = server.environment.id()
        _ = try await network.alerts.raiseAlert(alert, by: ada.caller)
        let ben = ben.id
        return Set(
            try await server.engine.read {
                try $0.values(
                    """
                    SELECT channel FROM deliveries
                    WHERE user_id = $1 AND alert_id = $2 AND device_id IS NOT NULL
                    """, [.id(ben), .id(alert)])
            })
    }

    @Test func availableServicesCarryAlert() async throws {
        #expect(try await channels(by: server.network) == ["webhook", "apns"])
    }

    @Test func removedServiceGetsNoMessages() async throws {
        var options = server.network.options
        options.pushKinds = [.webhook]
        #expect(try await channels(by: server.makeNetwork(options)) == ["webhook"])
    }

    @Test func onlyAvailableServicesMakePeopleReachable() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ben)
        func isReached(by kinds: Set<PushEndpoint.Kind>) async throws -> [Bool] {
            var options = server.network.options
            options.pushKinds = kinds
            let contacts = try server.makeNetwork(options).contacts
            let ofAda = try await contacts.contacts(of: ada.caller).first
            let ofCleo = try await contacts.contacts(of: cleo.caller).first
            return [ofAda?.reachability?.state == .notProven, ofCleo?.hearsPings == true]
        }
        #expect(try await isReached(by: [.apns]) == [true, true])
        #expect(try await isReached(by: [.webhook]) == [true, true])
        #expect(try await isReached(by: [.fcm]) == [false, false])
    }

    /// Servers of two versions can share a database.
    @Test func endpointOfANewerServersKindKeepsNoAlarmBack() async throws {
        let ben = ben.id
        try await server.engine.write(about: .none) {
            _ = try $0.execute("UPDATE devices SET kind = 'later' WHERE user_id = $1", [.id(ben)])
        }
        #expect(try await channels(by: server.network) == ["apns"])
        let shown = try await server.network.endpoints.pushEndpoints(of: self.ben.caller)
        #expect(Set(shown.map(\.kind)) == [.unknown, .apns])
    }

    @Test func endpointWithoutAnAddressKeepsNoAlarmBack() async throws {
        let ben = ben.id
        try await server.engine.write(about: .none) {
            _ = try $0.execute("UPDATE devices SET url = '' WHERE user_id = $1", [.id(ben)])
        }
        #expect(try await channels(by: server.network) == ["apns"])
    }
}
