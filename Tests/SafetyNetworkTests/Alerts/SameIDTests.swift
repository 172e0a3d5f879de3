import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Two servers with one database can give two people's alerts the same id.
@Suite struct SameIDTests {
    private let server: TestServer
    /// The first account has the smaller id, which the database finds first.
    private let first: Person
    private let second: Person
    private let ben: Person
    private let alert: AlertID

    init() async throws {
        server = try TestServer()
        first = try await server.person("Ada")
        second = try await server.person("Cleo")
        ben = try await server.person("Ben")
        let environment = server.environment
        alert = environment.id()
        for owner in [first, second] { try await server.connect(ben, watchesOver: owner) }
        try await server.connect(first, watchesOver: second, mutually: true)
        let (id, now) = (alert, server.clock.now)
        let owners = [first.id, second.id]
        try await server.engine.write(about: .none) { transaction in
            for owner in owners {
                try transaction.insert(
                    AlertRow(
                        id: id, userID: owner, kind: .manual, startedAt: now, receivedAt: now,
                        deadlineAt: nil, toldLate: false, repeats: 1))
            }
        }
    }

    private func isOpen(_ person: Person) async throws -> Bool {
        let id = alert
        let row = try await server.engine.read { try $0.alert(id, of: person.id) }
        return try #require(row).isOpen
    }

    @Test func eachOwnerEndsTheirOwnAlert() async throws {
        for owner in [second, first] {
            let ended = try await server.network.alerts.endAlert(alert, by: owner.caller)
            #expect(!ended.isActive && ended.userId == "\(owner.id)")
            #expect(try await !isOpen(owner))
        }
    }

    @Test func anEndLeavesTheOthersAlertOpen() async throws {
        _ = try await server.network.alerts.endAlert(alert, by: second.caller)
        #expect(try await isOpen(first))
    }

    @Test func eachOwnerSeesTheirOwnAlert() async throws {
        for owner in [first, second] {
            let seen = try await server.network.alerts.alert(alert, visibleTo: owner.caller)
            #expect(seen.userId == "\(owner.id)")
        }
    }

    @Test func ownerAcknowledgesTheOthersAlert() async throws {
        for (me, other) in [(first, second), (second, first)] {
            let taken = try await server.network.responding.acknowledgeAlert(alert, by: me.caller)
            #expect(taken.userId == "\(other.id)" && taken.acknowledgement != nil)
        }
    }

    @Test func responderAcknowledgesTheOpenAlert() async throws {
        _ = try await server.network.alerts.endAlert(alert, by: first.caller)
        let taken = try await server.network.responding.acknowledgeAlert(alert, by: ben.caller)
        #expect(taken.userId == "\(second.id)" && taken.acknowledgement != nil)
    }
}
