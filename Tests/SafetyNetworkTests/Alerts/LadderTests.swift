import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// An SMS follows after 30 seconds without a reaction, calls after 90 seconds without an
/// acknowledgement.
@Suite struct LadderTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let device: PushEndpointID

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        device = server.environment.id()
        let url = try #require(URL(string: "https://example.org/hook"))
        _ = try await server.network.endpoints.savePushEndpoint(
            device, kind: .webhook, url: url, of: ben.caller)
        for channel in [DeliveryChannel.webhook, .sms] { _ = try await server.send(channel) }
    }

    private func pass(_ duration: Duration) async throws -> [String] {
        try await server.pass(duration)
        return try await server.send(.sms)
    }

    @Test func smsFollowsAfterExactly30Seconds() async throws {
        _ = try await server.raiseAlert(ada)
        #expect(try await server.send(.webhook) == ["Ben"])
        #expect(try await server.send(.sms) == [])
        #expect(try await server.reason(.sms, ben) == "waiting-for-answer")
        #expect(try await pass(.milliseconds(29_999)) == [])
        #expect(try await pass(.milliseconds(1)) == ["Ben"])
        #expect(try await server.reason(.sms, ben) == nil)
    }

    @Test func phoneOnlyResponderIsTextedAtOnce() async throws {
        try await server.network.endpoints.deletePushEndpoint(device, of: ben.caller)
        _ = try await server.raiseAlert(ada)
        #expect(try await server.send(.sms) == ["Ben"])
    }

    @Test func decliningStopsLadderAndCallsNext() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        _ = try await server.send(.sms)
        _ = try await server.network.responding.declineAlert(try alert.typedID, by: ben.caller)
        #expect(try await pass(.seconds(30)) == [])
        #expect(try await server.reason(.sms, ben) == "declined")
        #expect(try await server.reason(.voice, ben) == "declined")
        // Ben declined, so only Cleo is called.
        try await server.pass(.seconds(60))
        #expect(try await server.send(.voice) == ["Cleo"])
    }

    @Test func openingTheAlertStopsTheLadder() async throws {
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(.milliseconds(29_999))
        try await server.network.climbing.markAlertOpened(try alert.typedID, by: ben.caller)
        #expect(try await pass(.minutes(4)) == [])
        #expect(try await server.send(.voice) == [])
        #expect(try await server.reason(.sms, ben) == "opened")
        #expect(try await server.reason(.voice, ben) == "opened")
    }

    @Test func onlyReadingTheNotificationStopsTheLadder() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.network.alerts.alert(try alert.typedID, visibleTo: ben.caller)
        #expect(try await pass(.seconds(30)) == ["Ben"])
        try await server.pass(.minutes(5))
        let news = try await server.network.notifications.notifications(
            of: ben.caller, page: Page())
        try await server.network.notifications.markRead(try #require(news.first).id, of: ben.caller)
        #expect(try await pass(.minutes(4)) == [])
        #expect(try await server.send(.voice) == [])
    }

    @Test(arguments: [false, true])
    func readingAllKeepsTheLadder(opensLater: Bool) async throws {
        let alert = try await server.raiseAlert(ada)
        let notifications = server.network.notifications
        try await notifications.markAllRead(of: ben.caller)
        let news = try await notifications.notifications(of: ben.caller, page: Page())
        #expect(news.allSatisfy { $0.readAt != nil })
        #expect(try await pass(.seconds(30)) == ["Ben"])
        #expect(try await server.reason(.sms, ben) == nil)
        if opensLater {
            try await server.network.climbing.markAlertOpened(try alert.typedID, by: ben.caller)
        }
        try await server.pass(.seconds(60))
        #expect(try await server.send(.voice) == (opensLater ? [] : ["Ben"]))
    }

    @Test func deletingAllKeepsTheLadder() async throws {
        _ = try await server.raiseAlert(ada)
        let notifications = server.network.notifications
        for _ in 0..<2 {
            try await notifications.deleteAllNotifications(of: ben.caller)
            #expect(
                try await notifications.notifications(of: ben.caller, page: Page()).isEmpty)
        }
        #expect(try await server.send(.webhook) == ["Ben"])
        #expect(try await pass(.seconds(30)) == ["Ben"])
        try await notifications.deleteAllNotifications(of: ben.caller)
        try await server.pass(.seconds(60))
        #expect(try await server.send(.voice) == ["Ben"])
    }

    /// "Read all" has read them without an act.
    @Test(arguments: [false, true])
    func readNotificationStopsTheLadderLater(byDeletion: Bool) async throws {
        _ = try await server.raiseAlert(ada)
        let notifications = server.network.notifications
        try await notifications.markAllRead(of: ben.caller)
        let news = try await notifications.notifications(of: ben.caller, page: Page())
        let alarm = try #require(news.first { $0.type == .alert }).id
        if byDeletion {
            try await notifications.deleteNotification(alarm, of: ben.caller)
        } else {
            try await notifications.markRead(alarm, of: ben.caller)
        }
        #expect(try await pass(.seconds(30)) == [])
        try await server.pass(.seconds(60))
        #expect(try await server.send(.voice) == [])
    }

    @Test func readingAnOldAlarmKeepsTheNewLadder() async throws {
        _ = try await server.raiseAlert(ada)
        try await server.pass(.minutes(5))
        let news = try await server.network.notifications.notifications(
            of: ben.caller, page: Page())
        try await server.network.notifications.markRead(try #require(news.last).id, of: ben.caller)
        #expect(try await pass(.seconds(30)) == ["Ben"])
        try await server.pass(.seconds(60))
        #expect(try await server.send(.voice) == ["Ben"])
    }

    @Test func failedSMSBringsTheCallForward() async throws {
        _ = try await server.raiseAlert(ada)
        let webhook = try await server.delivery(.webhook, ben)
        let text = try await server.delivery(.sms, ben)
        #expect(try await pass(.seconds(30)) == ["Ben"])
        try await fail(text)
        #expect(try await pass(.seconds(1)) == [])
        #expect(try await server.send(.voice) == [])
        _ = try await server.send(.webhook)
        try await fail(webhook)
        try await server.pass(.zero)
        #expect(try await server.send(.voice) == ["Ben"])
    }

    private func fail(_ delivery: DeliveryID) async throws {
        try await server.engine.write(about: Subjects([ben.id])) { [ben] in
            _ = try $0.reportDelivery(
                delivery, of: ben.id, attempt: nil,
                ProviderReport(state: .failed, reason: .twilio(30_003)))
        }
    }

    /// A receipt proves that the endpoint works, not that the person has noticed.
    @Test func receiptDoesNotStopTheLadder() async throws {
        _ = try await server.raiseAlert(ada)
        _ = try await server.send(.webhook)
        let id = try await server.delivery(.webhook, ben)
        try await server.engine.write(about: Subjects([ben.id])) { [ben] in
            _ = try $0.reportDelivery(id, of: ben.id, attempt: nil, ProviderReport(state: .seen))
        }
        #expect(try await pass(.seconds(30)) == ["Ben"])
    }

    @Test func answerStopsTheLadder() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, ben)
        // Ada gets the SMS that help is coming.
        #expect(try await pass(.minutes(5)) == ["Ada"])
        #expect(try await server.send(.voice) == [])
        #expect(try await server.reason(.sms, ben) == "answered")
    }

    @Test func strangerCannotMarkAnAlertOpened() async throws {
        let alert = try await server.raiseAlert(ada)
        let eve = try await server.person("Eve")
        await #expect(throws: CommandError.self) {
            try await server.network.climbing.markAlertOpened(try alert.typedID, by: eve.caller)
        }
        try await server.network.climbing.markAlertOpened(try alert.typedID, by: ada.caller)
        #expect(try await pass(.seconds(30)) == ["Ben"])
    }

    @Test func everyRepeatIsAnotherRound() async throws {
        let alert = try await server.raiseAlert(ada)
        try await server.network.climbing.markAlertOpened(try alert.typedID, by: ben.caller)
        try await server.pass(.minutes(5))
        #expect(try await server.send(.webhook).last == "Ben")
        #expect(try await pass(.milliseconds(29_999)) == [])
        #expect(try await pass(.milliseconds(1)) == ["Ben"])
        try await server.pass(.seconds(60))
        #expect(try await server.send(.voice) == ["Ben"])
    }

    @Test func removedEndpointReleasesTheSMS() async throws {
        _ = try await server.raiseAlert(ada)
        try await server.network.endpoints.deletePushEndpoint(device, of: ben.caller)
        #expect(try await server.send(.sms) == ["Ben"])
    }

    @Test func onlyTextedOrCalledRespondersGetTheEnd() async throws {
        let first = try await server.raiseAlert(ada)
        _ = try await server.endAlert(first, ada)
        #expect(try await pass(.minutes(1)) == [])
        let second = try await server.raiseAlert(ada)
        #expect(try await pass(.seconds(30)) == ["Ben"])
        _ = try await server.endAlert(second, ada)
        #expect(try await server.send(.sms) == ["Ben"])
        #expect(try await pass(.minutes(5)) == [])
        #expect(try await server.send(.voice) == [])
    }

    @Test func ownerGetsAFalseAlarmOnEveryChannel() async throws {
        let cleo = try await server.armed("Cleo")
        try await server.connect(ben, watchesOver: cleo)
        let url = try #require(URL(string: "https://example.org/cleo"))
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook, url: url, of: cleo.caller)
        try await server.pass(.hours(24))
        #expect(try await server.send(.sms).contains("Cleo"))
    }
}
