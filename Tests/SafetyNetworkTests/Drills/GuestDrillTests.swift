import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ada's drill asks Mia, a responder without an account.
@Suite struct GuestDrillTests {
    private let server: TestServer
    private let ada: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isEmailAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.person("Ada")
        _ = try await server.network.invitations.invite(
            "Mia", .address(Self.address()), by: ada.caller)
        let text = try #require(server.environment.invitations.first).text
        let fragment = try #require(text.split(separator: "#").dropFirst().first)
        _ = try await server.network.invitationAnswers.answerInvitation(
            by: String(fragment.prefix { !$0.isWhitespace }), .yes(name: "Mia"))
    }

    private static func address() throws -> EmailAddress { try EmailAddress("mia@example.org") }

    private func mia() async throws -> UserID {
        let address = try Self.address()
        return try #require(
            try await server.engine.read { try $0.user(emailAddress: address) }?.id)
    }

    /// Starts a drill and returns the secret of its link.
    private func startDrill(in channel: DeliveryChannel = .email) async throws -> String {
        let mia = try await mia()
        _ = try await server.network.drills.startDrill(server.environment.id(), by: ada.caller)
        let question = try #require(
            try await server.engine.read { try $0.drillQuestions(to: mia).first })
        let link = server.network.guestDrills.drillLink(
            to: mia, try #require(question.notificationID), in: channel)
        #expect(link.path == "/d" && link.query == nil)
        return try #require(link.fragment)
    }

    private func proofs() async throws -> [String] {
        let mia = try await mia()
        return try await server.engine.read {
            try $0.query("SELECT channel FROM proofs WHERE user_id = $1", [.id(mia)]) {
                try $0["channel"] as String
            }
        }
    }

    @Test func pressOnTheMailedPageAnswersTheDrill() async throws {
        let secret = try await startDrill()
        #expect(try await server.send(.email).contains("Mia"))
        #expect(try await server.network.guestDrills.guestDrill(by: secret)?.state == .asks)
        #expect(try await proofs().isEmpty)
        server.clock.pass(.seconds(5))
        let answered = try await server.network.guestDrills.answerDrill(by: secret)
        #expect(answered?.name == "Ada" && answered?.state == .answered)
        #expect(try await proofs() == ["email"])
        let own = try #require(try await server.network.drills.drills(of: ada.caller).own)
        #expect(own.answers.map(\.channel) == [.email] && own.end == .everyoneAnswered)
        #expect(own.answers.first.flatMap(own.words) == "by e-mail, after 5 seconds")
        server.clock.pass(.seconds(5))
        #expect(try await server.network.guestDrills.answerDrill(by: secret)?.state == .answered)
        #expect(try await server.network.drills.drills(of: ada.caller).own == own)
    }

    @Test func removedGuestReadsThatTheDrillNoLongerAsks() async throws {
        let secret = try await startDrill()
        #expect(try await server.send(.email).contains("Mia"))
        let drills = server.network.guestDrills
        #expect(try await !drills.noLongerAsks(by: secret))
        try await server.network.contacts.removeContact(try await mia(), by: ada.caller)
        for _ in 0..<2 {
            #expect(try await drills.answerDrill(by: secret) == nil)
            #expect(try await drills.noLongerAsks(by: secret))
        }
        #expect(try await !drills.noLongerAsks(by: "other"))
        server.clock.pass(.days(1))
        #expect(try await !drills.noLongerAsks(by: secret))
    }

    @Test func unsentMessageProvesNothing() async throws {
        let secret = try await startDrill(in: .sms)
        #expect(try await server.network.guestDrills.answerDrill(by: secret)?.state == .answered)
        #expect(try await proofs().isEmpty)
    }

    @Test func anOldLinkAnswersNothing() async throws {
        let secret = try await startDrill()
        let drill = try #require(try await server.network.drills.drills(of: ada.caller).own)
        _ = try await server.network.drills.stopDrill(drill.id, by: ada.caller)
        #expect(try await server.network.guestDrills.answerDrill(by: secret)?.state == .over)
        server.clock.pass(GuestAlerts.guestLinkLifetime - .milliseconds(1))
        #expect(try await server.network.guestDrills.guestDrill(by: secret)?.state == .over)
        server.clock.pass(.milliseconds(1))
        #expect(try await server.network.guestDrills.guestDrill(by: secret) == nil)
        #expect(try await server.network.guestDrills.answerDrill(by: secret) == nil)
        let own = try await server.network.drills.drills(of: ada.caller).own
        #expect(own?.answers.allSatisfy { $0.answeredAt == nil } == true)
    }

    /// Mia opens the drill's link during Ada's alert.
    @Test(arguments: [true, false])
    func linkLeadsToTheAlert(isAnswered: Bool) async throws {
        let secret = try await startDrill()
        #expect(try await server.send(.email).contains("Mia"))
        let (drills, alerts) = (server.network.guestDrills, server.network.guestAlerts)
        if isAnswered { _ = try await drills.answerDrill(by: secret) }
        server.clock.pass(.seconds(5))
        let alert = try await server.raiseAlert(ada)
        let page = alerts.alertLink(to: try await mia(), try alert.typedID, in: .email)
        let answered = try await drills.answerDrill(by: secret)
        #expect(answered?.name == "Ada" && answered?.state == .alert(.manual, page: page))
        let shown = try await alerts.guestAlert(by: try #require(page.fragment))
        #expect(shown?.name == "Ada" && shown?.isOver == false)
        _ = try await server.endAlert(alert, ada)
        let last = try await drills.guestDrill(by: secret)?.state
        #expect(last == (isAnswered ? .answered : .over))
    }

    @Test func drillLinkAtAFormerAddressIsInvalid() async throws {
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        try await server.confirmMail("ben@example.org", of: ben)
        _ = try await server.network.drills.startDrill(server.environment.id(), by: ada.caller)
        func question() async throws -> DrillQuestion? {
            try await server.engine.read { try $0.drillQuestions(to: ben.id).first }
        }
        let asked = try #require(try await question()?.notificationID)
        let link = server.network.guestDrills.drillLink(to: ben.id, asked, in: .email)
        let secret = try #require(link.fragment)
        #expect(try await server.send(.email).contains("Ben"))
        #expect(try await server.network.guestDrills.guestDrill(by: secret)?.state == .asks)
        server.clock.pass(.minutes(1))
        try await server.confirmMail("ben@example.com", of: ben)
        #expect(try await server.network.guestDrills.guestDrill(by: secret) == nil)
        #expect(try await server.network.guestDrills.answerDrill(by: secret) == nil)
        #expect(try await question()?.answeredAt == nil)
    }

    @Test func linkIsValidForItsPersonAndPageOnly() async throws {
        let secret = try await startDrill()
        let question = try #require(NotificationID(UUID().uuidString))
        let other = server.network.guestDrills.drillLink(to: try await mia(), question, in: .email)
        let stranger = server.network.guestDrills.drillLink(to: ada.id, question, in: .email)
        for wrong in [other.fragment, stranger.fragment, "", "x", secret + "A"] {
            #expect(try await server.network.guestDrills.answerDrill(by: wrong ?? "") == nil)
        }
        #expect(try await server.network.guestAlerts.guestAlert(by: secret) == nil)
        #expect(try await server.network.invitationAnswers.invitation(by: secret) == nil)
    }
}
