import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Answers by SMS of a responder who has changed their answer to an alert too often.
@Suite struct TextLimitTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        let cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        _ = try await server.send(.sms)
    }

    private func text(_ text: String) async throws -> String? {
        try await server.network.textAnswers.receiveText(text, from: ben.number)
    }

    private func alarmWithTwentyChanges() async throws -> AlertRecord {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.send(.sms)
        for _ in 0..<ActRules.limit {
            _ = try await server.acknowledge(alert, ben)
            server.clock.pass(.seconds(1))
            _ = try await server.network.responding.withdrawAcknowledgement(
                of: try alert.typedID, by: ben.caller)
            server.clock.pass(.seconds(1))
        }
        return alert
    }

    /// Ben has changed his answer twenty times, and then let "I'm on it" lapse.
    @Test func refusalBeyondTheLimitIsNotConfirmed() async throws {
        let alert = try await alarmWithTwentyChanges()
        #expect(try await text("2")?.contains("Others are being asked.") == true)
        _ = try await server.acknowledge(alert, ben)
        try await server.pass(.minutes(30))
        try await server.pass(.minutes(5))
        for _ in 0..<2 { #expect(try await text("2") == TextReply.notCounted.text) }
    }

    /// Ben has changed his answer twenty times, and is on it again.
    @Test(arguments: [true, false])
    func withdrawalBeyondTheLimitNeedsTheServersQuestion(isAsked: Bool) async throws {
        let alert = try await alarmWithTwentyChanges()
        _ = try await server.acknowledge(alert, ben)
        try await server.pass(isAsked ? .minutes(30) : .minutes(29))
        let reply = try await text("2")
        #expect(
            isAsked
                ? reply?.contains("you can't help Ada. Others are being asked.") == true
                : reply == TextReply.notCounted.text)
        #expect(try await (server.openAlert(ada)?.acknowledgement == nil) == isAsked)
    }
}
