import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// The responders' actions on an alert, and who is told.
@Suite struct RespondingTests {
    private let town: Town
    private let ada: Person
    private let ben: Person
    private let cleo: Person
    private let alert: AlertRecord

    /// Ada has raised an alert, and Ben and Cleo have read that.
    init() async throws {
        town = try Town()
        ada = try await town.person("Ada")
        ben = try await town.person("Ben")
        cleo = try await town.person("Cleo")
        for responder in [ben, cleo] { try await town.connect(responder, watchesOver: ada) }
        alert = try await town.raiseAlert(ada)
        for person in [ada, ben, cleo] { _ = try await town.news(of: person) }
    }

    @Test func withdrawingTellsEveryoneAtOnce() async throws {
        _ = try await town.acknowledge(alert, ben)
        for person in [ada, cleo] { _ = try await town.news(of: person) }
        town.clock.pass(.minutes(2))
        let record = try await town.network.withdrawAcknowledgement(
            of: try alert.typedID, by: ben.caller)
        #expect(record.acknowledgement == nil)
        #expect(try await town.news(of: cleo) == ["Ada still needs help"])
        #expect(try await town.news(of: ada) == ["Ben is no longer on it"])
        // The repeats go on: the next is five minutes after the start.
        try await town.pass(.minutes(3))
        #expect(try await town.news(of: cleo) == ["Ada still needs help"])
        let history = try await town.alert(alert, seenBy: ada).history
        #expect(history.map(\.kind) == [.acknowledged, .withdrew])
    }

    @Test func onlyTheOneWhoIsOnItWithdraws() async throws {
        _ = try await town.acknowledge(alert, ben)
        let record = try await town.network.withdrawAcknowledgement(
            of: try alert.typedID, by: cleo.caller)
        #expect(record.acknowledgement?.name == "Ben")
    }

    @Test(arguments: [
        (AlertReport.withThem, "Ben is with Ada", "Ben says they are with you"),
        (.foundSafe, "Ben found Ada safe", "Ben says you are safe"),
        (
            .emergencyServicesCalled, "Ben called emergency services",
            "Ben called emergency services"
        ),
    ])
    func aReportTellsEveryoneAndPausesTheRepeats(
        report: AlertReport, toOthers: String, toOwner: String
    ) async throws {
        let record = try await town.network.report(report, on: try alert.typedID, by: ben.caller)
        #expect(record.isActive)
        #expect(record.report?.kind == report.action)
        #expect(record.report?.name == "Ben")
        #expect(try await town.news(of: cleo) == [toOthers])
        #expect(try await town.news(of: ada) == [toOwner])
        try await town.pass(.hours(12) - .milliseconds(1))
        #expect(try await town.news(of: cleo) == [])
        try await town.pass(.milliseconds(1))
        #expect(try await town.news(of: cleo) == ["Ada’s alert is still on"])
        #expect(try await town.openAlert(ada)?.report == nil)
        try await town.pass(.hours(1))
        #expect(try await town.news(of: cleo) == ["Ada still needs help"])
    }

    @Test func anyResponderResumesTheRepeats() async throws {
        _ = try await town.network.report(.foundSafe, on: try alert.typedID, by: ben.caller)
        _ = (try await town.news(of: cleo), try await town.news(of: ben))
        let record = try await town.network.resumeRepeats(of: try alert.typedID, by: cleo.caller)
        #expect(record.report == nil)
        #expect(try await town.news(of: ben) == ["Ada may still need help"])
        try await town.pass(.minutes(5))
        #expect(try await town.news(of: ben) == ["Ada still needs help"])
    }

    @Test func theSameReportAgainIsNoNews() async throws {
        for _ in 1...2 {
            _ = try await town.network.report(.withThem, on: try alert.typedID, by: ben.caller)
        }
        #expect(try await town.news(of: cleo) == ["Ben is with Ada"])
    }

