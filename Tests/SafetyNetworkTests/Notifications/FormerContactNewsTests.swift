import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Unsent news about a person who parts from its reader. Ben has a webhook.
@Suite struct FormerContactNewsTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.armed("Ada")
        ben = try await server.person("Ben")
        let url = try #require(URL(string: "https://example.org/hook"))
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook, url: url, of: ben.caller)
    }

    /// Attempts all due messages to Ben's webhook and returns the titles. Failed ones are retried
    /// after five minutes.
    private func take(arrives: Bool = true) async throws -> [String] {
        let now = server.clock.now
        var titles: [String] = []
        while true {
            let next = try await server.engine.write(about: .none) { transaction in
                let leased = try transaction.leaseDeliveries(
                    channels: [.webhook], lease: .seconds(60), limit: 1_000)
                for delivery in leased {
                    try transaction.settleDelivery(
                        delivery.record,
                        arrives
                            ? DeliveryUpdate(.accepted, at: now)
                            : DeliveryUpdate(
                                .retrying, nextTry: now.adding(.minutes(5)), at: now))
                }
                return leased.map(\.record.notification.title)
            }
            guard !next.isEmpty else { return titles }
            titles += next
        }
    }

    private func pause(_ person: Person, days: Int = 2) async throws {
        _ = try await server.network.pauses.pause(
            until: server.clock.now.adding(.days(days)), of: person.caller)
    }

    private func rename(_ person: Person, _ name: String) async throws {
        _ = try await server.network.profiles.updateProfile(
            name: name, emergencyNote: nil, of: person.caller)
    }

    enum Parting: CaseIterable, Sendable {
        case removal, quietRemoval, removalByReader, block, deletion
    }

    private func part(by parting: Parting) async throws {
        let network = server.network
        switch parting {
        case .removal: try await network.contacts.removeContact(ben.id, by: ada.caller)
        case .quietRemoval:
            try await network.contacts.removeContact(ben.id, quietly: true, by: ada.caller)
        case .removalByReader: try await network.contacts.removeContact(ada.id, by: ben.caller)
        case .block: _ = try await network.blocks.block(ben.id, by: ada.caller)
        case .deletion: try await server.deleteAccount(ada)
        }
    }

    @Test(arguments: Parting.allCases)
    func noNewsFollowsTheGoodbye(parting: Parting) async throws {
        try await server.connect(ben, watchesOver: ada)
        _ = try await take()
        let draft = JourneyDraft(
            id: server.environment.id(), name: "Zugspitze",
            expectedReturn: server.clock.now.adding(.hours(2)), tellsResponders: true)
        _ = try await server.network.journeys.start(draft, of: ada.caller)
        try await pause(ada)
        #expect(
            Set(try await take(arrives: false)) == [
                "Ada is on the way: Zugspitze", "Ada has paused check-ins",
            ])
        // The first attempt is due.
        try await rename(ada, "Adele")
        try await part(by: parting)
        server.clock.pass(.minutes(5))
        let titles = try await take()
        #expect(titles.count == (parting == .quietRemoval ? 0 : 1), "\(titles)")
        server.clock.pass(.minutes(10))
        #expect(try await take() == [])
    }

    @Test func failedNewsOfTheRelationIsDropped() async throws {
        let code = try #require(
            QRCodeID(try await server.network.qrCodes.qrCode(of: ben.caller).id))
        _ = try await server.network.contacts.addContact(
            code: code, roles: try ContactRoles(isResponder: false, isDependent: true),
            to: ada.caller)
        #expect(try await take(arrives: false).contains("Ada is now your contact"))
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        server.clock.pass(.minutes(5))
        let titles = try await take()
        #expect(titles.contains("Ada is no longer your contact"))
        #expect(!titles.contains("Ada is now your contact"))
    }

    @Test func newsOfOthersStays() async throws {
        let cleo = try await server.armed("Cleo")
        for owner in [ada, cleo] { try await server.connect(ben, watchesOver: owner) }
        _ = try await take()
        for owner in [ada, cleo] { try await pause(owner) }
        #expect(try await take(arrives: false).count == 2)
        try await part(by: .removal)
        server.clock.pass(.minutes(5))
        #expect(
            Set(try await take()) == [
                "Ada is no longer your contact", "Cleo has paused check-ins",
            ])
    }

    /// A person who stays a contact still reads the new name.
    @Test func endOfTheRoleWithdrawsOnlyNewsForResponders() async throws {
        try await server.connect(ben, watchesOver: ada, mutually: true)
        _ = try await take()
        try await pause(ada)
        try await rename(ada, "Adele")
        let failed = try await take(arrives: false)
        #expect(failed.count == 2 && failed.contains("Ada has paused check-ins"), "\(failed)")
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        _ = try await server.network.contacts.changeRoles(of: ben.id, to: roles, by: ada.caller)
        server.clock.pass(.minutes(5))
        let titles = try await take()
        #expect(!titles.contains("Ada has paused check-ins"))
        #expect(titles.contains("A contact has another name"))
    }
}
