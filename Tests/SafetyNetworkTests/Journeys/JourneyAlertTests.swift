import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Ada isn't back in time. Only the responders she chose are told at first.
@Suite struct JourneyAlertTests {
    private let scene: JourneyScene
    private var server: TestServer { scene.server }
    private var ada: Person { scene.ada }
    private var ben: Person { scene.ben }
    private var cleo: Person { scene.cleo }

    init() async throws {
        scene = try await JourneyScene {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        }
        try await scene.server.send(.sms)
    }

    /// Lets Ada be overdue, with Ben as her only chosen responder.
    private func overdueForBen() async throws -> AlertRecord {
        try await scene.start(to: [ben])
        return try await scene.becomeOverdue()
    }

    // MARK: The alert

    @Test(arguments: [0, 10, 60]) func alertOpensAfterTheGrace(grace: Int) async throws {
        try await scene.start(grace: grace)
        let deadline = scene.expectedReturn.adding(.minutes(grace))
        try await scene.run(at: deadline.aMillisecondBefore)
        #expect(try await server.alerts(ada).isEmpty)
        #expect(try await scene.alarms(of: ben) == [])
        try await scene.run(at: deadline)
        let alert = try #require(try await server.openAlert(ada))
        #expect(alert.kind == .journey && alert.startTime == deadline && !alert.toldLate)
        #expect(alert.deadline == scene.expectedReturn && alert.journey == "Zugspitze")
        #expect(try await scene.journey()?.alertId?.description == alert.id)
        for person in [ben, cleo] {
            #expect(try await scene.alarms(of: person) == [JourneyScene.overdue])
        }
        #expect(try await server.profile(ada).status == .alertActive)
    }

    @Test func alertReachesTheOwnersPages() async throws {
        try await scene.start()
        let before = try await server.events(of: ada).count
        try await scene.becomeOverdue()
        let new = try await server.events(of: ada).dropFirst(before)
        #expect(new.contains(.profileChanged))
    }

    @Test func messageNamesTheReturnAndHidesTheNote() async throws {
        try await scene.start()
        try await scene.becomeOverdue()
        let item = try #require(try await server.newsItems(of: ben).first)
        #expect(item.type == .alert && item.aboutUserID == ada.id)
        #expect(item.body.contains("14:00 UTC"))
        for person in [ada, ben, cleo] {
            for event in try await server.events(of: person) {
                if case .notification(let item) = event {
                    #expect(!(item.title + item.body).contains("Höllental"))
                }
            }
        }
    }

    @Test func ownerIsToldThatTheResponderKnows() async throws {
        _ = try await overdueForBen()
        #expect(try await server.news(of: ada) == ["You are not back from Zugspitze"])
    }

    @Test func manualAlertAndJourneyAreSeparate() async throws {
        let manual = try await server.raiseAlert(ada)
        let journey = try await overdueForBen()
        #expect(try await server.alerts(ada).filter(\.isActive).count == 2)
        #expect(try await server.alerts(cleo).map(\.id) == [manual.id])
        try await scene.arrive()
        #expect(try await !server.alert(journey, seenBy: ada).isActive)
        #expect(try await server.alert(manual, seenBy: ada).isActive)
    }

    @Test func onlyTheArrivalEndsIt() async throws {
        let alert = try await overdueForBen()
        let error = await refusal { try await server.endAlert(alert, ada) }
        #expect(error?.field == "id" && error?.reason == .journeyAlert)
        #expect(try await server.openAlert(ada)?.id == alert.id)
        try await server.checkIn(ada)
        #expect(try await server.openAlert(ada)?.id == alert.id)
        try await scene.arrive()
        #expect(try await server.openAlert(ada) == nil)
    }

    /// Two alerts about two journeys have nothing in common.
    @Test func nextJourneyGetsItsOwnAlert() async throws {
        let first = try await overdueForBen()
        try await scene.arrive()
        let next = scene.draft(
            server.environment.id(), return: server.clock.now.adding(.hours(1)), grace: 0)
        try await scene.start(next)
        try await server.pass(.hours(1))
        let second = try #require(try await server.openAlert(ada))
        #expect(second.id != first.id && second.deadline == next.expectedReturn)
    }

    // MARK: The note

