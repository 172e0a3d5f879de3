import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A responder may change their answer to an alert twenty times in 24 hours.
@Suite struct ActLimitTests {
    private let server: TestServer
    private let ben: Person
    private let cleo: Person
    private let alert: AlertRecord

    init() async throws {
        server = try TestServer()
        let ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        alert = try await server.raiseAlert(ada)
    }

    private func withdraw() async throws {
        _ = try await server.network.responding.withdrawAcknowledgement(
            of: try alert.typedID, by: ben.caller)
    }

    private func changeTwentyTimes() async throws {
        for _ in 0..<ActRules.limit {
            _ = try await server.acknowledge(alert, ben)
            try await withdraw()
            server.clock.pass(.milliseconds(1))
        }
    }

    private func actions() async throws -> Int {
        try await server.engine.read { try $0.count("SELECT COUNT(*) FROM alert_actions", []) }
    }

    @Test func changesAreLimitedButAcknowledgingIsNot() async throws {
        try await changeTwentyTimes()
        let taken = try await server.acknowledge(alert, ben)
        #expect(taken.acknowledgement?.name == "Ben")
        let wait = await refusal { try await withdraw() }?.retryAfter
        #expect(wait == ActRules.window - .milliseconds(ActRules.limit))
        #expect(try await actions() == 2 * ActRules.limit + 1)
        server.clock.pass(try #require(wait))
        try await withdraw()
    }

    @Test func reportsCountButUndoingOthersDoesNot() async throws {
        try await changeTwentyTimes()
        let (network, id, ben) = (server.network, try alert.typedID, ben.caller)
        let refused = await refusal {
            try await network.responding.report(.withThem, on: id, by: ben)
        }
        #expect(refused?.retryAfter != nil)
        let reported = try await network.responding.report(.foundSafe, on: id, by: cleo.caller)
        #expect(reported.report?.name == "Cleo")
        // Resuming the repeats after another person's report is never limited.
        #expect(try await network.responding.resumeRepeats(of: id, by: ben).report == nil)
    }

    @Test func undoingTheOwnReportCounts() async throws {
        let (network, id) = (server.network, try alert.typedID)
        for _ in 0..<(ActRules.limit / 2) {
            _ = try await network.responding.report(.foundSafe, on: id, by: ben.caller)
            server.clock.pass(.milliseconds(1))
            _ = try await network.responding.resumeRepeats(of: id, by: ben.caller)
            server.clock.pass(.milliseconds(1))
        }
        let refused = await refusal {
            try await network.responding.report(.foundSafe, on: id, by: ben.caller)
        }
        #expect(refused?.retryAfter != nil)
    }

    /// "I can't" stops a responder's SMS and calls even beyond the limit, but isn't recorded then.
    @Test func decliningBeyondTheLimitStillWorks() async throws {
        try await changeTwentyTimes()
        let before = try await actions()
        _ = try await server.network.responding.declineAlert(try alert.typedID, by: ben.caller)
        #expect(try await actions() == before)
    }

    @Test func unacceptedResponderIsLimitedToo() async throws {
        let (dora, emil) = (try await server.person("Dora"), try await server.person("Emil"))
        try await server.ask(emil, toWatchOver: dora)
        let own = try await server.raiseAlert(dora)
        for _ in 0..<ActRules.limit {
            _ = try await server.acknowledge(own, emil)
            _ = try await server.network.responding.withdrawAcknowledgement(
                of: try own.typedID, by: emil.caller)
            server.clock.pass(.milliseconds(1))
        }
        _ = try await server.acknowledge(own, emil)
        let (network, id) = (server.network, try own.typedID)
        let refused = await refusal {
            try await network.responding.withdrawAcknowledgement(of: id, by: emil.caller)
        }
        #expect(refused?.retryAfter != nil)
    }

    /// The history is read once for the event and once for the response, regardless of the number
    /// of responders.
    @Test func actionReadsTheHistoryTwice() async throws {
        for name in ["Dora", "Emil", "Fay"] {
            let owner = try #require(UserID(alert.userId))
            let person = try await server.person(name)
            try await server.engine.write(about: .none) {
                try $0.insertContact(
                    person.id, of: owner,
                    roles: ContactRoles(isResponder: true, isDependent: false))
            }
        }
        let counter = StatementCounter("FROM alert_actions")
        let database = CountingDatabase(engine: server.engine, counter: counter)
        let network = try server.another(on: database)
        _ = try await network.responding.acknowledgeAlert(try alert.typedID, by: ben.caller)
        // The news limit needs one more read of the person's actions.
        #expect(counter.count <= 2 + 2)
    }
}
