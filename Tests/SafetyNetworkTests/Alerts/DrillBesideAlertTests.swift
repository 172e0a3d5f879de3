import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ben answers by SMS while Ada's drill asks him, and Dan has an open alert.
@Suite struct DrillBesideAlertTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person
    private let dan: Person

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        dan = try await server.person("Dan")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        try await server.connect(ben, watchesOver: dan)
        _ = try await server.send(.sms)
    }

    private func text(_ text: String, _ person: Person) async throws -> String? {
        try await server.network.textAnswers.receiveText(text, from: person.number)
    }

    /// Leases the SMS of the drill, which count as sent.
    private func drillTexts() async throws -> [LeasedDelivery] {
        try await server.engine.write(about: .none) {
            try $0.leaseDeliveries(channels: [.sms], lease: .minutes(1), limit: 10)
        }
        .filter { $0.purpose == .drill }
    }

    @Test func anOpenAlertComesBeforeANewerDrill() async throws {
        let alert = try await server.raiseAlert(dan)
        _ = try await server.send(.sms)
        server.clock.pass(.minutes(1))
        _ = try await server.network.drills.startDrill(server.environment.id(), by: ada.caller)
        _ = try await server.send(.sms)
        let notTheDrill = "Your answer was not about the drill."
        let refusal = try #require(try await text("2", ben))
        #expect(refusal.contains("you can't help Dan") && refusal.hasSuffix(notTheDrill))
        server.clock.pass(.seconds(1))
        #expect(try await text("1", ben)?.hasSuffix(notTheDrill) == true)
        for _ in 0..<2 { #expect(try await text("1", ben)?.contains("Dan is being told") == true) }
        #expect(try await server.alert(alert, seenBy: dan).acknowledgement?.name == "Ben")
        let drill = try #require(try await server.network.drills.drills(of: ada.caller).own)
        #expect(drill.answers.allSatisfy { $0.answeredAt == nil })
        // After the alert's end, the answer is about the drill.
        _ = try await server.endAlert(alert, dan)
        #expect(try await text("1", ben)?.contains("The drill has reached you.") == true)
    }

    /// - Parameter isNews: true if a further SMS about the alert follows the drill's.
    @Test(arguments: [false, true])
    func refusedAlertComesAfterANewerDrill(isNews: Bool) async throws {
        let alert = try await server.raiseAlert(dan)
        _ = try await server.send(.sms)
        server.clock.pass(.minutes(1))
        _ = try await text("2", ben)
        server.clock.pass(.minutes(1))
        _ = try await server.network.drills.startDrill(server.environment.id(), by: ada.caller)
        let sent = try await drillTexts()
        #expect(sent.count == 2 && sent.allSatisfy { !$0.isAnswerAboutAlert })
        if isNews {
            _ = try await server.engine.write(about: .none) { [ben, dan] in
                try $0.execute(
                    """
                    UPDATE deliveries SET sent_at = $1 WHERE user_id = $2 AND channel = 'sms'
                        AND alert_user_id = $3
                    """, [.date($0.now.adding(.seconds(1))), .id(ben.id), .id(dan.id)])
            }
        }
        let reply = try await text("1", ben)
        #expect(reply?.contains("Dan is being told") == isNews)
        #expect(reply?.contains("The drill has reached you.") == !isNews)
        let helper = try await server.alert(alert, seenBy: dan).acknowledgement?.name
        #expect(helper == (isNews ? "Ben" : nil))
        guard !isNews else { return }
        // A gateway may deliver the answer twice. A later one is about the alert.
        server.clock.pass(.seconds(10))
        #expect(try await text("1", ben)?.contains("The drill has reached you.") == true)
        server.clock.pass(.milliseconds(1))
        #expect(try await text("1", ben)?.contains("Dan is being told") == true)
    }

    /// Ben has answered the drill. The SMS about Dan's alert comes before the drill's or after it.
    @Test(arguments: [true, false])
    func answerAfterAnEndedAlertIsNotAboutTheDrill(isAlertNewer: Bool) async throws {
        func passAlert() async throws {
            let alert = try await server.raiseAlert(dan)
            _ = try await server.send(.sms)
            server.clock.pass(.minutes(1))
            _ = try await server.endAlert(alert, dan)
            _ = try await server.send(.sms)
            server.clock.pass(.minutes(1))
        }
        if !isAlertNewer { try await passAlert() }
        _ = try await server.network.drills.startDrill(server.environment.id(), by: ada.caller)
        _ = try await server.send(.sms)
        #expect(try await text("1", ben)?.contains("The drill has reached you.") == true)
        server.clock.pass(.minutes(1))
        if isAlertNewer { try await passAlert() }
        let reply = try await text("1", ben)
        #expect(reply?.contains("The drill has reached you.") == !isAlertNewer)
        #expect((reply == TextReply.nothingOpen.text) == isAlertNewer)
    }

    @Test func drillBesideAnOpenAlertIsMarked() async throws {
        _ = try await server.raiseAlert(dan)
        _ = try await server.send(.sms)
        server.clock.pass(.minutes(1))
        _ = try await server.network.drills.startDrill(server.environment.id(), by: ada.caller)
        let sent = try await drillTexts()
        let marked = sent.filter(\.isAnswerAboutAlert).map(\.record.userID)
        #expect(sent.count == 2 && marked == [ben.id])
    }
}