    @Test func onlyThePageShowsTheNote() async throws {
        let alert = try await overdueForBen()
        #expect(try await server.alert(alert, seenBy: ben).note == scene.note)
        #expect(try await server.alert(alert, seenBy: ada).note == scene.note)
        for person in [ada, ben] {
            #expect(try await server.alerts(person).allSatisfy { $0.note == nil })
            for event in try await server.events(of: person) {
                if case .alert(let record) = event { #expect(record.note == nil) }
            }
        }
    }

    @Test func emptyNoteIsNone() async throws {
        var draft = scene.draft()
        draft.note = ""
        try await scene.start(draft)
        let alert = try await scene.becomeOverdue()
        #expect(try await server.alert(alert, seenBy: ben).note == nil)
    }

    @Test func onlyAnAcceptedResponderSeesTheNote() async throws {
        let dora = try await server.person("Dora")
        try await server.ask(dora, toWatchOver: ada)
        try await scene.start()
        let alert = try await scene.becomeOverdue()
        #expect((try? await server.alert(alert, seenBy: dora))?.note == nil)
    }

    // MARK: Only the chosen

    @Test func othersKnowNothing() async throws {
        let contact = try await server.contact(ada, seenBy: cleo)
        let before = try await server.events(of: cleo).count
        let alert = try await overdueForBen()
        #expect(try await scene.alarms(of: ben) == [JourneyScene.overdue])
        #expect(try await server.alerts(ben).map(\.id) == [alert.id])
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.status == .alertActive)

        #expect(try await server.events(of: cleo).count == before)
        #expect(try await server.news(of: cleo) == [])
        #expect(try await server.alerts(cleo).isEmpty)
        #expect(await refusal { try await server.alert(alert, seenBy: cleo) }?.isNotFound == true)
        #expect(try await server.contact(ada, seenBy: cleo) == contact)
    }

    @Test func othersCannotAct() async throws {
        let alert = try await overdueForBen()
        let (id, responding) = (try alert.typedID, server.network.responding)
        let errors = [
            await refusal { try await server.acknowledge(alert, cleo) },
            await refusal { try await responding.declineAlert(id, by: cleo.caller) },
            await refusal { try await responding.report(.withThem, on: id, by: cleo.caller) },
            await refusal { try await responding.resumeRepeats(of: id, by: cleo.caller) },
            await refusal {
                try await responding.withdrawAcknowledgement(of: id, by: cleo.caller)
            },
            await refusal {
                try await server.network.climbing.markAlertOpened(id, by: cleo.caller)
            },
            await refusal { try await server.endAlert(alert, cleo) },
        ]
        #expect(errors.allSatisfy { $0?.isNotFound == true })
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
    }

    @Test func othersHearNothingOfTheCourse() async throws {
        let dora = try await server.person("Dora")
        try await server.connect(dora, watchesOver: ada)
        _ = try await server.news(of: dora)
        try await scene.start(to: [ben, cleo])
        let before = try await server.events(of: dora).count
        let alert = try await scene.becomeOverdue()
        try await server.pass(.minutes(5))
        _ = try await server.acknowledge(alert, ben)
        _ = try await server.network.responding.report(
            .withThem, on: try alert.typedID, by: ben.caller)
        try await server.pass(.hours(1))
        try await scene.arrive()
        #expect(try await server.events(of: dora).count == before)
        #expect(try await server.news(of: dora) == [])
        #expect(try await server.alerts(dora).isEmpty)
        #expect(try await scene.alarms(of: cleo).count > 1)
    }

    /// A new responder hears of every open alert, except one that isn't for them.
    @Test func newResponderHearsOnlyAfterTheWidening() async throws {
        _ = try await overdueForBen()
        let dora = try await server.person("Dora")
        let shown = try await server.network.qrCodes.qrCode(of: ada.caller)
        let code = try #require(QRCodeID(shown.id))
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        _ = try await server.network.contacts.addContact(
            code: code, roles: roles, to: dora.caller)
        #expect(try await scene.alarms(of: dora) == [])
        #expect(try await server.alerts(dora).isEmpty)
        try await scene.run(at: scene.deadline.adding(.minutes(15)))
        #expect(try await scene.alarms(of: dora).count == 1)
    }

    @Test func alertDoesNotTouchADrill() async throws {
        let drill = try await server.network.drills.startDrill(
            server.environment.id(), by: ada.caller)
        try await scene.start(scene.draft(return: noon.adding(.minutes(5)), grace: 0, to: [ben]))
        try await server.pass(.minutes(5))
        #expect(try await server.network.drills.drills(of: ada.caller).own?.id == drill.id)
        #expect(drill.answers.map(\.name) == ["Ben", "Cleo"])
        #expect(try await server.alerts(cleo).isEmpty)
    }

    // MARK: Everybody

