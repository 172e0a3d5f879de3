import Domain
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct ProviderReportTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer(
            hasBystanders: false, options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
    }

    /// Returns the SMS of an alarm to Ben, which the provider has accepted.
    private func alarm() async throws -> DeliveryID {
        _ = try await server.raiseAlert(ada)
        #expect(try await server.send(.sms) == ["Ben"])
        return try await server.delivery(.sms, ben)
    }

    private func enter(
        _ report: ProviderReport, about text: DeliveryID, attempt: Int = 1
    ) async throws -> Bool {
        let origin = DeliveryOrigin(user: ben.id, delivery: text, attempt: attempt)
        return try await server.network.providerReports.enter(report, about: .delivery(origin))
    }

    private func hasStopped() async throws -> Bool {
        try await server.contact(ben, seenBy: ada)?.reachability?.hasStoppedTexts == true
    }

    @Test func failureCountsOnceForItsAttempt() async throws {
        let text = try await alarm()
        let report = ProviderReport(state: .failed, reason: .twilio(30_003))
        #expect(try await !enter(report, about: text, attempt: 2))
        #expect(try await enter(report, about: text))
        #expect(try await !enter(report, about: text))
        #expect(try await !hasStopped())
    }

    @Test func reportedStopEndsTexts() async throws {
        let text = try await alarm()
        #expect(try await !hasStopped())
        _ = try await enter(
            ProviderReport(state: .failed, reason: .twilio(21_610)), about: text)
        #expect(try await hasStopped())
    }

    @Test func reportWithoutAnOriginFindsTheMessage() async throws {
        let text = try await alarm()
        let seen = ProviderReport(state: .seen, providerID: "SM1")
        #expect(try await !server.network.providerReports.enter(seen, about: nil))
        let failed = ProviderReport(
            state: .failed, reason: .twilio(30_003), providerID: "SM1")
        #expect(try await enter(failed, about: text))
        #expect(try await server.network.providerReports.enter(seen, about: nil))
    }

    @Test func onlyAFailedInvitationIsForgotten() async throws {
        _ = try await server.network.invitations.invite(
            "Mia", .number(try PhoneNumber("+442071838750")), by: ada.caller)
        let message = try #require(try await sentInvitations().first)
        for (state, count) in [(DeliveryState.seen, 1), (.failed, 0)] {
            let isNew = try await server.network.providerReports.enter(
                ProviderReport(state: state), about: .invitation(message))
            #expect(!isNew)
            #expect(try await sentInvitations().count == count)
        }
    }

    private func sentInvitations() async throws -> [InvitationMessageID] {
        try await server.engine.read { connection in
            try connection.query(
                "SELECT id FROM invitation_messages WHERE was_sent = 1", []
            ) { try $0["id"] as InvitationMessageID }
        }
    }
}
