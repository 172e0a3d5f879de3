import Domain
import Foundation
import Testing

@testable import SafetyNetwork

extension ConsentTests {
    @Test func twentyRequestsMayWaitAndTheNextIsRefused() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        var people: [Person] = []
        for number in 0..<20 { people.append(try await town.person("P\(number)")) }
        for person in people { try await town.ask(person, toWatchOver: ada) }
        let last = try await town.person("Last")
        let refused = await refusal { try await town.ask(last, toWatchOver: ada) }
        #expect(refused?.field == "requests")
        #expect(try await town.contact(last, seenBy: ada) == nil)
        try await town.accept(.dependent, of: ada, by: people[0])
        try await town.ask(last, toWatchOver: ada)
        // Roles that need no request are added all the same.
        let free = try await town.person("Free")
        try await town.connect(ada, watchesOver: free)
        let later = await refusal {
            try await change(town, free, responder: true, dependent: true, by: ada)
        }
        #expect(later?.field == "requests")
    }

    @Test func aRepeatedChangeAsksOnce() async throws {
        let (town, ada, ben) = try await street()
        try await town.connect(ben, watchesOver: ada)
        let key: UUID = town.world.makeID()
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        for _ in 0..<2 {
            _ = try await town.network.changeRoles(
                of: ada.id, to: roles, by: ben.caller, key: key)
        }
        #expect(try await town.news(of: ada) == ["Ben asks you"])
    }
}
