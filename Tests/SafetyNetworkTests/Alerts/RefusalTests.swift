import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct RefusalTests: WithRefusalScene {
    let scene: RefusalScene

    init() async throws { scene = try await RefusalScene() }

    @Test func fullRefusalIsAnnouncedAtOnce() async throws {
        let alert = try await alarm()
        try await decline(alert, ben)
        for person in [ada, ben, cleo] { #expect(try await server.news(of: person) == []) }
        try await decline(alert, cleo)
        let toOwner = try await server.newsItems(of: ada)
        #expect(toOwner.map(\.title) == [refused])
        #expect(toOwner.first?.body.contains("LifeSignal is alerting them again.") == true)
        #expect(toOwner.first?.body.hasSuffix("registered: 911.") == true)
        for person in [ben, cleo] {
            let items = try await server.newsItems(of: person)
            #expect(items.map(\.title) == ["Ada still needs help"])
            #expect(items.first?.body.contains("Everyone who can be reached") == true)
        }
    }

    @Test func ownerHearsOfSilenceAfterAskingForRepeats() async throws {
        let alert = try await alarm()
        for person in [ben, cleo] { try await decline(alert, person) }
        let responding = server.network.responding
        _ = try await responding.report(.withThem, on: try alert.typedID, by: ben.caller)
        _ = try await responding.resumeRepeats(of: try alert.typedID, by: ada.caller)
        _ = try await server.news(of: ada)
        try await server.pass(.minutes(16))
        #expect(try await server.news(of: ada) == ["No one is on it yet"])
    }

    @Test func ownerSeesRefusalsAndFullRefusal() async throws {
        let alert = try await alarm()
        #expect(try await server.openAlert(ada)?.refusals == nil)
        try await decline(alert, ben)
        let first = try #require(try await server.openAlert(ada))
        #expect(first.refusals?.map(\.name) == ["Ben"] && first.isRefusedByAll == nil)
        try await decline(alert, cleo)
        let second = try #require(try await server.openAlert(ada))
        #expect(second.refusals?.map(\.name) == ["Ben", "Cleo"])
        #expect(second.isRefusedByAll == true)
        // The stream tells Ada's pages, but not those of the responders.
        let shown = try await server.events(of: ada).compactMap { event -> AlertRecord? in
            if case .alert(let record) = event { record } else { nil }
        }
        #expect(shown.last?.isRefusedByAll == true)
        #expect(try await server.openAlert(ben)?.refusals == nil)
        #expect(
            try await server.events(of: ben).allSatisfy {
                if case .alert(let record) = $0 { record.refusals == nil } else { true }
            })
        _ = try await server.acknowledge(alert, ben)
        let taken = try #require(try await server.openAlert(ada))
        #expect(taken.refusals == nil && taken.isRefusedByAll == nil)
    }

    /// Dan is told of the alert, but hasn't accepted. So his answer doesn't count.
    @Test func respondersLearnOfAFullRefusal() async throws {
        let dan = try await server.person("Dan")
        try await server.ask(dan, toWatchOver: ada)
        let alert = try await alarm()
        let (id, responding) = (try alert.typedID, server.network.responding)
        let first = try await responding.declineAlert(id, by: ben.caller)
        #expect(first.isRefusedByAll == nil)
        #expect(try await server.alert(alert, seenBy: ben).isRefusedByAll == nil)
        server.clock.pass(.seconds(1))
        let second = try await responding.declineAlert(id, by: cleo.caller)
        #expect(second.isRefusedByAll == true && second.refusals == nil)
        for person in [ben, cleo] {
            #expect(try await server.openAlert(person)?.isRefusedByAll == true)
            #expect(try await server.alert(alert, seenBy: person).isRefusedByAll == true)
            let shown = try await server.events(of: person).compactMap { event -> AlertRecord? in
                if case .alert(let record) = event { record } else { nil }
            }
            #expect(shown.last?.isRefusedByAll == true)
        }
        server.clock.pass(.seconds(1))
        #expect(try await server.acknowledge(alert, ben).isRefusedByAll == nil)
        #expect(try await server.openAlert(cleo)?.isRefusedByAll == nil)
    }

    /// Dan has only been asked until the others have refused.
    @Test func acceptanceEndsAFullRefusal() async throws {
        let dan = try await server.person("Dan")
        try await server.ask(dan, toWatchOver: ada)
        let alert = try await alarm()
        for person in [ben, cleo] { try await decline(alert, person) }
        _ = try await server.send(.sms)
        _ = try await server.news(of: dan)
        try await server.accept(.dependent, of: ada, by: dan)
        #expect(try await server.send(.sms) == ["Dan"])
        #expect(try await server.news(of: dan).contains("Ada still needs help"))
        for person in [ada, ben, dan] {
            let shown = try await server.events(of: person).compactMap { event -> AlertRecord? in
                if case .alert(let record) = event { record } else { nil }
            }
            #expect(try #require(shown.last).isRefusedByAll == nil)
        }
    }

    /// Dan has said "I can't" before he accepts.
    @Test func acceptanceKeepsTheOwnRefusal() async throws {
        let dan = try await server.person("Dan")
        try await server.ask(dan, toWatchOver: ada)
        let alert = try await alarm()
        try await decline(alert, dan)
        _ = try await server.news(of: dan)
        try await server.accept(.dependent, of: ada, by: dan)
        #expect(try await server.send(.sms) == [])
        #expect(try await server.news(of: dan) == ["You accepted Ada's request"])
    }

    @Test func formerRespondersRefusalIsHidden() async throws {
        let alert = try await alarm()
        try await decline(alert, ben)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        #expect(try await server.openAlert(ada)?.refusals == nil)
    }

    /// Ben is on it when Ada removes him by mistake, and adds him again.
    @Test func lostRoleIsNoRefusal() async throws {
        let alert = try await alarm()
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.seconds(1))
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        server.clock.pass(.seconds(1))
        try await server.connect(ben, watchesOver: ada)
        try await decline(alert, cleo)
        let shown = try #require(try await server.openAlert(ada))
        #expect(shown.refusals?.map(\.name) == ["Cleo"] && shown.isRefusedByAll == nil)
        #expect(try await server.alert(alert, seenBy: cleo).isRefusedByAll == nil)
        #expect(try await server.news(of: ada) == [])
        // An "I can't after all" in the new role is one.
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.seconds(1))
        _ = try await server.network.responding.withdrawAcknowledgement(
            of: try alert.typedID, by: ben.caller)
        #expect(try await server.openAlert(ada)?.isRefusedByAll == true)
    }

    /// Ada removes Ben by mistake, and Ben scans her code again.
    @Test func returningResponderIsAskedAnew() async throws {
        let alert = try await alarm()
        try await decline(alert, ben)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        server.clock.pass(.seconds(1))
        try await server.connect(ben, watchesOver: ada)
        #expect(try await server.alert(alert, seenBy: ben).history == [])
        _ = try await server.news(of: ada)
        try await decline(alert, cleo)
        let shown = try #require(try await server.openAlert(ada))
        #expect(shown.refusals?.map(\.name) == ["Cleo"] && shown.isRefusedByAll == nil)
        #expect(try await server.news(of: ada) == [])
        try await decline(alert, ben)
        #expect(try await server.openAlert(ada)?.isRefusedByAll == true)
        #expect(try await server.news(of: ada) == [refused])
        let history = try await server.alert(alert, seenBy: ada).history
        #expect(history.map(\.kind) == [.declined, .declined, .declined])
        // The export has what Ben has said, and no further answer.
        let answers = try #require(try await server.export(of: ben).answers)
        #expect(answers.map(\.kind) == [.declined, .declined])
    }

    @Test func fullRefusalRestartsTheRound() async throws {
        let alert = try await alarm()
        for person in [ben, cleo] { try await decline(alert, person) }
        #expect(try await server.send(.sms).sorted() == ["Ada", "Ben", "Cleo"])
        try await server.pass(.seconds(90))
        #expect(try await server.send(.voice).sorted() == ["Ben", "Cleo"])
        // The owner knows already, so no message follows after 15 minutes.
        try await server.pass(.minutes(15))
        #expect(try await server.news(of: ada) == [refused])
        #expect(try await server.acknowledge(alert, ben).acknowledgement?.name == "Ben")
    }

    @Test func refusalByTheOnlyResponderIsFull() async throws {
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        let alert = try await alarm()
        try await decline(alert, ben)
        #expect(try await server.news(of: ada) == [refused])
        #expect(try await server.news(of: ben) == ["Ada still needs help"])
    }

    @Test func lastWithdrawalIsAFullRefusal() async throws {
        let alert = try await alarm()
        try await decline(alert, cleo)
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.seconds(1))
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        try await decline(alert, ben)
        #expect(try await server.news(of: ada) == [refused])
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
    }

    @Test func changesOfMindRestartEveryHalfHour() async throws {
        let alert = try await alarm()
        try await decline(alert, cleo)
        try await decline(alert, ben)
        _ = try await server.news(of: cleo)
        _ = try await server.send(.sms)
        var alarms = 0
        for _ in 0..<4 {
            _ = try await server.acknowledge(alert, ben)
            server.clock.pass(.seconds(1))
            try await decline(alert, ben)
            alarms += try await server.newsItems(of: cleo)
                .count { $0.body.contains("Everyone who can be reached") }
        }
        #expect(alarms == 0)
        let toOwner = try await server.newsItems(of: ada)
        #expect(toOwner.last?.title == refused)
        #expect(toOwner.last?.body.contains("told again") == false)
        server.clock.pass(Escalation.pauseBetweenRefusals)
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.seconds(1))
        try await decline(alert, ben)
        let later = try await server.newsItems(of: cleo)
        #expect(later.last?.body.contains("Everyone who can be reached") == true)
    }

    @Test func repeatedRefusalIsNotAnnounced() async throws {
        let alert = try await alarm()
        for person in [ben, cleo] { try await decline(alert, person) }
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        for person in [ben, cleo] { try await decline(alert, person) }
        for person in [ada, ben, cleo] { #expect(try await server.news(of: person) == []) }
    }

    @Test func removingTheLastResponderLeftTellsTheOwner() async throws {
        let alert = try await alarm()
        try await decline(alert, ben)
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        #expect(try await server.news(of: ada).contains(refused))
        #expect(try await server.news(of: ben) == ["Ada still needs help"])
    }

    @Test func lastResponderDeletingTheAccountTellsTheOwner() async throws {
        let alert = try await alarm()
        try await decline(alert, ben)
        try await server.deleteAccount(cleo)
        #expect(try await server.news(of: ada).contains(refused))
    }

    /// Cleo is on it and leaves. Ben, who is left, has refused.
    @Test(arguments: [true, false])
    func departureOfTheHelperIsAFullRefusal(byDeletion: Bool) async throws {
        let alert = try await alarm()
        try await decline(alert, ben)
        _ = try await server.acknowledge(alert, cleo)
        server.clock.pass(.seconds(1))
        for person in [ada, ben] { _ = try await server.news(of: person) }
        if byDeletion {
            try await server.deleteAccount(cleo)
        } else {
            try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        }
        let toOwner = try await server.newsItems(of: ada).filter { $0.alertID != nil }
        #expect(toOwner.map(\.title) == [refused])
        let toBen = try await server.newsItems(of: ben).filter { $0.alertID != nil }
        #expect(toBen.count == 1)
        #expect(toBen.first?.body.contains("Everyone who can be reached") == true)
        #expect(try await server.openAlert(ada)?.isRefusedByAll == true)
    }

    /// All had refused a minute before, so only the owner hears of that again.
    @Test func departureSoonAfterAFullRefusalIsTold() async throws {
        let alert = try await alarm()
        for person in [ben, cleo] { try await decline(alert, person) }
        _ = try await server.acknowledge(alert, cleo)
        server.clock.pass(.minutes(1))
        for person in [ada, ben] { _ = try await server.news(of: person) }
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        let toOwner = try await server.newsItems(of: ada).filter { $0.alertID != nil }
        #expect(toOwner.map(\.title) == [refused])
        let toBen = try await server.newsItems(of: ben).filter { $0.alertID != nil }
        #expect(toBen.count == 1)
        #expect(toBen.first?.body.hasPrefix("Cleo is no longer on it.") == true)
    }

    @Test func departureOfTheHelperAwaitsTheOthers() async throws {
        let alert = try await alarm()
        _ = try await server.acknowledge(alert, cleo)
        server.clock.pass(.seconds(1))
        _ = try await server.news(of: ada)
        try await server.deleteAccount(cleo)
        #expect(try await !server.news(of: ada).contains(refused))
    }

    @Test func removingOneOfTwoLeftTellsNothing() async throws {
        let dan = try await server.person("Dan")
        try await server.connect(dan, watchesOver: ada)
        let alert = try await alarm()
        try await decline(alert, ben)
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        #expect(try await !server.news(of: ada).contains(refused))
    }

    @Test func unreachableResponderIsNotAwaited() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        let hook = try #require(URL(string: "https://hooks.example"))
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook, url: hook, of: ben.caller)
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(.seconds(1))
        // Ben's refusal appears only on Cleo's open pages.
        _ = try await server.network.responding.declineAlert(try alert.typedID, by: ben.caller)
        #expect(try await server.news(of: ada) == [refused])
    }

    /// Cleo's only channel ends after Ben's refusal. A restarted server finds the same, and tells
    /// Ada nothing.
    @Test(arguments: [true, false])
    func losingTheLastChannelTellsTheOwner(hasBenRefused: Bool) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let cleo = try await server.person("Cleo")
        let endpoint: PushEndpointID = server.environment.id()
        for (responder, index) in [(ben, 1), (cleo, 2)] {
            try await server.connect(responder, watchesOver: ada)
            let hook = try #require(URL(string: "https://hooks.example/\(index)"))
            let id: PushEndpointID = index == 2 ? endpoint : server.environment.id()
            _ = try await server.network.endpoints.savePushEndpoint(
                id, kind: .webhook, url: hook, of: responder.caller)
        }
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(.seconds(1))
        if hasBenRefused {
            _ = try await server.network.responding.declineAlert(
                try alert.typedID, by: ben.caller)
        }
        #expect(try await !server.news(of: ada).contains(refused))
        server.clock.pass(.seconds(1))
        try await server.network.endpoints.deletePushEndpoint(endpoint, of: cleo.caller)
        let reachNews = ReachNews()
        _ = server.published.takeReach(to: reachNews)
        _ = try await reachNews.pass(server.network)
        #expect(try await server.news(of: ada).contains(refused) == hasBenRefused)
        // Cleo has said nothing.
        let toBen = try await server.newsItems(of: ben)
        #expect(
            toBen.contains { $0.body.contains("Everyone who can be reached") } == hasBenRefused)
        server.clock.pass(.minutes(1))
        _ = try await server.network.reach.tellReach(
            of: cleo.id, unless: nil, own: nil)
        #expect(try await server.news(of: ada) == [])
    }

    @Test func unacceptedResponderIsNotAwaited() async throws {
        let dan = try await server.person("Dan")
        try await server.ask(dan, toWatchOver: ada)
        let alert = try await alarm()
        for person in [ben, cleo] { try await decline(alert, person) }
        #expect(try await server.news(of: ada) == [refused])
        #expect(try await server.news(of: dan).last == "Ada still needs help")
    }

    @Test func anotherMissedDeadlineAsksEveryoneAgain() async throws {
        let eve = try await server.armed("Eve")
        try await server.connect(ben, watchesOver: eve)
        try await server.pass(.days(1))
        let alert = try #require(try await server.openAlert(eve))
        server.clock.pass(.seconds(1))
        try await decline(alert, ben)
        #expect(try await server.news(of: eve).last == refused)
        _ = try await server.setInterval(.hours(48), of: eve, reminders: false)
        try await server.pass(.hours(24))
        #expect(try await server.openAlert(eve)?.id == alert.id)
        _ = try await server.news(of: eve)
        try await decline(alert, ben)
        #expect(try await server.news(of: eve) == [refused])
    }

    /// "I can't" contradicts "I am with them".
    @Test func refusalEndsTheOwnReport() async throws {
        let alert = try await alarm()
        let responding = server.network.responding
        _ = try await responding.report(.withThem, on: try alert.typedID, by: ben.caller)
        for person in [ada, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.seconds(1))
        try await decline(alert, ben)
        #expect(try await server.openAlert(ada)?.report == nil)
        #expect(try await server.news(of: ada) == ["Your alert is still on"])
        let toCleo = try await server.newsItems(of: cleo)
        #expect(toCleo.map(\.title) == ["Ada still needs help"])
        #expect(toCleo.first?.body.hasPrefix("What Ben reported no longer counts.") == true)
        try await decline(alert, cleo)
        #expect(try await server.news(of: ada) == [refused])
        for person in [ben, cleo] {
            #expect(try await server.news(of: person) == ["Ada still needs help"])
        }
        let open = try #require(try await server.openAlert(ada))
        #expect(open.isRefusedByAll == true && open.refusals?.map(\.name) == ["Ben", "Cleo"])
        let history = try await server.alert(alert, seenBy: ada).history
        #expect(history.map(\.kind) == [.withThem, .declined, .declined])
    }

    /// Cleo is on it, and stays so.
    @Test func refusalEndsTheReportBesideAnothersHelp() async throws {
        let alert = try await alarm()
        _ = try await server.acknowledge(alert, cleo)
        let responding = server.network.responding
        _ = try await responding.report(.withThem, on: try alert.typedID, by: ben.caller)
        _ = try await server.news(of: ada)
        server.clock.pass(.seconds(1))
        try await decline(alert, ben)
        let open = try #require(try await server.openAlert(ada))
        #expect(open.report == nil && open.acknowledgement?.name == "Cleo")
        let toOwner = try await server.newsItems(of: ada)
        #expect(toOwner.map(\.body) == ["What Ben reported no longer counts."])
    }

    /// The report may be true, so its pause stays. Only Ada is told.
    @Test(arguments: [AlertReport.foundSafe, .emergencyServicesCalled])
    func fullRefusalDuringAReportIsToldToTheOwner(report: AlertReport) async throws {
        let alert = try await alarm()
        _ = try await server.network.responding.report(
            report, on: try alert.typedID, by: ben.caller)
        for person in [ada, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.seconds(1))
        try await decline(alert, ben)
        #expect(try await server.news(of: ada) == [])
        #expect(try await server.openAlert(ada)?.isRefusedByAll == nil)
        try await decline(alert, cleo)
        let toOwner = try await server.newsItems(of: ada)
        #expect(toOwner.map(\.title) == [refused])
        #expect(toOwner.first?.body.contains("again") == false)
        for person in [ben, cleo] { #expect(try await server.news(of: person) == []) }
        let open = try #require(try await server.openAlert(ada))
        #expect(open.isRefusedByAll == true && open.report?.name == "Ben")
        try await server.pass(.hours(11))
        #expect(try await server.news(of: cleo) == [])
    }

    /// Without Ben's "I can't", only Ben is told of another missed deadline.
    @Test(arguments: [true, false])
    func refusingReporterIsNotTheOnlyOneTold(hasRefused: Bool) async throws {
        let eve = try await server.armed("Eve")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: eve) }
        try await server.pass(.days(1))
        let alert = try #require(try await server.openAlert(eve))
        server.clock.pass(.seconds(1))
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: ben.caller)
        server.clock.pass(.seconds(1))
        if hasRefused { try await decline(alert, ben) }
        _ = try await server.setInterval(.hours(30), of: eve, reminders: false)
        for person in [ben, cleo] { _ = try await server.news(of: person) }
        try await server.pass(.hours(6))
        #expect(try await server.openAlert(eve)?.id == alert.id)
        let again = "Eve missed another check-in"
        #expect(try await server.news(of: ben).contains(again))
        #expect(try await server.news(of: cleo).contains(again) == hasRefused)
        #expect(try await (server.openAlert(eve)?.report == nil) == hasRefused)
        try await server.pass(.minutes(5))
        #expect(try await server.news(of: cleo).isEmpty != hasRefused)
    }

    @Test func reportPreventsAFullRefusal() async throws {
        let alert = try await alarm()
        try await decline(alert, ben)
        _ = try await server.network.responding.report(
            .withThem, on: try alert.typedID, by: cleo.caller)
        _ = try await server.news(of: ada)
        try await decline(alert, ben)
        #expect(try await server.news(of: ada) == [])
    }

    @Test func lastDecliningCallRestartsForItsPersonToo() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.send(.sms)
        try await decline(alert, cleo)
        try await server.pass(.seconds(90))
        #expect(try await server.send(.voice) == ["Ben"])
        _ = try await server.news(of: ada)
        let call = try await server.delivery(.voice, ben)
        server.clock.pass(.seconds(1))
        try await server.network.climbing.endCall(call, to: ben.id, .declines)
        #expect(try await server.news(of: ada) == [refused])
        #expect(try await server.send(.sms).contains("Ben"))
    }

    @Test func linkedPageShowsAFullRefusal() async throws {
        let alert = try await alarm()
        let secrets = try [ben, cleo].map { person in
            try #require(
                server.network.guestAlerts.alertLink(to: person.id, try alert.typedID, in: .sms)
                    .fragment)
        }
        let first = try await server.network.guestAlerts.answerAlert(by: secrets[0], .cannot)
        #expect(first?.leavesOthers == true)
        server.clock.pass(.seconds(1))
        let second = try await server.network.guestAlerts.answerAlert(by: secrets[1], .cannot)
        #expect(second?.leavesOthers == false)
    }
}
