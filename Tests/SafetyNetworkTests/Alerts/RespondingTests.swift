import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct RespondingTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person
    private let alert: AlertRecord

    /// Ada has raised an alert, and Ben and Cleo have read about it.
    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        alert = try await server.raiseAlert(ada)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
    }

    @Test func withdrawingTellsEveryoneAtOnce() async throws {
        _ = try await server.acknowledge(alert, ben)
        for person in [ada, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.minutes(2))
        let record = try await server.network.responding.withdrawAcknowledgement(
            of: try alert.typedID, by: ben.caller)
        #expect(record.acknowledgement == nil)
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
        #expect(try await server.news(of: ada) == ["Ben is no longer on it"])
        // The repeats resume. The next one is due five minutes after the alert's start.
        try await server.pass(.minutes(3))
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
        let history = try await server.alert(alert, seenBy: ada).history
        #expect(history.map(\.kind) == [.acknowledged, .withdrew])
    }

    /// Ben is on it and says "I can't", and Cleo's report still pauses the repeats.
    @Test(arguments: [true, false])
    func withdrawingKeepsAnothersReport(isRefusal: Bool) async throws {
        let (responding, id) = (server.network.responding, try alert.typedID)
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.minutes(1))
        _ = try await responding.report(.withThem, on: id, by: cleo.caller)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.minutes(1))
        let record =
            try await isRefusal
            ? responding.declineAlert(id, by: ben.caller)
            : responding.withdrawAcknowledgement(of: id, by: ben.caller)
        #expect(record.acknowledgement == nil && record.report?.name == "Cleo")
        let toOwner = try await server.newsItems(of: ada)
        #expect(toOwner.map(\.title) == ["Cleo says they are with you"])
        #expect(toOwner.first?.body.hasPrefix("Ben is no longer on it. No one is") == true)
        #expect(try await server.news(of: cleo) == ["Cleo says they are with Ada"])
        try await server.pass(.hours(12) - .minutes(1) - .milliseconds(1))
        #expect(try await server.news(of: cleo) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.news(of: cleo) == ["Ada’s alert is still on"])
        #expect(try await server.openAlert(ada)?.report == nil)
    }

    @Test func withdrawingEndsTheOwnReport() async throws {
        let (responding, id) = (server.network.responding, try alert.typedID)
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.minutes(1))
        _ = try await responding.report(.withThem, on: id, by: ben.caller)
        for person in [ada, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.minutes(1))
        let record = try await responding.withdrawAcknowledgement(of: id, by: ben.caller)
        #expect(record.acknowledgement == nil && record.report == nil)
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
        #expect(try await server.news(of: ada) == ["Ben is no longer on it"])
    }

    @Test func endedAlertShowsTheFirstAcknowledgement() async throws {
        for person in [ben, cleo] {
            server.clock.pass(.minutes(1))
            _ = try await server.acknowledge(alert, person)
            server.clock.pass(.seconds(1))
            _ = try await server.network.responding.withdrawAcknowledgement(
                of: try alert.typedID, by: person.caller)
        }
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
        let first = try await server.endAlert(alert, ada).acknowledgement
        #expect(first?.name == "Ben" && first?.afterSeconds == 60 && first?.end == .withdrew)
    }

    /// Lists come without a history.
    @Test(
        arguments: [
            ([], nil), ([.withdrew], .withdrew), ([.withdrew, .acknowledged], nil),
            ([.withThem, .resumed], .released), ([.withThem, .withdrew], .withdrew),
        ] as [([AlertAction.Kind], AlertRecord.Acknowledgement.End?)])
    func endedAlertSaysHowItsAcknowledgementEnded(
        acts: [AlertAction.Kind], end: AlertRecord.Acknowledgement.End?
    ) async throws {
        let (responding, id) = (server.network.responding, try alert.typedID)
        for act in [.acknowledged] + acts {
            server.clock.pass(.seconds(1))
            switch act {
            case .acknowledged: _ = try await server.acknowledge(alert, ben)
            case .withThem: _ = try await responding.report(.withThem, on: id, by: ben.caller)
            case .resumed: _ = try await responding.resumeRepeats(of: id, by: ada.caller)
            default: _ = try await responding.withdrawAcknowledgement(of: id, by: ben.caller)
            }
        }
        server.clock.pass(.seconds(1))
        let ended = try await server.endAlert(alert, ada)
        #expect(ended.acknowledgement?.name == "Ben" && ended.acknowledgement?.end == end)
        for viewer in [ada, ben, cleo] {
            let whole = try await server.alert(alert, seenBy: viewer)
            #expect(whole.acknowledgementEnd == end)
        }
    }

    @Test func refusalIsRecordedOnce() async throws {
        let (network, id) = (server.network, try alert.typedID)
        for _ in 0..<2 { _ = try await network.responding.declineAlert(id, by: ben.caller) }
        let declined = try await server.alert(alert, seenBy: cleo)
        #expect(declined.history.map(\.kind) == [.declined] && declined.acknowledgement == nil)
        #expect(declined.history.first?.name == "Ben" && declined.history.first?.channel == nil)
        #expect(try await server.news(of: ada).isEmpty)
        // A responder may first acknowledge and then decline.
        server.clock.pass(.seconds(1))
        #expect(try await server.acknowledge(alert, ben).acknowledgement?.name == "Ben")
        server.clock.pass(.seconds(1))
        #expect(
            try await network.responding.declineAlert(id, by: ben.caller).acknowledgement == nil)
        #expect(try await server.news(of: ada) == ["Ben is on it", "Ben is no longer on it"])
        let refused = await refusal {
            try await network.responding.declineAlert(id, by: ada.caller)
        }
        #expect(refused?.isPermissionDenied == true)
        _ = try await server.endAlert(alert, ada)
        #expect(try await !network.responding.declineAlert(id, by: cleo.caller).isActive)
    }

    @Test func onlyTheHelperWithdraws() async throws {
        _ = try await server.acknowledge(alert, ben)
        let record = try await server.network.responding.withdrawAcknowledgement(
            of: try alert.typedID, by: cleo.caller)
        #expect(record.acknowledgement?.name == "Ben")
    }

    @Test(arguments: [
        (AlertReport.withThem, "Ben says they are with Ada", "Ben says they are with you"),
        (.foundSafe, "Ben reports that Ada is safe", "Ben reports that you are safe"),
        (
            .emergencyServicesCalled, "Ben reports that emergency services were called",
            "Ben reports that emergency services were called"
        ),
    ])
    func aReportTellsEveryoneAndPausesTheRepeats(
        report: AlertReport, toOthers: String, toOwner: String
    ) async throws {
        let record = try await server.network.responding.report(
            report, on: try alert.typedID, by: ben.caller)
        #expect(record.isActive)
        #expect(record.report?.kind == report.action)
        #expect(record.report?.name == "Ben")
        #expect(try await server.news(of: cleo) == [toOthers])
        #expect(try await server.news(of: ada) == [toOwner])
        try await server.pass(.hours(12) - .milliseconds(1))
        #expect(try await server.news(of: cleo) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.news(of: cleo) == ["Ada’s alert is still on"])
        #expect(try await server.news(of: ada) == ["Your alert is still on"])
        #expect(try await server.openAlert(ada)?.report == nil)
        try await server.pass(.hours(1))
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
    }

    /// Cleo has reported, and Ben takes the alert on ten minutes before the pause ends. Dan hasn't
    /// accepted yet.
    @Test func endOfThePauseKeepsAFreshAcknowledgement() async throws {
        let dan = try await server.person("Dan")
        try await server.ask(dan, toWatchOver: ada)
        _ = try await server.network.responding.report(
            .emergencyServicesCalled, on: try alert.typedID, by: cleo.caller)
        try await server.pass(.hours(12) - .minutes(10))
        _ = try await server.acknowledge(alert, ben)
        for person in [ada, ben, cleo, dan] { _ = try await server.news(of: person) }
        try await server.pass(.minutes(10).minusAMillisecond)
        #expect(try await server.openAlert(ada)?.report?.name == "Cleo")
        try await server.pass(.milliseconds(1))
        let open = try #require(try await server.openAlert(ada))
        #expect(open.report == nil && open.acknowledgement?.name == "Ben")
        let body = "What Cleo reported no longer counts, because 12 hours have passed."
        for person in [ada, cleo] {
            let items = try await server.newsItems(of: person)
            #expect(items.map(\.title) == ["Ben is on it"] && items.map(\.body) == [body])
        }
        let toDan = try await server.newsItems(of: dan)
        #expect(toDan.map(\.title) == ["Ben is still on it"])
        #expect(toDan.map(\.body) == ["Ben is still helping Ada."])
        try await server.pass(.minutes(20).minusAMillisecond)
        #expect(try await server.news(of: ben) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.news(of: ben) == ["Are you still helping Ada?"])
        try await server.pass(.minutes(5))
        for person in [ben, cleo, dan] {
            #expect(try await server.news(of: person) == ["Ada may still need help"])
        }
    }

    /// Ben has taken the alert on before the report, which is his own or Cleo's.
    @Test(arguments: [true, false])
    func endOfThePauseAsksAboutAnOldAcknowledgement(isOwnReport: Bool) async throws {
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.minutes(1))
        _ = try await server.network.responding.report(
            .withThem, on: try alert.typedID, by: (isOwnReport ? ben : cleo).caller)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        try await server.pass(.hours(12))
        let open = try #require(try await server.openAlert(ada))
        #expect(open.report == nil && open.acknowledgement?.name == "Ben")
        #expect(try await server.news(of: ben) == ["Are you still helping Ada?"])
        for person in [ada, cleo] {
            #expect(try await server.news(of: person) == ["Ben is on it"])
        }
        try await server.pass(.minutes(5).minusAMillisecond)
        #expect(try await server.news(of: cleo) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.news(of: cleo) == ["Ada may still need help"])
        #expect(try await server.news(of: ada) == ["Ben has not confirmed"])
    }

    @Test func anyResponderResumesTheRepeats() async throws {
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: ben.caller)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        let record = try await server.network.responding.resumeRepeats(
            of: try alert.typedID, by: cleo.caller)
        #expect(record.report == nil)
        let toOwner = try await server.newsItems(of: ada)
        #expect(toOwner.map(\.title) == ["Your alert is still on"])
        #expect(toOwner.first?.body.contains("Cleo asked") == true)
        #expect(try await server.news(of: ben) == ["Ada may still need help"])
        try await server.pass(.minutes(5))
        #expect(try await server.news(of: ben) == ["Ada still needs help"])
    }

    @Test func theOwnerContradictsAReport() async throws {
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: ben.caller)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.hours(1))
        let record = try await server.network.responding.resumeRepeats(
            of: try alert.typedID, by: ada.caller)
        #expect(record.report == nil && record.isActive)
        for responder in [ben, cleo] {
            let items = try await server.newsItems(of: responder)
            #expect(items.map(\.title) == ["Ada still needs help"])
            #expect(
                items.first?.body.contains("what Ben reported is not true") == true
                    && items.first?.body.contains("911") == true)
        }
        #expect(try await server.news(of: ada) == [])
        try await server.pass(.hours(1))
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
        let history = try await server.alert(alert, seenBy: cleo).history
        #expect(history.map(\.kind) == [.foundSafe, .resumed])
        #expect(history.last?.name == "Ada")
    }

    /// Cleo is on it. Ada contradicts Ben's report, or Ben lifts it. Dan hasn't accepted yet.
    @Test(arguments: [true, false])
    func liftedReportKeepsAnothersHelp(isByOwner: Bool) async throws {
        let dan = try await server.person("Dan")
        try await server.ask(dan, toWatchOver: ada)
        _ = try await server.acknowledge(alert, cleo)
        server.clock.pass(.minutes(1))
        let (responding, id) = (server.network.responding, try alert.typedID)
        _ = try await responding.report(.foundSafe, on: id, by: ben.caller)
        for person in [ada, ben, cleo, dan] { _ = try await server.news(of: person) }
        server.clock.pass(.minutes(1))
        let actor = isByOwner ? ada : ben
        let record = try await responding.resumeRepeats(of: id, by: actor.caller)
        #expect(record.report == nil && record.acknowledgement?.name == "Cleo")
        #expect(try await server.news(of: actor) == [])
        for (person, title) in [
            (isByOwner ? ben : ada, "Cleo is on it"), (cleo, "You are still helping Ada"),
        ] {
            let items = try await server.newsItems(of: person)
            #expect(items.map(\.title) == [title])
            #expect(items.map(\.body) == ["What Ben reported no longer counts."])
        }
        #expect(try await server.news(of: dan) == ["Cleo is still on it"])
        try await server.pass(.minutes(28).minusAMillisecond)
        #expect(try await server.news(of: cleo) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.news(of: cleo) == ["Are you still helping Ada?"])
        try await server.pass(.minutes(5))
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
    }

    /// Cleo is on it and lifts Ben's report herself.
    @Test func helperIsNotToldOfTheirOwnLifting() async throws {
        _ = try await server.acknowledge(alert, cleo)
        server.clock.pass(.minutes(1))
        let (responding, id) = (server.network.responding, try alert.typedID)
        _ = try await responding.report(.foundSafe, on: id, by: ben.caller)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.minutes(1))
        _ = try await responding.resumeRepeats(of: id, by: cleo.caller)
        #expect(try await server.news(of: cleo) == [])
        for person in [ada, ben] {
            #expect(try await server.news(of: person) == ["Cleo is on it"])
        }
    }

    /// Ben's own "I'm on it" ends with his report.
    @Test func contradictionEndsTheReportersHelp() async throws {
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.minutes(1))
        let (responding, id) = (server.network.responding, try alert.typedID)
        _ = try await responding.report(.foundSafe, on: id, by: ben.caller)
        _ = try await server.news(of: cleo)
        server.clock.pass(.minutes(1))
        let record = try await responding.resumeRepeats(of: id, by: ada.caller)
        #expect(record.report == nil && record.acknowledgement == nil)
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
    }

    @Test func resumingWithoutAReportChangesNothing() async throws {
        _ = try await server.acknowledge(alert, ben)
        _ = try await server.news(of: cleo)
        let record = try await server.network.responding.resumeRepeats(
            of: try alert.typedID, by: ada.caller)
        #expect(record.acknowledgement?.name == "Ben")
        #expect(try await server.news(of: cleo) == [])
        _ = try await server.endAlert(alert, ada)
        let ended = try await server.network.responding.resumeRepeats(
            of: try alert.typedID, by: ada.caller)
        #expect(!ended.isActive)
    }

    @Test func ownerContradictsAReportOnAMissedCheckIn() async throws {
        let dora = try await server.armed("Dora")
        try await server.connect(ben, watchesOver: dora)
        try await server.pass(.hours(24))
        let missed = try #require(try await server.openAlert(dora))
        #expect(missed.kind == .missedCheckIn)
        _ = try await server.network.responding.report(
            .withThem, on: try missed.typedID, by: ben.caller)
        _ = try await server.news(of: ben)
        _ = try await server.network.responding.resumeRepeats(
            of: try missed.typedID, by: dora.caller)
        #expect(try await server.openAlert(dora)?.report == nil)
        #expect(try await server.news(of: ben) == ["Dora still needs help"])
    }

    @Test func repeatedReportIsNoNews() async throws {
        for _ in 1...2 {
            _ = try await server.network.responding.report(
                .withThem, on: try alert.typedID, by: ben.caller)
        }
        #expect(try await server.news(of: cleo) == ["Ben says they are with Ada"])
    }

    @Test func ownAndStrangersAlertsRefuseActions() async throws {
        let dan = try await server.person("Dan")
        let id = try alert.typedID
        let network = server.network
        #expect(
            await refusal {
                try await network.responding.report(.foundSafe, on: id, by: ada.caller)
            }?
            .isPermissionDenied == true)
        #expect(
            await refusal {
                try await network.responding.report(.foundSafe, on: id, by: dan.caller)
            }?
            .isNotFound == true)
        #expect(
            await refusal { try await network.responding.resumeRepeats(of: id, by: dan.caller) }?
                .isNotFound == true)
        #expect(
            await refusal {
                try await network.responding.withdrawAcknowledgement(of: id, by: dan.caller)
            }?
            .isNotFound == true)
    }

    @Test func ownerIsToldAfter15MinutesWithoutAnswer() async throws {
        try await server.pass(.minutes(15) - .milliseconds(1))
        #expect(try await server.news(of: ada) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.news(of: ada) == ["No one is on it yet"])
        try await server.pass(.hours(1))
        #expect(try await server.news(of: ada) == [])
    }

    @Test func anOwnerWithoutRespondersGetsTheRepeats() async throws {
        let dan = try await server.person("Dan")
        try await server.raiseAlert(dan)
        #expect(try await server.news(of: dan) == ["No one was told"])
        try await server.pass(.minutes(5))
        #expect(try await server.news(of: dan) == ["Your alert is still on"])
        try await server.pass(.days(3))
        #expect(try await server.news(of: dan) == ["Your alert is still on"])
    }

    @Test func secondAcknowledgementShowsItsOwnTime() async throws {
        _ = try await server.acknowledge(alert, ben)
        try await server.pass(.minutes(30))
        try await server.pass(.minutes(5))
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
        server.clock.pass(.minutes(1))
        let again = try await server.acknowledge(alert, ben)
        #expect(again.acknowledgement?.time == server.clock.now)
        let history = try await server.alert(alert, seenBy: ada).history
        #expect(history.map(\.kind) == [.acknowledged, .lapsed, .acknowledged])
    }

    /// The connection to the database is lost during each commit.
    @Test func answersOutliveALostConnection() async throws {
        let database = AnswerLosingDatabase(server.engine)
        let responding = try server.another(on: database).responding
        let id = try alert.typedID
        database.loseAnswer()
        let acknowledged = try await responding.acknowledgeAlert(id, by: ben.caller)
        #expect(acknowledged.acknowledgement?.name == "Ben")
        server.clock.pass(.seconds(1))
        database.loseAnswer()
        let reported = try await responding.report(.withThem, on: id, by: ben.caller)
        #expect(reported.report?.name == "Ben")
        server.clock.pass(.seconds(1))
        database.loseAnswer()
        #expect(try await responding.resumeRepeats(of: id, by: cleo.caller).report == nil)
        let history = try await server.alert(alert, seenBy: ada).history
        #expect(history.map(\.kind) == [.acknowledged, .withThem, .resumed])
        let news = try await server.news(of: ada)
        #expect(!news.isEmpty && Set(news).count == news.count)
    }

    /// A second run of a refusal would record it twice: as a withdrawal and as a refusal.
    @Test func refusalFailsWithALostConnection() async throws {
        let database = AnswerLosingDatabase(server.engine)
        let responding = try server.another(on: database).responding
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.seconds(1))
        database.loseAnswer()
        await #expect(throws: (any Error).self) {
            try await responding.declineAlert(try alert.typedID, by: ben.caller)
        }
        let history = try await server.alert(alert, seenBy: ada).history
        #expect(history.map(\.kind) == [.acknowledged, .withdrew])
    }

    @Test func respondersKnowEachOtherByNameAlone() async throws {
        _ = try await server.acknowledge(alert, ben)
        let seenByCleo = try #require(try await server.openAlert(cleo)?.acknowledgement)
        #expect(seenByCleo.name == "Ben")
        #expect(seenByCleo.responderId != ben.id.description)
        #expect(try await server.openAlert(ben)?.acknowledgement?.responderId == ben.id.description)
        #expect(try await server.openAlert(ada)?.acknowledgement?.responderId == ben.id.description)

        let ledger = try await server.alert(alert, seenBy: cleo).ledger
        #expect(Set(ledger.map(\.recipientId)) == [cleo.id.description])
        #expect(try await server.alert(alert, seenBy: ada).ledger.contains { $0.name == "Ben" })
        // The event stream shows no more than the record.
        let alerts = try await server.events(of: cleo).compactMap { event -> AlertRecord? in
            if case .alert(let record) = event { record } else { nil }
        }
        #expect(alerts.last?.acknowledgement?.responderId == seenByCleo.responderId)
    }

    @Test func respondersKnowWhoReportedByNameAlone() async throws {
        _ = try await server.network.responding.report(
            .withThem, on: try alert.typedID, by: ben.caller)
        func shown(to person: Person) async throws -> AlertAction? {
            try await server.events(of: person).compactMap { event -> AlertRecord? in
                if case .alert(let record) = event { record } else { nil }
            }.last?.report
        }
        let seenByCleo = try #require(try await shown(to: cleo))
        #expect(seenByCleo.name == "Ben" && seenByCleo.responderId != ben.id.description)
        for person in [ada, ben] {
            #expect(try await shown(to: person)?.responderId == ben.id.description)
        }
    }

    @Test func aNewResponderSeesNoOldAlerts() async throws {
        _ = try await server.endAlert(alert, ada)
        server.clock.pass(.minutes(1))
        let dan = try await server.person("Dan")
        try await server.connect(dan, watchesOver: ada)
        #expect(try await server.alerts(dan) == [])
        let id = try alert.typedID
        #expect(
            await refusal { try await server.network.alerts.alert(id, visibleTo: dan.caller) }?
                .isNotFound == true)
        #expect(try await server.alerts(ben).count == 1)
        let next = try await server.raiseAlert(ada)
        #expect(try await server.alerts(dan).map(\.id) == [next.id])
    }
}
