import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// What counts as another full refusal, and which answers end a refusal.
@Suite struct RefusedAgainTests: WithRefusalScene {
    let scene: RefusalScene

    init() async throws { scene = try await RefusalScene() }

    /// Everyone was alerted again, so they answer again. Both answers are in the history.
    @Test func refusalAfterHalfAnHourIsAnnouncedAgain() async throws {
        let alert = try await alarm()
        for person in [ben, cleo] { try await decline(alert, person) }
        server.clock.pass(.minutes(11))
        try await decline(alert, cleo)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(Escalation.pauseBetweenRefusals)
        try await decline(alert, ben)
        let toOwner = try await server.newsItems(of: ada)
        #expect(toOwner.map(\.title) == [refused])
        #expect(toOwner.first?.body.contains("LifeSignal is alerting them again.") == true)
        for person in [ben, cleo] {
            #expect(try await server.news(of: person) == ["Ada still needs help"])
        }
        try await decline(alert, cleo)
        for person in [ada, ben, cleo] { #expect(try await server.news(of: person) == []) }
        let history = try await server.alert(alert, seenBy: ada).history
        #expect(history.map(\.name) == ["Ben", "Cleo", "Cleo", "Ben", "Cleo"])
        #expect(history.allSatisfy { $0.kind == .declined })
    }

    /// An app, a carrier or a gateway may send an answer twice.
    @Test(arguments: [(599, 2), (601, 3)])
    func refusalSoonAfterIsTheSameAnswer(seconds: Int, answers: Int) async throws {
        let alert = try await alarm()
        for person in [ben, cleo] { try await decline(alert, person) }
        server.clock.pass(.seconds(seconds - 1))
        try await decline(alert, cleo)
        #expect(try await server.alert(alert, seenBy: ada).history.count == answers)
    }

    /// Cleo hasn't answered.
    @Test func secondRefusalOfOnePersonIsTheSameAnswer() async throws {
        let alert = try await alarm()
        for _ in 1...2 { try await decline(alert, ben) }
        #expect(try await server.alert(alert, seenBy: ada).history.map(\.name) == ["Ben"])
        try await decline(alert, cleo)
        #expect(try await server.alert(alert, seenBy: ada).history.map(\.name) == ["Ben", "Cleo"])
    }

    /// Ada's "That is not true" alerts everyone, and so does the end of the report's pause. The
    /// answers from before don't count.
    @Test(arguments: [true, false])
    func endOfTheReportAsksEveryoneAgain(byOwner: Bool) async throws {
        let alert = try await alarm()
        let responding = server.network.responding
        _ = try await responding.report(.foundSafe, on: try alert.typedID, by: cleo.caller)
        server.clock.pass(.seconds(1))
        for person in [cleo, ben] { try await decline(alert, person) }
        #expect(try await server.news(of: ada).last == refused)
        server.clock.pass(.seconds(1))
        if byOwner {
            _ = try await responding.resumeRepeats(of: try alert.typedID, by: ada.caller)
        } else {
            try await server.pass(.hours(12))
            let seenByBen = try await server.alert(alert, seenBy: ben).history
            #expect(seenByBen.map(\.kind) == [.foundSafe, .declined])
            #expect(seenByBen.map(\.name) == ["Cleo", "Cleo"])
        }
        let lifted = try #require(try await server.openAlert(ada))
        #expect(lifted.report == nil && lifted.refusals == nil && lifted.isRefusedByAll == nil)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.seconds(1))
        try await decline(alert, ben)
        #expect(try await server.openAlert(ada)?.refusals?.map(\.name) == ["Ben"])
        #expect(try await server.openAlert(ada)?.isRefusedByAll == nil)
        #expect(try await server.news(of: ada) == [])
        try await decline(alert, cleo)
        let toOwner = try await server.newsItems(of: ada)
        #expect(toOwner.map(\.title) == [refused])
        #expect(toOwner.first?.body.contains("LifeSignal is alerting them again.") == true)
        for person in [ben, cleo] {
            #expect(try await server.news(of: person) == ["Ada still needs help"])
        }
    }

    /// Cleo says "I'm on it" while Ben is on it. That is not news, but she hasn't refused any more.
    @Test func offerBesideAnothersHelpTakesTheRefusalBack() async throws {
        let alert = try await alarm()
        try await decline(alert, cleo)
        _ = try await server.acknowledge(alert, ben)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.seconds(1))
        #expect(try await server.acknowledge(alert, cleo).acknowledgement?.name == "Ben")
        for person in [ada, ben, cleo] { #expect(try await server.news(of: person) == []) }
        server.clock.pass(.seconds(1))
        let network = server.network
        let reply = try await network.textAnswers.receiveText("2", from: ben.number)
        #expect(reply?.contains("you can't help Ada. Others are being asked.") == true)
        let open = try #require(try await server.openAlert(ada))
        #expect(open.refusals?.map(\.name) == ["Ben"] && open.isRefusedByAll == nil)
        #expect(try await !server.news(of: ada).contains(refused))
        let history = try await server.alert(alert, seenBy: ada).history
        #expect(history.map(\.kind) == [.declined, .acknowledged, .withdrew])
        let seenByCleo = try await server.alert(alert, seenBy: cleo).history
        #expect(seenByCleo.map(\.kind) == [.acknowledged, .withdrew])
        let seenByBen = try await server.alert(alert, seenBy: ben).history
        #expect(seenByBen.map(\.kind) == [.declined, .acknowledged, .withdrew])
        server.clock.pass(.seconds(1))
        try await decline(alert, cleo)
        #expect(try await server.news(of: ada) == [refused])
    }
}
