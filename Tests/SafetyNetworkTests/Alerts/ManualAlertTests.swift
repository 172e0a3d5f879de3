import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct ManualAlertTests {
    @Test func allRespondersAreToldAtTheStartAndAtTheEnd() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let (ben, cleo) = (try await town.person("Ben"), try await town.person("Cleo"))
        for responder in [ben, cleo] { try await town.connect(responder, watchesOver: ada) }
        let alert = try await town.raiseAlert(ada)
        #expect(alert.isActive && alert.kind == .manual && alert.startTime == noon)
        for responder in [ben, cleo] {
            #expect(
                try await town.newsItems(of: responder).map(\.body) == [
                    "Ada raised an alert at 12:00 UTC."
                ])
            #expect(try await town.contact(ada, seenBy: responder)?.watch?.status == .alertActive)
        }
        #expect(try await town.profile(ada).status == .alertActive)

        town.clock.pass(.minutes(3))
        let ended = try await town.endAlert(alert, ada)
        #expect(ended.endTime == noon.adding(.minutes(3)))
        for responder in [ben, cleo] {
            #expect(try await town.news(of: responder) == ["Ada ended the alert"])
        }
        #expect(try await town.profile(ada).status == .active)
        #expect(try await town.news(of: ada) == [])
    }

    @Test func whoHasNoRespondersIsToldToCallForHelp() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        try await town.raiseAlert(ada)
        #expect(try await town.news(of: ada) == ["No one was told"])
    }

    @Test func raisingAgainReturnsTheOpenOne() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let first = try await town.raiseAlert(ada)
        town.clock.pass(.minutes(1))
        #expect(try await town.raiseAlert(ada).id == first.id)
        #expect(try await town.news(of: ben) == ["Ada needs help"])
        #expect(try await town.alerts(ada).count == 1)
    }

    @Test func theSameIDAfterTheEndIsTheOldAlert() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let first = try await town.raiseAlert(ada)
        let ended = try await town.endAlert(first, ada)
        #expect(try await town.raiseAlert(ada, id: try first.typedID) == ended)
        #expect(try await town.openAlert(ada) == nil)
        #expect(try await town.raiseAlert(ada).id != first.id)
        #expect(
            try await town.news(of: ben) == [
                "Ada needs help", "Ada ended the alert", "Ada needs help",
            ])
    }

    @Test func manyTapsAtOnceRaiseOne() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await town.raiseAlert(ada).id } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(try await town.news(of: ben) == ["Ada needs help"])
    }

    @Test func endingAgainChangesNothing() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let alert = try await town.raiseAlert(ada)
        let ended = try await town.endAlert(alert, ada)
        town.clock.pass(.minutes(1))
        #expect(try await town.endAlert(alert, ada) == ended)
        #expect(try await town.news(of: ben) == ["Ada needs help", "Ada ended the alert"])
    }

    @Test func nobodyElseEndsIt() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        let (cleo, stranger) = (try await town.person("Cleo"), try await town.person("Dora"))
        try await town.connect(ben, watchesOver: ada)
        try await town.connect(ada, watchesOver: cleo)
        let alert = try await town.raiseAlert(ada)
        #expect(await refusal { try await town.endAlert(alert, ben) }?.isPermissionDenied == true)
        #expect(await refusal { try await town.endAlert(alert, cleo) }?.isNotFound == true)
        #expect(await refusal { try await town.endAlert(alert, stranger) }?.isNotFound == true)
        #expect(
            await refusal { try await town.network.endAlert(town.world.id(), by: ada.caller) }?
                .isNotFound == true)
        #expect(try await town.openAlert(ada)?.id == alert.id)
    }

    @Test func aMissedCheckInEndsWithACheckInOnly() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        try await town.pass(.hours(24))
        let alert = try #require(try await town.openAlert(ada))
        #expect(await refusal { try await town.endAlert(alert, ada) }?.field == "id")
        #expect(try await town.openAlert(ada) != nil)
    }

    @Test func aResponderWhoLeftMeanwhileIsNotToldOfTheEnd() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let alert = try await town.raiseAlert(ada)
        try await town.network.removeContact(ben.id, by: ada.caller)
        _ = try await town.endAlert(alert, ada)
        #expect(
            try await town.news(of: ben) == ["Ada needs help", "Ada is no longer your contact"])
        #expect(try await town.alerts(ben).isEmpty)
    }

    /// Someone who knows the id of Ben's alert raises one of their own with it. Cleo means Ben when
    /// she says that id.
    @Test func aBorrowedIDIsNobodyElses() async throws {
        let town = try Town()
        let (ada, ben, cleo) = (
            try await town.person("Ada"), try await town.person("Ben"),
            try await town.person("Cleo")
        )
        for dependent in [ada, ben] { try await town.connect(cleo, watchesOver: dependent) }
        try await town.connect(ada, watchesOver: ben)
        let bens = try await town.raiseAlert(ben)
        let adas = try await town.raiseAlert(ada, id: try bens.typedID)
        #expect(adas.userId == ada.id.description && adas.isActive)
        #expect(try await town.raiseAlert(ada, id: try bens.typedID).id == adas.id)
        #expect(try await town.acknowledge(bens, cleo).userId == ben.id.description)
        #expect(try await town.acknowledge(adas, cleo).userId == ada.id.description)
        #expect(try await town.endAlert(bens, ben).userId == ben.id.description)
        #expect(try await town.endAlert(adas, ada).userId == ada.id.description)
    }
}