    @Test func nobodyActsOnTheirOwnAlertOrAStrangers() async throws {
        let dan = try await town.person("Dan")
        let id = try alert.typedID
        let network = town.network
        #expect(
            await refusal { try await network.report(.foundSafe, on: id, by: ada.caller) }?
                .isPermissionDenied == true)
        #expect(
            await refusal { try await network.report(.foundSafe, on: id, by: dan.caller) }?
                .isNotFound == true)
        #expect(
            await refusal { try await network.resumeRepeats(of: id, by: dan.caller) }?
                .isNotFound == true)
        #expect(
            await refusal { try await network.withdrawAcknowledgement(of: id, by: dan.caller) }?
                .isNotFound == true)
    }

    @Test func theOwnerLearnsAfterFifteenMinutesThatNobodyHasTakenItOn() async throws {
        try await town.pass(.minutes(15) - .milliseconds(1))
        #expect(try await town.news(of: ada) == [])
        try await town.pass(.milliseconds(1))
        #expect(try await town.news(of: ada) == ["No one has answered yet"])
        try await town.pass(.hours(1))
        #expect(try await town.news(of: ada) == [])
    }

    @Test func anOwnerWithoutRespondersGetsTheRepeats() async throws {
        let dan = try await town.person("Dan")
        try await town.raiseAlert(dan)
        #expect(try await town.news(of: dan) == ["No one was told"])
        try await town.pass(.minutes(5))
        #expect(try await town.news(of: dan) == ["Your alert is still on"])
        try await town.pass(.days(3))
        #expect(try await town.news(of: dan) == ["Your alert is still on"])
    }

    @Test func aSecondAcknowledgementByTheSamePersonShowsItsOwnTime() async throws {
        _ = try await town.acknowledge(alert, ben)
        try await town.pass(.minutes(30))
        try await town.pass(.minutes(5))
        #expect(try await town.openAlert(ada)?.acknowledgement == nil)
        town.clock.pass(.minutes(1))
        let again = try await town.acknowledge(alert, ben)
        #expect(again.acknowledgement?.time == town.clock.now)
        let history = try await town.alert(alert, seenBy: ada).history
        #expect(history.map(\.kind) == [.acknowledged, .lapsed, .acknowledged])
    }

    @Test func respondersKnowEachOtherByNameAlone() async throws {
        _ = try await town.acknowledge(alert, ben)
        let seenByCleo = try #require(try await town.openAlert(cleo)?.acknowledgement)
        #expect(seenByCleo.name == "Ben")
        #expect(seenByCleo.responderId != ben.id.description)
        #expect(try await town.openAlert(ben)?.acknowledgement?.responderId == ben.id.description)
        #expect(try await town.openAlert(ada)?.acknowledgement?.responderId == ben.id.description)

        let ledger = try await town.alert(alert, seenBy: cleo).ledger
        #expect(Set(ledger.map(\.recipientId)) == [cleo.id.description])
        #expect(try await town.alert(alert, seenBy: ada).ledger.contains { $0.name == "Ben" })
        // The event stream says no more than the record does.
        let alerts = try await town.events(of: cleo).compactMap { event -> AlertRecord? in
            if case .alert(let record) = event { record } else { nil }
        }
        #expect(alerts.last?.acknowledgement?.responderId == seenByCleo.responderId)
    }

    @Test func aNewResponderSeesNoOldAlerts() async throws {
        _ = try await town.endAlert(alert, ada)
        town.clock.pass(.minutes(1))
        let dan = try await town.person("Dan")
        try await town.connect(dan, watchesOver: ada)
        #expect(try await town.alerts(dan) == [])
        let id = try alert.typedID
        #expect(
            await refusal { try await town.network.alert(id, visibleTo: dan.caller) }?
                .isNotFound == true)
        #expect(try await town.alerts(ben).count == 1)
        let next = try await town.raiseAlert(ada)
        #expect(try await town.alerts(dan).map(\.id) == [next.id])
    }
}
