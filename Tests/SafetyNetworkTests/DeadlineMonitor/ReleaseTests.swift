import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// The one who is on it can no longer see the alert: it is told again as if nobody were.
@Suite struct ReleaseTests {
    enum Way: CaseIterable, Sendable {
        case removedByAda, removedByBen, rolesChanged, accountDeleted
    }

    @Test(arguments: Way.allCases)
    func theOthersAreToldAgain(way: Way) async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let (ben, cleo) = (try await town.person("Ben"), try await town.person("Cleo"))
        for responder in [ben, cleo] { try await town.connect(responder, watchesOver: ada) }
        let alert = try await town.raiseAlert(ada)
        _ = try await town.acknowledge(alert, ben)
        try await town.pass(.minutes(10))
        _ = try await town.news(of: cleo)

        switch way {
        case .removedByAda: try await town.network.removeContact(ben.id, by: ada.caller)
        case .removedByBen: try await town.network.removeContact(ada.id, by: ben.caller)
        case .accountDeleted: try await town.network.deleteAccount(of: ben.caller)
        case .rolesChanged:
            _ = try await town.network.changeRoles(
                of: ben.id, to: ContactRoles(isResponder: false, isDependent: true), by: ada.caller)
        }
        #expect(try await town.openAlert(cleo)?.acknowledgement == nil)
        try await town.watch.look()
        #expect(try await town.news(of: cleo) == ["Ada still needs help"])
        #expect(try await town.acknowledge(alert, cleo).acknowledgement?.name == "Cleo")
        #expect(try await town.openAlert(ada)?.acknowledgement?.name == "Cleo")
    }

    @Test func whoIsNotOnItMayGoWithoutNoise() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let (ben, cleo) = (try await town.person("Ben"), try await town.person("Cleo"))
        for responder in [ben, cleo] { try await town.connect(responder, watchesOver: ada) }
        let alert = try await town.raiseAlert(ada)
        _ = try await town.acknowledge(alert, ben)
        try await town.network.removeContact(cleo.id, by: ada.caller)
        _ = try await town.news(of: ben)
        try await town.pass(.minutes(29))
        #expect(try await town.openAlert(ben)?.acknowledgement?.name == "Ben")
        #expect(try await town.news(of: ben) == [])
    }

    /// After the last of the repeats nothing is due any more; losing the one who was on it must not
    /// end in silence.
    @Test func evenAfterADay() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let (ben, cleo) = (try await town.person("Ben"), try await town.person("Cleo"))
        for responder in [ben, cleo] { try await town.connect(responder, watchesOver: ada) }
        let alert = try await town.raiseAlert(ada)
        try await town.pass(.hours(25))
        _ = try await town.acknowledge(alert, ben)
        _ = try await town.news(of: cleo)
        try await town.network.removeContact(ben.id, by: ada.caller)
        try await town.watch.look()
        #expect(try await town.news(of: cleo).isEmpty == false)
    }
}
