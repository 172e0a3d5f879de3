import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// The page that a message about Ada's alert links to. Ben and Cleo have accounts.
@Suite struct GuestAlertTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
    }

    private func secret(_ alert: AlertRecord, of person: Person) throws -> String {
        let link = server.network.guestAlerts.alertLink(to: person.id, try alert.typedID, in: .sms)
        return try #require(link.fragment)
    }

    private func page(_ secret: String) async throws -> GuestAlert {
        try #require(try await server.network.guestAlerts.guestAlert(by: secret))
    }

    private func answer(_ secret: String, _ answer: GuestAnswer) async throws -> GuestAlert {
        try #require(try await server.network.guestAlerts.answerAlert(by: secret, answer))
    }

    @Test func pageNamesTheOneWhoIsOnIt() async throws {
        let alert = try await server.raiseAlert(ada)
        let (bens, cleos) = (try secret(alert, of: ben), try secret(alert, of: cleo))
        #expect(try await page(bens).helper == .nobody)
        #expect(try await answer(cleos, .onIt).helper == .you)
        #expect(try await page(bens).helper == .another(name: "Cleo"))
        #expect(try await answer(bens, .onIt).helper == .another(name: "Cleo"))
        #expect(try await server.openAlert(ada)?.acknowledgement?.name == "Cleo")
    }

    @Test func linkOfAFormerResponderSaysSo() async throws {
        let alert = try await server.raiseAlert(ada)
        let bens = try secret(alert, of: ben)
        let guestAlerts = server.network.guestAlerts
        #expect(try await guestAlerts.pastAlert(by: bens) == nil)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        #expect(try await guestAlerts.guestAlert(by: bens) == nil)
        #expect(try await guestAlerts.pastAlert(by: bens) == .ofFormerResponder)
    }

    @Test func pageShowsAReportAndResumesTheRepeats() async throws {
        let alert = try await server.raiseAlert(ada)
        let (bens, cleos) = (try secret(alert, of: ben), try secret(alert, of: cleo))
        #expect(try await page(cleos).report == nil)
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: ben.caller)
        let end = Timestamp.clockTime(noon.adding(.hours(12)), in: nil, at: noon)
        #expect(
            try await page(cleos).report
                == GuestReport(words: "Ben reports that Ada is safe", endWords: end))
        #expect(try await page(bens).report?.words == "You reported that Ada is safe")
        for person in [ada, ben] { _ = try await server.news(of: person) }
        #expect(try await answer(cleos, .again).report == nil)
        #expect(try await server.news(of: ada) == ["Your alert is still on"])
        #expect(try await server.news(of: ben) == ["Ada may still need help"])
    }

    @Test func reportsNeedConsent() async throws {
        let dora = try await server.person("Dora")
        try await server.ask(dora, toWatchOver: ada)
        let alert = try await server.raiseAlert(ada)
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: ben.caller)
        let doras = try secret(alert, of: dora)
        #expect(try await page(doras).report == nil)
        #expect(try await answer(doras, .again).helper == .nobody)
        #expect(try await server.openAlert(ada)?.report?.name == "Ben")
    }

    /// Ben has withdrawn his help as often as a day allows.
    @Test func answerBeyondTheLimitDoesNotCount() async throws {
        let bens = try secret(try await server.raiseAlert(ada), of: ben)
        for _ in 0..<ActRules.limit {
            _ = try await answer(bens, .onIt)
            server.clock.pass(.seconds(1))
            let withdrawn = try await answer(bens, .cannot)
            #expect(withdrawn.hasDeclined && !withdrawn.isBeyondLimit)
            server.clock.pass(.seconds(1))
        }
        #expect(try await answer(bens, .onIt).helper == .you)
        server.clock.pass(.seconds(1))
        let refused = try await answer(bens, .cannot)
        #expect(refused.isBeyondLimit && !refused.hasDeclined && refused.helper == .you)
        #expect(try await !page(bens).isBeyondLimit)
    }

    /// People with an account leave in the app.
    @Test func onlyGuestsStopOnThePage() async throws {
        let alert = try await server.raiseAlert(ada)
        let bens = try secret(alert, of: ben)
        #expect(try await !page(bens).canStop)
        #expect(try await !answer(bens, .stop).isOver)
        #expect(try await server.contact(ben, seenBy: ada)?.isResponder == true)
    }

    enum Carrier: CaseIterable, Sendable { case number, address, removedAddress }

    /// Somebody else may have Ben's former number or mailbox, with the message about Ada's alert.
    @Test(arguments: Carrier.allCases)
    func formerCarriersLinkIsInvalid(carrier: Carrier) async throws {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isEmailAvailable = true
        })
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.confirmMail("ben@example.org", of: ben)
        let alerts = server.network.guestAlerts
        let channel: DeliveryChannel = carrier == .number ? .sms : .email
        func secret(_ alert: AlertRecord, in channel: DeliveryChannel) throws -> String {
            try #require(alerts.alertLink(to: ben.id, try alert.typedID, in: channel).fragment)
        }
        let first = try await server.raiseAlert(ada)
        // With an e-mail address, the SMS waits 30 seconds.
        server.clock.pass(.seconds(30))
        for channel in [DeliveryChannel.sms, .email] {
            #expect(try await server.send(channel).contains("Ben"))
        }
        let old = try secret(first, in: channel)
        #expect(try await alerts.guestAlert(by: old)?.name == "Ada")
        server.clock.pass(.minutes(1))
        switch carrier {
        case .number: try await server.changeNumber(of: ben, to: "+493012345678")
        case .address: try await server.confirmMail("ben@example.com", of: ben)
        case .removedAddress:
            try await server.network.emailAddresses.deleteEmailAddress(of: ben.caller)
        }
        #expect(try await alerts.guestAlert(by: old) == nil)
        #expect(try await alerts.answerAlert(by: old, .onIt) == nil)
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
        let other = try secret(first, in: carrier == .number ? .email : .sms)
        #expect(try await alerts.guestAlert(by: other)?.name == "Ada")

        server.clock.pass(.minutes(1))
        _ = try await server.endAlert(first, ada)
        let second = try await server.raiseAlert(ada)
        #expect(try await alerts.answerAlert(by: old, .onIt) == nil)
        guard carrier != .removedAddress else { return }
        server.clock.pass(.seconds(30))
        _ = try await server.send(channel)
        let present = try secret(second, in: channel)
        #expect(try await alerts.answerAlert(by: present, .onIt)?.helper == .you)
    }

    /// Not every alert has a message of its own.
    @Test func oldLinkShowsTheNewestOpenAlert() async throws {
        let first = try await server.raiseAlert(ada)
        let bens = try secret(first, of: ben)
        server.clock.pass(.minutes(1))
        _ = try await server.endAlert(first, ada)
        server.clock.pass(.minutes(1))
        // Somebody else's alert, which Ben knows of.
        try await server.connect(ben, watchesOver: cleo)
        let others = try await server.raiseAlert(cleo)
        #expect(try await page(bens).isOver)
        #expect(try await page(bens).duration == .minutes(1))
        let second = try await server.raiseAlert(ada)
        server.clock.pass(.minutes(3))
        let shown = try await page(bens)
        #expect(!shown.isOver && shown.name == "Ada" && shown.startedAt == second.startTime)
        #expect(shown.duration == .minutes(3))
        #expect(try await answer(bens, .onIt).helper == .you)
        #expect(try await server.alert(second, seenBy: ada).acknowledgement?.name == "Ben")
        #expect(try await server.alert(others, seenBy: cleo).acknowledgement == nil)
    }

    @Test(arguments: [true, false])
    func oldLinkShowsTheNewestOfTwoOpenAlerts(isManualNewer: Bool) async throws {
        let scene = try await JourneyScene(server)
        let first = try await server.raiseAlert(scene.ada)
        let bens = try secret(first, of: scene.ben)
        _ = try await server.endAlert(first, scene.ada)
        try await scene.start()
        server.clock.pass(.minutes(1))
        if !isManualNewer { _ = try await server.raiseAlert(scene.ada) }
        try await scene.becomeOverdue()
        server.clock.pass(.minutes(1))
        if isManualNewer { _ = try await server.raiseAlert(scene.ada) }
        let newest: AlertKind = isManualNewer ? .manual : .journey
        #expect(try await page(bens).kind == newest)
    }

    /// The server was down at Ada's deadline.
    @Test(arguments: [(Duration.minutes(1), false), (.minutes(1) + .milliseconds(1), true)])
    func pageOfAnAlertThatBeganLateGivesTheDeadline(delay: Duration, isLate: Bool) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.outage(.hours(24) + delay - .minutes(1))
        try await server.pass(.minutes(1))
        let alert = try #require(try await server.openAlert(ada))
        let alerts = server.network.guestAlerts
        let link = alerts.alertLink(to: ben.id, try alert.typedID, in: .sms)
        let secret = try #require(link.fragment)
        let page = try #require(try await alerts.guestAlert(by: secret))
        #expect(page.deadlineWords == (isLate ? "12:00 UTC" : nil))
        #expect(page.toldLate == isLate)
    }

    @Test func pageOfAJourneyShowsReturnAndNote() async throws {
        let scene = try await JourneyScene(server)
        try await scene.start()
        let alert = try await scene.becomeOverdue()
        let now = server.clock.now
        let bens = try secret(alert, of: scene.ben)
        let open = try #require(try await page(bens).journey)
        #expect(open.name == "Zugspitze" && open.note == scene.note)
        #expect(open.returnWords == Timestamp.clockTime(scene.expectedReturn, in: nil, at: now))
        try await scene.arrive()
        #expect(try await page(bens).journey?.note == "")
    }
}
