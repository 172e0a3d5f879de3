import Domain
import Foundation
import SafetyNetwork
import Testing

@testable import HTTPServer

/// The page of an alert for people without an account.
@Suite struct AlertPageTests {
    private let alert: AlertID = id(1)

    /// Ana's alert, of which Ben and Bob hear.
    private func story() async throws -> (server: TestServer, ana: Person, ben: Person, bob: Person)
    {
        let server = try TestServer()
        let ana = try await server.person("Ana", number: "+4915100000001")
        let ben = try await server.person("Ben", number: "+4915100000002")
        let bob = try await server.person("Bob", number: "+4915100000003")
        for responder in [ben, bob] {
            try await server.connect(responder: responder, dependent: ana)
        }
        _ = try await server.network.raiseAlert(alert, by: ana.caller)
        return (server, ana, ben, bob)
    }

    private func page(
        _ server: TestServer, of person: Person, _ action: String = "show"
    ) async throws -> String {
        let link = server.network.alertLink(to: person.id, alert, in: .sms)
        let secret = try #require(link.fragment)
        let form = Content(
            type: "application/x-www-form-urlencoded",
            bytes: Data("secret=\(secret)&action=\(action)".utf8))
        let answer = try await server.send("POST", LinkPath.alert, form)
        #expect(answer.status == 200)
        return answer.text
    }

    /// The titles of the buttons that a page has.
    private func buttons(_ page: String) -> [String] {
        ["I’m on it", "I’m still on it", "I can’t", "I can’t after all", "Refresh"]
            .filter { page.contains(">\($0)</button>") }
    }

    @Test func whoeverIsOnItCanSayThatItGoesOnOrThatTheyCantAfterAll() async throws {
        let (server, ana, ben, bob) = try await story()
        #expect(buttons(try await page(server, of: ben)) == ["I’m on it", "I can’t", "Refresh"])
        let taken = try await page(server, of: ben, "on-it")
        #expect(taken.contains("You are on it."))
        #expect(buttons(taken) == ["I can’t after all", "Refresh"])
        #expect(buttons(try await page(server, of: bob)) == ["I can’t", "Refresh"])

        server.clock.advance(by: .minutes(30))
        try await server.deadlineMonitor.handleDueDeadlines()
        let asked = try await page(server, of: ben)
        #expect(buttons(asked) == ["I’m still on it", "I can’t after all", "Refresh"])
        _ = try await page(server, of: ben, "on-it")
        server.clock.advance(by: .minutes(6))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await page(server, of: bob).contains("Ben is on it."))

        let undone = try await page(server, of: ben, "cannot")
        #expect(undone.contains("Nobody is on it yet."))
        #expect(undone.contains("You said that you can’t. The others are asked."))
        #expect(buttons(undone) == ["I’m on it", "Refresh"])
        let record = try await server.network.alert(alert, visibleTo: ana.caller)
        #expect(record.acknowledgement == nil && record.isActive)
    }

    @Test func thePageCallsThePersonAndTheEmergencyNumber() async throws {
        let (server, ana, ben, _) = try await story()
        let shown = try await page(server, of: ben)
        #expect(shown.contains(#"href="tel:\#(ana.number.text)">Call Ana</a>"#))
        #expect(shown.contains(#"href="tel:112">Call 112</a>"#))
        _ = try await server.network.endAlert(alert, by: ana.caller)
        let ended = try await page(server, of: ben)
        #expect(ended.contains("<h1>Ana’s alert has ended</h1>"))
        #expect(!ended.contains("tel:") && buttons(ended).isEmpty)
    }

    /// Of alerts in quick succession some have no message.
    @Test func theLinkOfAnEndedAlertLeadsToOneThatIsOn() async throws {
        let (server, ana, ben, _) = try await story()
        _ = try await server.network.endAlert(alert, by: ana.caller)
        server.clock.advance(by: .minutes(1))
        _ = try await server.network.raiseAlert(id(2), by: ana.caller)
        #expect(try await page(server, of: ben).contains("<h1>Ana needs help</h1>"))
        #expect(try await page(server, of: ben, "on-it").contains("You are on it."))
        let second = try await server.network.alert(id(2), visibleTo: ana.caller)
        #expect(second.acknowledgement != nil)
        let first = try await server.network.alert(alert, visibleTo: ana.caller)
        #expect(first.acknowledgement == nil && !first.isActive)
        _ = try await server.network.endAlert(id(2), by: ana.caller)
        #expect(try await page(server, of: ben).contains("<h1>Ana’s alert has ended</h1>"))
    }

    @Test func theLinkOfAnEndedAlertLeadsNobodyToOneThatIsNotTheirs() async throws {
        let (server, ana, ben, _) = try await story()
        _ = try await server.network.endAlert(alert, by: ana.caller)
        try await server.network.removeContact(ben.id, by: ana.caller)
        _ = try await server.network.raiseAlert(id(2), by: ana.caller)
        let link = server.network.alertLink(to: ben.id, alert, in: .sms)
        let secret = try #require(link.fragment)
        let shown = try await server.network.guestAlert(by: secret)
        #expect(shown?.isOver != false)
        _ = try? await server.network.answerAlert(by: secret, .onIt)
        let second = try await server.network.alert(id(2), visibleTo: ana.caller)
        #expect(second.acknowledgement == nil)
    }
}
