import Domain
import Features
import Foundation
import TestApp
import Testing

@Suite(.timeLimit(.minutes(5))) struct PingStoryTests {
    private func ping(_ ana: UserID, by responder: TestUser) async throws {
        await responder.send(tabs: .dependents(.ping(.pingDependent(ana))))
        try await responder.contact("Ana", "who was asked", isAs: { $0.pingedAt != nil })
    }

    @Test func pingIsAnsweredByAna() async throws {
        let both = try await AnaAndBen()
        try await ping(both.ana.id, by: both.ben)
        let seen = try await both.ana.contact("Ben", "who asks", isAs: \.hasPendingPing)
        try await both.ana.tabs("a badge", that: { $0.badge(of: .responders) == 1 })
        #expect(try await both.ana.notification("Ben").aboutUserID == both.ben.id)

        await both.ana.send(tabs: .responders(.selectContact(seen)))
        await both.ana.send(tabs: .responders(.contactDetails(.respondToPingButtonTapped)))
        try await both.ana.tabs("no badge", that: { $0.badge(of: .responders) == 0 })
        try await both.ben.contact("Ana", "who has answered", isAs: { $0.pingedAt == nil })
        try await both.ben.tabs("the answer in the history") {
            $0.dependents.ping.pingHistory.first { $0.state == .answered }
        }
    }

    @Test func oneTapAnswersAllPings() async throws {
        let both = try await AnaAndBen()
        let cy = try await both.third()
        for user in [both.ben, cy] { try await ping(both.ana.id, by: user) }
        try await both.ana.tabs(
            "two who ask",
            that: { $0.badge(of: .responders) == 2 && $0.responders.ping.pendingPings.count == 2 })
        await both.ana.send(tabs: .responders(.ping(.respondToAllPings)))
        try await both.ana.tabs(
            "nobody who asks",
            that: { $0.badge(of: .responders) == 0 && $0.responders.ping.pendingPings.isEmpty })
        for user in [both.ben, cy] {
            try await user.contact("Ana", "who has answered", isAs: { $0.pingedAt == nil })
        }
    }

    @Test func pingIsClearedByBen() async throws {
        let both = try await AnaAndBen()
        try await ping(both.ana.id, by: both.ben)
        try await both.ana.contact("Ben", "who asks", isAs: \.hasPendingPing)
        await both.ben.send(tabs: .dependents(.ping(.clearPing(try await both.ana.id))))
        try await both.ben.contact("Ana", "who is not asked", isAs: { $0.pingedAt == nil })
        try await both.ana.contact("Ben", "who does not ask", isAs: { !$0.hasPendingPing })
        try await both.ana.tabs("it as cleared") {
            $0.responders.ping.pingHistory.first { $0.state == .cleared }
        }
    }

    @Test func checkInAnswersAPing() async throws {
        let both = try await AnaAndBen()
        try await ping(both.ana.id, by: both.ben)
        try await both.ana.contact("Ben", "who asks", isAs: \.hasPendingPing)
        both.app.time.pass(.minutes(1))
        await both.ana.send(tabs: .home(.checkIn(.checkInButtonTapped)))
        try await both.ben.contact("Ana", "who has answered", isAs: { $0.pingedAt == nil })
        try await both.ana.contact("Ben", "who does not ask", isAs: { !$0.hasPendingPing })
    }

    @Test func onlyResponderCanPing() async throws {
        let both = try await AnaAndBen()
        await both.ana.send(tabs: .responders(.ping(.pingDependent(try await both.ben.id))))
        try await both.ana.tabs(
            "why not", that: { $0.responders.error?.code == "permission-denied" })
        try await both.ben.tabs(
            "no ping",
            that: { $0.badge(of: .responders) == 0 && $0.responders.ping.pendingPings.isEmpty })
    }
}
