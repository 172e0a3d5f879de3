import Domain
import Testing

@testable import SafetyNetwork

/// Ben has sent STOP before Ada's alert, so no SMS tells him of it before START.
@Suite struct TextStartTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        _ = try await text("STOP")
        _ = try await server.send(.sms)
    }

    private func text(_ text: String) async throws -> String? {
        try await server.network.textAnswers.receiveText(text, from: ben.number)
    }

    private func textsToBen() async throws -> Int {
        try await server.send(.sms).count { $0 == "Ben" }
    }

    @Test func startDuringAnAlertAlarms() async throws {
        let alert = try await server.raiseAlert(ada)
        #expect(try await textsToBen() == 0)
        server.clock.pass(.seconds(30))
        #expect(try await text("START") == TextReply.started.text)
        #expect(try await textsToBen() == 1)
        #expect(try await text("1") == TextReply.isYours(name: "Ada").text)
        #expect(try await server.alert(alert, seenBy: ada).acknowledgement?.name == "Ben")
        // Only the first START ends a STOP.
        #expect(try await text("START") == nil)
        #expect(try await textsToBen() == 0)
    }

    /// Cleo has refused, and no message reaches Ben until START.
    @Test func startEndsAFullRefusal() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.network.responding.declineAlert(try alert.typedID, by: cleo.caller)
        #expect(try await server.openAlert(ada)?.isRefusedByAll == true)
        server.clock.pass(.seconds(1))
        #expect(try await text("START") == TextReply.started.text)
        #expect(try await server.openAlert(ada)?.isRefusedByAll == nil)
        for person in [ada, cleo] {
            let shown = try await server.events(of: person).compactMap { event -> AlertRecord? in
                if case .alert(let record) = event { record } else { nil }
            }
            #expect(try #require(shown.last).isRefusedByAll == nil)
        }
    }

    /// A forged STOP and START cost one SMS for each alert.
    @Test func furtherStartsDontAlarmAgain() async throws {
        _ = try await server.raiseAlert(ada)
        for texts in [1, 0, 0] {
            server.clock.pass(.seconds(10))
            #expect(try await text("START") == TextReply.started.text)
            #expect(try await textsToBen() == texts)
            #expect(try await text("STOP") == nil)
        }
    }

    private func told(_ ended: [String], stillOn: [String] = []) -> String {
        TextReply.startedAfter(ended: ended, stillOn: stillOn).text
    }

    /// Ben gets an SMS about an alert of Ada and sends STOP, and the alert ends.
    private func endAfterStop() async throws {
        #expect(try await text("START") == TextReply.started.text)
        let alert = try await server.raiseAlert(ada)
        #expect(try await textsToBen() == 1)
        server.clock.pass(.seconds(10))
        #expect(try await text("STOP") == nil)
        server.clock.pass(.seconds(10))
        _ = try await server.endAlert(alert, ada)
    }

    @Test func startTellsOnceOfAnEndSinceTheStop() async throws {
        try await endAfterStop()
        #expect(try await textsToBen() == 0)
        server.clock.pass(.seconds(10))
        #expect(try await text("START") == told(["Ada"]))
        server.clock.pass(.seconds(10))
        #expect(try await text("STOP") == nil)
        #expect(try await text("START") == TextReply.started.text)
        #expect(try await textsToBen() == 0)
    }

    /// Ada raises another alert after the end, and Ben gets an SMS about it.
    @Test func startNamesTheEndBesideAnotherAlert() async throws {
        try await endAfterStop()
        server.clock.pass(.seconds(10))
        _ = try await server.raiseAlert(ada)
        #expect(try await text("START") == told([], stillOn: ["Ada"]))
        #expect(try await textsToBen() == 1)
    }

    @Test(arguments: ["before the STOP", "two days ago"])
    func startOmitsOtherEnds(time: String) async throws {
        #expect(try await text("START") == TextReply.started.text)
        let alert = try await server.raiseAlert(ada)
        #expect(try await textsToBen() == 1)
        server.clock.pass(.seconds(10))
        if time == "before the STOP" { _ = try await server.endAlert(alert, ada) }
        _ = try await server.send(.sms)
        server.clock.pass(.seconds(10))
        #expect(try await text("STOP") == nil)
        if time == "two days ago" {
            _ = try await server.endAlert(alert, ada)
            server.clock.pass(.days(2))
        }
        #expect(try await text("START") == TextReply.started.text)
    }

    @Test func startSkipsAnAlertThatAnSMSWasAbout() async throws {
        #expect(try await text("START") == TextReply.started.text)
        _ = try await server.send(.sms)
        _ = try await server.raiseAlert(ada)
        #expect(try await textsToBen() == 1)
        server.clock.pass(.seconds(10))
        #expect(try await text("STOP") == nil)
        #expect(try await text("START") == TextReply.started.text)
        #expect(try await textsToBen() == 0)
    }

    @Test(arguments: ["taken on", "refused", "ended"])
    func startSkipsAnsweredAndEndedAlerts(state: String) async throws {
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(.seconds(30))
        switch state {
        case "taken on": _ = try await server.acknowledge(alert, cleo)
        case "refused":
            _ = try await server.network.responding.declineAlert(
                try alert.typedID, by: ben.caller)
        default: _ = try await server.endAlert(alert, ada)
        }
        _ = try await server.send(.sms)
        #expect(try await text("START") == TextReply.started.text)
        #expect(try await textsToBen() == 0)
    }
}