    @Test func allAreToldAfter15Minutes() async throws {
        let alert = try await overdueForBen()
        _ = try await scene.alarms(of: ben)
        let moment = scene.deadline.adding(.minutes(15))
        try await scene.run(at: moment.aMillisecondBefore)
        #expect(try await scene.alarms(of: ben).count == 1)
        #expect(try await scene.alarms(of: cleo) == [])
        #expect(try await server.alerts(cleo).isEmpty)
        try await scene.run(at: moment)
        #expect(try await scene.alarms(of: ben).count == 1)
        #expect(try await scene.alarms(of: cleo).count == 1)
        #expect(try await server.alerts(cleo).map(\.id) == [alert.id])
        #expect(try await server.alert(alert, seenBy: cleo).note == scene.note)
        #expect(try await server.contact(ada, seenBy: cleo)?.watch?.status == .alertActive)
        #expect(try await server.acknowledge(alert, cleo).acknowledgement?.name == "Cleo")
    }

    /// Nothing reaches Ben, who was chosen. Cleo's webhook is told after 15 minutes.
    @Test func ownerReadsThatOthersAreBeingTold() async throws {
        let scene = try await JourneyScene()
        let (server, ada) = (scene.server, scene.ada)
        let url = try #require(URL(string: "https://hooks.example/cleo"))
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook, url: url, of: scene.cleo.caller)
        try await scene.start(to: [scene.ben])
        try await scene.becomeOverdue()
        let first = try await server.alertNews(of: ada)
        #expect(first.map(\.title) == ["You are not back from Zugspitze"])
        let body = try #require(first.first?.body)
        #expect(body.contains("No message reaches the responder you chose."))
        #expect(body.contains("If not, call for help directly. Emergency number"))
        try await scene.run(at: scene.deadline.adding(.minutes(15)))
        let later = try await server.alertNews(of: ada)
        #expect(later.map(\.title) == ["No one is on it yet"])
        let all = "LifeSignal is now alerting all your responders."
        #expect(
            later.first?.body.hasPrefix("No responder you chose is on it. \(all)") == true)
    }

    /// Ada has three responders.
    @Test(arguments: [true, false]) func ownerReadsWhetherOnlyTheChosenAreTold(
        areChosen: Bool
    ) async throws {
        let (dan, chosen) = (try await server.person("Dan"), areChosen ? [ben, cleo] : nil)
        try await server.connect(dan, watchesOver: ada)
        try await scene.start(to: chosen)
        try await scene.forgetNews()
        try await scene.becomeOverdue()
        let people = areChosen ? "The 2 responders you chose" : "Your 3 responders"
        let first = try #require(try await server.alertNews(of: ada).first)
        #expect(first.body.contains("\(people) are being told.") && !first.body.contains("call"))
        try await scene.run(at: scene.deadline.adding(.minutes(15)))
        let later = try #require(try await server.alertNews(of: ada).first)
        #expect(
            later.body.hasPrefix(
                areChosen
                    ? "No responder you chose is on it. LifeSignal is now alerting all"
                    : "LifeSignal has been alerting your responders since"))
    }

    @Test func acknowledgedAlertStaysWithTheChosen() async throws {
        let alert = try await overdueForBen()
        try await scene.run(at: scene.deadline.adding(.minutes(15)).aMillisecondBefore)
        _ = try await server.acknowledge(alert, ben)
        for minutes in [15, 16, 20] {
            try await scene.run(at: scene.deadline.adding(.minutes(minutes)))
            #expect(try await server.news(of: cleo) == [])
            #expect(try await server.alerts(cleo).isEmpty)
        }
    }

    @Test func withdrawalOfTheLastChosenBringsAllIn() async throws {
        let alert = try await overdueForBen()
        server.clock.pass(.minutes(1))
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.minutes(1))
        _ = try await server.network.responding.declineAlert(try alert.typedID, by: ben.caller)
        #expect(try await scene.alarms(of: cleo).count == 1)
    }

    @Test func lapseAfterTheTimeBringsAllIn() async throws {
        let alert = try await overdueForBen()
        server.clock.pass(.minutes(10))
        _ = try await server.acknowledge(alert, ben)
        // Ben is asked, and doesn't answer.
        try await server.pass(.minutes(30))
        #expect(try await scene.alarms(of: cleo) == [])
        try await server.pass(.minutes(5))
        #expect(try await scene.alarms(of: cleo) == [JourneyScene.overdue])
    }

    @Test func withdrawalAfterTheTimeBringsAllIn() async throws {
        let alert = try await overdueForBen()
        server.clock.pass(.minutes(1))
        _ = try await server.acknowledge(alert, ben)
        try await server.pass(.minutes(20))
        #expect(try await scene.alarms(of: cleo) == [])
        _ = try await server.network.responding.withdrawAcknowledgement(
            of: try alert.typedID, by: ben.caller)
        #expect(try await scene.alarms(of: cleo) == [JourneyScene.overdue])
    }

    @Test func refusalOfEveryoneIsNoWidening() async throws {
        try await scene.start(to: [ben, cleo])
        let alert = try await scene.becomeOverdue()
        try await scene.forgetNews()
        for person in [ben, cleo] {
            server.clock.pass(.seconds(1))
            _ = try await server.network.responding.declineAlert(
                try alert.typedID, by: person.caller)
        }
        #expect(try await server.news(of: ada) == ["Your responders can't come"])
        let toBen = try await server.newsItems(of: ben)
        #expect(toBen.map(\.title) == ["Ada still needs help"])
        #expect(toBen.first?.body.hasPrefix("Everyone who can be reached has said") == true)
    }

    @Test func allChosenRefuse() async throws {
        let dora = try await server.person("Dora")
        try await server.connect(dora, watchesOver: ada)
        try await scene.start(to: [ben, cleo])
        let alert = try await scene.becomeOverdue()
        try await scene.forgetNews()
        let (id, responding) = (try alert.typedID, server.network.responding)
        server.clock.pass(.seconds(1))
        _ = try await responding.declineAlert(id, by: ben.caller)
        #expect(try await scene.alarms(of: dora) == [])
        #expect(try await server.alerts(dora).isEmpty)
        server.clock.pass(.seconds(1))
        _ = try await responding.declineAlert(id, by: cleo.caller)
        #expect(try await scene.alarms(of: dora).count == 1)
        #expect(try await server.alerts(dora).map(\.id) == [alert.id])
        #expect(try await server.news(of: ada) == ["No responder you chose is on it"])
        // Dora hasn't refused, so Ben and Cleo don't read that everyone has.
        for person in [ben, cleo] {
            let news = try await server.newsItems(of: person)
            #expect(news.map(\.title) == ["Ada still needs help"])
            #expect(
                news.first?.body.hasPrefix(
                    """
                    The responders chosen for this journey can't come. All responders are being \
                    alerted now.
                    """) == true)
        }
    }

    /// Cleo has only been asked, so her answer doesn't count.
    @Test func refusalOfTheOnlyAcceptedOneIsFull() async throws {
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        try await server.ask(cleo, toWatchOver: ada)
        let alert = try await overdueForBen()
        try await scene.forgetNews()
        server.clock.pass(.seconds(1))
        let declined = try await server.network.responding.declineAlert(
            try alert.typedID, by: ben.caller)
        #expect(declined.isRefusedByAll == true)
        #expect(try await scene.alarms(of: cleo) == [JourneyScene.overdue])
        #expect(try await server.news(of: ada) == ["Your responders can't come"])
        let toBen = try await server.newsItems(of: ben)
        #expect(toBen.map(\.title) == ["Ada still needs help"])
        #expect(toBen.first?.body.hasPrefix("Everyone who can be reached has said") == true)
        // Ada knows, so no message follows after 15 minutes.
        try await scene.run(at: scene.deadline.adding(.minutes(15)))
        #expect(try await server.news(of: ada) == [])
    }

    /// The calls to the chosen are over when the others are told.
    @Test func thoseWhoAreToldLaterAreCalled() async throws {
        let alert = try await overdueForBen()
        try await server.pass(.seconds(90))
        #expect(try await server.send(.voice) == ["Ben"])
        server.clock.pass(.seconds(30))
        _ = try await server.network.responding.declineAlert(try alert.typedID, by: ben.caller)
        try await server.pass(.milliseconds(89_999))
        #expect(try await server.send(.voice) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.send(.voice).contains("Cleo"))
    }

    @Test func oneRemovedChosenLeavesTheOther() async throws {
        let dora = try await server.person("Dora")
        try await server.connect(dora, watchesOver: ada)
        try await scene.start(to: [ben, cleo])
        try await scene.becomeOverdue()
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        #expect(try await scene.alarms(of: dora) == [])
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        try await server.pass(.seconds(1))
        #expect(try await scene.alarms(of: dora).count == 1)
    }

    /// Ben is removed and only asked again, so after Cleo's removal no chosen one has accepted.
    @Test(arguments: [true, false])
    func chosenWhoIsOnlyAskedDoesNotHoldItBack(hasOthers: Bool) async throws {
        let dora = try await server.person("Dora")
        if hasOthers { try await server.connect(dora, watchesOver: ada) }
        try await scene.start(to: [ben, cleo])
        try await scene.becomeOverdue()
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        try await server.ask(ben, toWatchOver: ada)
        try await scene.forgetNews()
        #expect(try await scene.alarms(of: dora) == [])
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        #expect(try await scene.alarms(of: dora) == (hasOthers ? [JourneyScene.overdue] : []))
        #expect(
            try await scene.alarms(of: ada)
                == (hasOthers ? ["No responder you chose is on it"] : []))
        // Ben hasn't refused, so nothing is new to him.
        #expect(try await scene.alarms(of: ben) == [])
    }

    @Test func lastChosenDeletesTheAccount() async throws {
        let alert = try await overdueForBen()
        try await server.deleteAccount(ben)
        try await server.pass(.seconds(1))
        #expect(try await scene.alarms(of: cleo).count == 1)
        #expect(try await server.alerts(cleo).map(\.id) == [alert.id])
    }

    /// Ben is Ada's only responder. He takes on the alert, and leaves before or after 15 minutes.
    @Test(arguments: [1, 20])
    func onlyResponderLeavesAJourney(minutes: Int) async throws {
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        let alert = try await overdueForBen()
        server.clock.pass(.minutes(1))
        _ = try await server.acknowledge(alert, ben)
        try await server.pass(.minutes(minutes))
        _ = try await scene.alarms(of: ada)
        try await server.deleteAccount(ben)
        #expect(try await scene.alarms(of: ada) == ["Your alert is still on"])
    }

    @Test(arguments: [true, false])
    func leaverGetsNoEventOfTheWidening(deletesAccount: Bool) async throws {
        let alert = try await overdueForBen()
        server.clock.pass(.minutes(1))
        _ = try await server.acknowledge(alert, ben)
        try await server.pass(.minutes(20))
        let before = try await server.events(of: ben).count
        if deletesAccount {
            try await server.deleteAccount(ben)
            #expect(try await server.events(of: ben).isEmpty)
        } else {
            try await server.network.contacts.removeContact(ben.id, by: ada.caller)
            let new = try await server.events(of: ben).dropFirst(before)
            let alerts = new.filter { if case .alert = $0 { true } else { false } }
            #expect(!new.isEmpty && alerts.isEmpty)
        }
        #expect(try await scene.alarms(of: cleo) == [JourneyScene.overdue])
    }

    @Test func lastChosenBlocksTheOwner() async throws {
        _ = try await overdueForBen()
        _ = try await server.network.blocks.block(ada.id, by: ben.caller)
        try await server.pass(.seconds(1))
        #expect(try await scene.alarms(of: cleo).count == 1)
    }

    /// No one would be told if the alert stayed with people who are gone.
    @Test func chosenGoneBeforeTheReturnMeansAll() async throws {
        try await scene.start(to: [ben])
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        try await scene.becomeOverdue()
        #expect(try await scene.alarms(of: cleo) == [JourneyScene.overdue])
        #expect(try await scene.alarms(of: ben) == [])
    }

    /// Ada has removed Ben, the only one she chose, and asked him again. He hasn't accepted.
    @Test func chosenWhoIsOnlyAskedMeansAll() async throws {
        try await scene.start(to: [ben])
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        try await server.ask(ben, toWatchOver: ada)
        try await scene.forgetNews()
        try await scene.becomeOverdue()
        for person in [ben, cleo] {
            #expect(try await scene.alarms(of: person) == [JourneyScene.overdue])
        }
        let own = try await server.alertNews(of: ada)
        #expect(own.map(\.title) == ["You are not back from Zugspitze"])
        #expect(own.first?.body.contains("Your responder is being told.") == true)
    }

    @Test func reportKeepsItWithTheChosen() async throws {
        let alert = try await overdueForBen()
        server.clock.pass(.minutes(14))
        _ = try await server.network.responding.report(
            .withThem, on: try alert.typedID, by: ben.caller)
        try await scene.run(at: scene.deadline.adding(.minutes(15)))
        #expect(try await server.alerts(cleo).isEmpty)
    }

    /// The server was down when the alert was due to reach all.
    @Test func wideningComesAfterAnOutage() async throws {
        _ = try await overdueForBen()
        try await server.outage(.hours(1))
        try await server.pass(.minutes(2))
        #expect(try await scene.alarms(of: cleo).count == 1)
    }

    @Test func outageDelaysTheAlertByAMinute() async throws {
        try await scene.start(to: [ben])
        try await server.outage(.hours(3))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada) == nil)
        try await server.pass(.minutes(1))
        let alert = try #require(try await server.openAlert(ada))
        #expect(alert.toldLate && alert.deadline == scene.expectedReturn)
        #expect(try await scene.alarms(of: ben) == [JourneyScene.overdue])
        #expect(try await scene.alarms(of: cleo) == [])
    }
}
