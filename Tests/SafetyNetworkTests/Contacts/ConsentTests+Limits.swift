import Domain
import Foundation
import Testing

@testable import SafetyNetwork

extension ConsentTests {
    @Test func twentyFirstPendingRequestIsRefused() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        var people: [Person] = []
        for number in 0..<20 { people.append(try await server.person("P\(number)")) }
        for person in people { try await server.ask(person, toWatchOver: ada) }
        let last = try await server.person("Last")
        let refused = await refusal { try await server.ask(last, toWatchOver: ada) }
        #expect(refused?.field == "requests")
        #expect(try await server.contact(last, seenBy: ada) == nil)
        try await server.accept(.dependent, of: ada, by: people[0])
        try await server.ask(last, toWatchOver: ada)
        // At the limit of requests, Ada can still add contacts without a request.
        let free = try await server.person("Free")
        try await server.connect(ada, watchesOver: free)
        let later = await refusal {
            try await change(server, free, responder: true, dependent: true, by: ada)
        }
        #expect(later?.field == "requests")
    }

    @Test func aRepeatedChangeAsksOnce() async throws {
        let (server, ada, ben) = try await street()
        try await server.connect(ben, watchesOver: ada)
        let key: UUID = server.environment.makeID()
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        for _ in 0..<2 {
            _ = try await server.network.contacts.changeRoles(
                of: ada.id, to: roles, by: ben.caller, key: key)
        }
        #expect(try await server.news(of: ada) == ["Ben asks you"])
    }

    @Test func unacceptedResponderCannotReportOrSeeOthers() async throws {
        let (server, ada, ben) = try await street()
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        try await server.ask(ben, toWatchOver: ada)
        let alert = try await server.raiseAlert(ada)
        let id = try alert.typedID
        let report = await refusal {
            try await server.network.responding.report(.foundSafe, on: id, by: ben.caller)
        }
        #expect(report?.isPermissionDenied == true)
        server.clock.pass(.seconds(1))
        _ = try await server.acknowledge(alert, cleo)
        let seen = try await server.alert(alert, seenBy: ben)
        #expect(seen.acknowledgement?.name == "Cleo")
        #expect(seen.othersTold == [] && seen.history == [])
        _ = try await server.network.responding.report(.withThem, on: id, by: cleo.caller)
        let resumption = await refusal {
            try await server.network.responding.resumeRepeats(of: id, by: ben.caller)
        }
        #expect(resumption?.isPermissionDenied == true)

        try await server.accept(.dependent, of: ada, by: ben)
        let later = try await server.alert(alert, seenBy: ben)
        #expect(later.othersTold == ["Cleo"])
        #expect(later.history.map(\.kind) == [.acknowledged, .withThem])
        _ = try await server.network.responding.report(.foundSafe, on: id, by: ben.caller)
        #expect(try await server.openAlert(ada)?.report?.name == "Ben")
    }
}
