import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Ada has missed a check-in and raised an alert, and Ben and Cleo have read about both.
@Suite struct OtherAlertTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person
    private let missed: AlertRecord
    private let raised: AlertRecord

    init() async throws {
        server = try TestServer()
        ada = try await server.armed("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        try await server.pass(.hours(24))
        missed = try #require(try await server.openAlert(ada))
        server.clock.pass(.minutes(1))
        raised = try await server.raiseAlert(ada)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.seconds(1))
    }

    /// Returns what a person has since read of alerts.
    private func texts(to person: Person) async throws -> [String] {
        try await server.alertNews(of: person).map(\.body)
    }

    private let missedIsOn = "Another alert, about Ada's missed check-in, is still on"
    private let raisedIsOn = "Another alert, which Ada raised, is still on"

    @Test func endNamesTheOtherAlert() async throws {
        _ = try await server.endAlert(raised, ada)
        for person in [ben, cleo] {
            #expect(
                try await texts(to: person) == [
                    "The alert ended at 12:01 UTC. \(missedIsOn), and no one is on it."
                ])
        }
        server.clock.pass(.seconds(1))
        try await server.checkIn(ada)
        for person in [ben, cleo] {
            #expect(try await texts(to: person) == ["Ada checked in at 12:01 UTC."])
        }
    }

    @Test func checkInNamesTheAlertThatIsStillOn() async throws {
        _ = try await server.acknowledge(raised, ben)
        for person in [ben, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.seconds(1))
        try await server.checkIn(ada)
        let start = "Ada checked in at 12:01 UTC. \(raisedIsOn)"
        #expect(try await texts(to: ben) == ["\(start), and you are on it."])
        #expect(try await texts(to: cleo) == ["\(start), and Ben is on it."])
        server.clock.pass(.seconds(1))
        _ = try await server.endAlert(raised, ada)
        #expect(try await texts(to: cleo) == ["The alert ended at 12:01 UTC."])
    }

    /// Only Ben was chosen for the journey.
    @Test func endKeepsAJourneyFromOthers() async throws {
        let scene = try await JourneyScene()
        try await scene.start(to: [scene.ben])
        try await scene.becomeOverdue()
        let raised = try await scene.server.raiseAlert(scene.ada)
        try await scene.forgetNews()
        scene.server.clock.pass(.seconds(1))
        _ = try await scene.server.endAlert(raised, scene.ada)
        let toBen = try await scene.server.alertNews(of: scene.ben).map(\.body)
        let other = "Another alert, about Ada's journey, is still on, and no one is on it."
        #expect(toBen.count == 1 && toBen.first?.hasSuffix(other) == true)
        let toCleo = try await scene.server.alertNews(of: scene.cleo).map(\.body)
        #expect(toCleo == ["The alert ended at 14:10 UTC."])
    }

    @Test func arrivalNamesTheRaisedAlert() async throws {
        let scene = try await JourneyScene()
        try await scene.start()
        try await scene.becomeOverdue()
        try await scene.server.raiseAlert(scene.ada)
        try await scene.forgetNews()
        scene.server.clock.pass(.seconds(1))
        try await scene.arrive()
        for person in [scene.ben, scene.cleo] {
            let text = try await scene.server.alertNews(of: person).last?.body
            #expect(text?.hasSuffix("\(raisedIsOn), and no one is on it.") == true)
        }
    }

    // MARK: News of one of two alerts

    @Test func helpNamesTheAlertWithoutIt() async throws {
        _ = try await server.acknowledge(missed, ben)
        #expect(
            try await texts(to: ada) == [
                "Ben is helping you. Another alert, which you raised, is still on, and no one is "
                    + "on it."
            ])
        #expect(
            try await texts(to: cleo) == [
                "Ben is helping Ada. \(raisedIsOn), and no one is on it."
            ])
        server.clock.pass(.seconds(1))
        _ = try await server.acknowledge(raised, cleo)
        #expect(
            try await texts(to: ben) == [
                "Cleo is helping Ada. \(missedIsOn), and you are on it."
            ])
    }

    @Test func withdrawalNamesTheHelpOnTheOther() async throws {
        _ = try await server.acknowledge(missed, ben)
        _ = try await server.acknowledge(raised, cleo)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.seconds(1))
        _ = try await server.network.responding.withdrawAcknowledgement(
            of: try missed.typedID, by: ben.caller)
        let toAda = try #require(try await texts(to: ada).first)
        #expect(
            toAda.hasSuffix("Another alert, which you raised, is still on, and Cleo is on it."))
        let toCleo = try #require(try await texts(to: cleo).first)
        #expect(toCleo.hasPrefix("Ben is no longer on it."))
        #expect(toCleo.hasSuffix("\(raisedIsOn), and you are on it."))
    }

    /// Ben is on both alerts.
    @Test func departureEndsHelpOnBoth() async throws {
        for alert in [missed, raised] { _ = try await server.acknowledge(alert, ben) }
        for person in [ada, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.seconds(1))
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        let toCleo = try await texts(to: cleo)
        #expect(toCleo.count == 2 && toCleo.allSatisfy { $0.hasSuffix("and no one is on it.") })
    }

    @Test func repeatNamesHelpOnTheOther() async throws {
        _ = try await server.acknowledge(missed, ben)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        try await server.pass(.minutes(5))
        let toCleo = try #require(try await texts(to: cleo).first)
        #expect(toCleo.hasPrefix("No one is on it yet."))
        #expect(toCleo.hasSuffix("\(missedIsOn), and Ben is on it."))
        let toBen = try #require(try await texts(to: ben).first)
        #expect(toBen.hasSuffix("\(missedIsOn), and you are on it."))
        try await server.pass(.minutes(10))
        let toAda = try #require(try await texts(to: ada).last)
        #expect(
            toAda.hasSuffix(
                "Another alert, about your missed check-in, is still on, and Ben is on it."))
    }

    @Test func repeatWithoutHelpOnTheOtherStaysShort() async throws {
        try await server.pass(.minutes(5))
        let toCleo = try await texts(to: cleo)
        #expect(!toCleo.isEmpty && toCleo.allSatisfy { !$0.contains("Another alert") })
    }

    @Test func lapseNamesTheOther() async throws {
        _ = try await server.acknowledge(missed, ben)
        _ = try await server.acknowledge(raised, cleo)
        try await server.pass(.minutes(30))
        // Both have been asked, and only Cleo confirms.
        _ = try await server.acknowledge(raised, cleo)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        try await server.pass(.minutes(5))
        let toCleo = try #require(try await texts(to: cleo).first)
        #expect(toCleo.hasPrefix("Ben has not confirmed."))
        #expect(toCleo.hasSuffix("\(raisedIsOn), and you are on it."))
        let toBen = try #require(try await texts(to: ben).first)
        #expect(toBen.hasSuffix("\(raisedIsOn), and Cleo is on it."))
        let toAda = try #require(try await texts(to: ada).first)
        #expect(
            toAda.hasSuffix("Another alert, which you raised, is still on, and Cleo is on it."))
    }

    @Test func fullRefusalNamesTheHelpOnTheOther() async throws {
        _ = try await server.acknowledge(raised, ben)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        for person in [ben, cleo] {
            server.clock.pass(.seconds(1))
            _ = try await server.network.responding.declineAlert(
                try missed.typedID, by: person.caller)
        }
        let toAda = try #require(try await texts(to: ada).first)
        #expect(
            toAda.hasSuffix("Another alert, which you raised, is still on, and Ben is on it."))
        let toCleo = try #require(try await texts(to: cleo).first)
        #expect(toCleo.hasSuffix("\(raisedIsOn), and Ben is on it."))
    }
}
