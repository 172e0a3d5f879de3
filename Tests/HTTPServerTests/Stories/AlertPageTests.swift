import Domain
import Foundation
import SafetyNetwork
import Testing

@testable import HTTPServer

@Suite struct AlertPageTests {
    private let alert: AlertID = id(1)

    /// Ana raises an alert. Ben and Bob are her responders.
    private func story() async throws -> (server: TestServer, ana: Person, ben: Person, bob: Person)
    {
        let server = try TestServer()
        let ana = try await server.person("Ana", number: "+4915100000001")
        let ben = try await server.person("Ben", number: "+4915100000002")
        let bob = try await server.person("Bob", number: "+4915100000003")
        for responder in [ben, bob] {
            try await server.connect(responder: responder, dependent: ana)
        }
        _ = try await server.network.alerts.raiseAlert(alert, by: ana.caller)
        return (server, ana, ben, bob)
    }

    private func page(
        _ server: TestServer, of person: Person, _ action: String = "show"
    ) async throws -> String {
        let link = server.network.guestAlerts.alertLink(to: person.id, alert, in: .sms)
        let answer = try await server.send("POST", LinkPath.alert, try form(link, action))
        #expect(answer.status == 200)
        return answer.text
    }

    private func form(_ link: URL, _ action: String) throws -> Content {
        let secret = try #require(link.fragment)
        return Content(
            type: "application/x-www-form-urlencoded",
            bytes: Data("secret=\(secret)&action=\(action)".utf8))
    }

    private func buttons(_ page: String) -> [String] {
        [
            "I’m on it", "I’m still on it", "I can’t", "I can’t after all", "Alert everyone again",
            "Refresh",
        ]
        .filter { page.contains(">\($0)</button>") }
    }

    @Test(arguments: [true, false])
    func pagesSayThatNothingReachesAGuestAfterStop(hasStopped: Bool) async throws {
        let (server, _, ben, _) = try await story()
        let link = server.network.guestAlerts.alertLink(to: ben.id, alert, in: .sms)
        let secret = try #require(link.fragment)
        var shown = try #require(try await server.network.guestAlerts.guestAlert(by: secret))
        #expect(!shown.hasStoppedTexts)
        shown.hasStoppedTexts = hasStopped
        let alertWords = AlertPage.page(shown, secret: secret).paragraphs
        #expect(alertWords.contains(StopWords.textsStopped) == hasStopped)
        let drill = GuestDrill(
            name: "Ana", state: .answered, nowWords: "12:00 UTC", hasStoppedTexts: hasStopped)
        let drillWords = DrillPage.page(drill, secret: secret).paragraphs
        #expect(
            drillWords
                == (hasStopped
                    ? ["Ana sees your answer.", StopWords.textsStopped]
                    : ["Ana now knows that a message would reach you."]))
    }

    @Test func helperCanConfirmOrWithdrawOnThePage() async throws {
        let (server, ana, ben, bob) = try await story()
        #expect(buttons(try await page(server, of: ben)) == ["I’m on it", "I can’t", "Refresh"])
        let taken = try await page(server, of: ben, "on-it")
        #expect(taken.contains("You are on it."))
        #expect(buttons(taken) == ["I can’t after all", "Refresh"])
        #expect(buttons(try await page(server, of: bob)) == ["I can’t", "Refresh"])

        server.clock.advance(by: .minutes(30))
        try await server.deadlineMonitor.handleDueDeadlines()
        let asked = try await page(server, of: ben)
        #expect(buttons(asked) == ["I’m still on it", "I can’t after all", "Refresh"])
        _ = try await page(server, of: ben, "on-it")
        server.clock.advance(by: .minutes(6))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await page(server, of: bob).contains("Ben is on it."))

        let undone = try await page(server, of: ben, "cannot")
        #expect(undone.contains("No one is on it yet."))
        #expect(undone.contains("You said that you can’t. Others are being asked."))
        #expect(buttons(undone) == ["I’m on it", "Refresh"])
        let record = try await server.network.alerts.alert(alert, visibleTo: ana.caller)
        #expect(record.acknowledgement == nil && record.isActive)
    }

    @Test func reportIsShownAndUndoneOnThePage() async throws {
        let (server, ana, ben, bob) = try await story()
        _ = try await server.network.responding.report(.foundSafe, on: alert, by: bob.caller)
        let shown = try await page(server, of: ben)
        #expect(shown.contains("Bob reports that Ana is safe. No one is alerted again until"))
        #expect(!shown.contains("No one is on it yet."))
        #expect(
            buttons(shown) == ["I’m on it", "I can’t", "Alert everyone again", "Refresh"])
        #expect(try await page(server, of: bob).contains("You reported that Ana is safe."))
        server.clock.advance(by: .seconds(1))
        let resumed = try await page(server, of: ben, "alert-again")
        #expect(!resumed.contains("reports") && !resumed.contains("Alert everyone again"))
        let record = try await server.network.alerts.alert(alert, visibleTo: ana.caller)
        #expect(record.report == nil && record.history.last?.kind == .resumed)
    }

    @Test func pageHasCallLinksUntilTheAlertEnds() async throws {
        let (server, ana, ben, _) = try await story()
        let shown = try await page(server, of: ben)
        #expect(shown.contains(#"href="tel:\#(ana.number.text)">Call Ana</a>"#))
        #expect(shown.contains(#"href="tel:112">Call 112</a>"#))
        _ = try await server.network.alerts.endAlert(alert, by: ana.caller)
        let ended = try await page(server, of: ben)
        #expect(ended.contains("<h1 id=\"title\">Ana’s alert has ended</h1>"))
        #expect(!ended.contains("tel:") && buttons(ended).isEmpty)
    }

    @Test func pageShowsItsTimeAndReloadsItself() async throws {
        let (server, ana, ben, _) = try await story()
        let shown = try await page(server, of: ben)
        #expect(shown.contains(">As of ") && shown.contains("No connection now. This is as of"))
        #expect(shown.contains("setTimeout(load,10000)"))
        #expect(shown.contains("In another country, call the number used there"))
        _ = try await server.network.alerts.endAlert(alert, by: ana.caller)
        let ended = try await page(server, of: ben)
        #expect(!ended.contains("As of ") && !ended.contains("setTimeout"))
    }

    @Test(arguments: [false, true])
    func pageOfAnAlertThatBeganLateGivesBothTimes(isLate: Bool) async throws {
        let (server, _, ben, _) = try await story()
        let link = server.network.guestAlerts.alertLink(to: ben.id, alert, in: .sms)
        let secret = try #require(link.fragment)
        var shown = try #require(try await server.network.guestAlerts.guestAlert(by: secret))
        shown.kind = .missedCheckIn
        shown.startWords = "04:16 CEST"
        shown.deadlineWords = isLate ? "00:37 CEST" : nil
        shown.toldLate = isLate
        let words = AlertPage.page(shown, secret: secret).paragraphs
        if isLate {
            #expect(
                Array(words.prefix(2)) == [
                    """
                    Ana should have checked in by 00:37 CEST. The alert began at 04:16 CEST. No \
                    one is on it yet.
                    """, "LifeSignal told you later than it should have.",
                ])
        } else {
            #expect(words.first == "Since 04:16 CEST. No one is on it yet.")
            #expect(!words.contains(AlertWords.toldLate))
        }
    }

    @Test func emergencyNoteIsShownOnlyToTheHelper() async throws {
        let (server, ana, ben, bob) = try await story()
        _ = try await server.network.profiles.updateProfile(
            name: nil, emergencyNote: "Key at <Bob>\n& Eve", of: ana.caller)
        #expect(try await !page(server, of: ben).contains("Key at"))
        #expect(
            try await page(server, of: ben, "on-it").contains(
                "<p class=\"note\">Key at &lt;Bob&gt;\n&amp; Eve</p>"))
        #expect(try await !page(server, of: bob).contains("Key at"))
    }

    @Test func answerBeyondTheLimitIsNotConfirmed() async throws {
        let (server, _, ben, _) = try await story()
        for _ in 0..<ActRules.limit {
            _ = try await server.network.responding.acknowledgeAlert(alert, by: ben.caller)
            server.clock.advance(by: .seconds(1))
            _ = try await server.network.responding.withdrawAcknowledgement(
                of: alert, by: ben.caller)
            server.clock.advance(by: .seconds(1))
        }
        _ = try await page(server, of: ben, "on-it")
        let shown = try await page(server, of: ben, "cannot")
        #expect(shown.contains("You are on it."))
        #expect(
            shown.contains("You have changed your answer too often, so this one does not count."))
        #expect(!shown.contains("You said that you can’t"))
        #expect(buttons(shown) == ["I’m still on it", "I can’t after all", "Refresh"])
    }

    @Test func declineIsKeptAfterReloading() async throws {
        let (server, _, ben, bob) = try await story()
        _ = try await page(server, of: ben, "cannot")
        let shown = try await page(server, of: ben)
        #expect(shown.contains("You said that you can’t. Others are being asked."))
        #expect(buttons(shown) == ["I’m on it", "Refresh"])
        _ = try await page(server, of: bob, "on-it")
        let taken = try await page(server, of: ben)
        #expect(taken.contains("You said that you can’t.") && !taken.contains("being asked"))
    }

    /// Bob's report pauses the alarms.
    @Test func declineDuringAReportNamesNoOthers() async throws {
        let (server, _, ben, bob) = try await story()
        _ = try await server.network.responding.report(.withThem, on: alert, by: bob.caller)
        let declined = try await page(server, of: ben, "cannot")
        #expect(declined.contains("You said that you can’t.") && !declined.contains("being asked"))
    }

    @Test func stopOnThePageIsConfirmedAndOnlyForGuests() async throws {
        let (server, ana, ben, _) = try await story()
        #expect(try await !page(server, of: ben).contains("Never tell me again"))
        #expect(try await page(server, of: ben, "ask-stop").contains("<h1 id=\"title\">Ana needs"))
        #expect(try await server.network.contacts.contacts(of: ana.caller).count == 2)
    }

    /// Ana has removed Ben before he presses the button.
    @Test func stopWithoutEffectIsNotConfirmed() async throws {
        let (server, ana, ben, _) = try await story()
        let link = server.network.guestAlerts.alertLink(to: ben.id, alert, in: .sms)
        try await server.network.contacts.removeContact(ben.id, by: ana.caller)
        for action in ["show", "on-it", "stop"] {
            let answer = try await server.send("POST", LinkPath.alert, try form(link, action))
            #expect(answer.status == 404)
            #expect(answer.text.contains("You are no longer asked to help"))
            #expect(!answer.text.contains("You get no more messages"))
        }
    }

    /// Ben opens the link of Ana's drill during her next alert.
    @Test func drillPageLeadsToTheAlert() async throws {
        let (server, ana, ben, _) = try await story()
        let (network, next) = (server.network, id(3) as AlertID)
        _ = try await network.alerts.endAlert(alert, by: ana.caller)
        _ = try await network.drills.startDrill(id(2), by: ana.caller)
        let asked = try await network.drills.drills(of: ben.caller).asked
        let notification = try #require(asked.first?.notificationID)
        let link = network.guestDrills.drillLink(to: ben.id, notification, in: .sms)
        let asking = try await server.send("POST", LinkPath.drill, try form(link, "show"))
        #expect(asking.text.contains("Ana does not need help."))
        #expect(asking.text.contains(">As of ") && asking.text.contains("setTimeout"))
        server.clock.advance(by: .seconds(1))
        _ = try await network.alerts.raiseAlert(next, by: ana.caller)
        let answer = try await server.send("POST", LinkPath.drill, try form(link, "got-it"))
        #expect(answer.status == 200 && answer.text.contains("This is not a drill."))
        #expect(answer.text.contains("<h1 id=\"title\">Ana needs help</h1>"))
        let page = network.guestAlerts.alertLink(to: ben.id, next, in: .sms).absoluteString
        #expect(answer.text.contains("href=\"\(page)\">Open the alert</a>"))
        #expect(answer.text.contains("setTimeout"))
        _ = try await network.alerts.endAlert(next, by: ana.caller)
        let over = try await server.send("POST", LinkPath.drill, try form(link, "show"))
        #expect(over.status == 200 && !over.text.contains("setTimeout"))
    }

    @Test func deletedPersonsLinkSaysWhy() async throws {
        let (server, ana, ben, _) = try await story()
        let link = server.network.guestAlerts.alertLink(to: ben.id, alert, in: .sms)
        _ = try await page(server, of: ben, "on-it")
        try await server.network.accountDeletion.deleteAccount(of: ana.caller)
        for action in ["show", "on-it"] {
            let answer = try await server.send("POST", LinkPath.alert, try form(link, action))
            #expect(answer.status == 404)
            #expect(answer.text.contains("LifeSignal no longer has this alert"))
            #expect(answer.text.contains("deleted with the person’s account"))
        }
    }

    /// A part of the link is missing, or the alert ended long ago.
    @Test func respondersDeadLinkSaysNothingAboutTheirRole() async throws {
        let (server, ana, ben, _) = try await story()
        let link = server.network.guestAlerts.alertLink(to: ben.id, alert, in: .sms)
        let part = try #require(URL(string: String(link.absoluteString.dropLast())))
        let cut = try await server.send("POST", LinkPath.alert, try form(part, "show"))
        _ = try await server.network.alerts.endAlert(alert, by: ana.caller)
        server.clock.advance(by: .days(1))
        let late = try await server.send("POST", LinkPath.alert, try form(link, "show"))
        for answer in [cut, late] {
            #expect(answer.status == 404 && answer.text.contains("This link does not work"))
        }
    }

    @Test(arguments: [
        (true, "The alert has ended. The next message has a new link."),
        (false, "The alert is still on, but not shown by this link. Call Ana."),
    ])
    func undoWithoutAnAlertNamesThePerson(isOver: Bool, words: String) {
        let page = AlertPage.undone("Ana", isOver: isOver)
        #expect(page.title == "You are told again when Ana needs help")
        #expect(page.paragraphs == [words])
    }

    @Test func wholeLinkIsPastedWithoutScripts() async throws {
        let (server, _, ben, _) = try await story()
        let opening = try await server.send("GET", LinkPath.alert)
        #expect(opening.text.contains("Paste the whole link from the message"))
        let link = server.network.guestAlerts.alertLink(to: ben.id, alert, in: .sms)
        let text = "\(link.absoluteString) ".addingPercentEncoding(
            withAllowedCharacters: .alphanumerics)
        let form = Content(
            type: "application/x-www-form-urlencoded",
            bytes: Data("secret=&link=\(try #require(text))&action=show".utf8))
        let answer = try await server.send("POST", LinkPath.alert, form)
        #expect(answer.text.contains("Ana needs help</h1>"))
        let field = try #require(
            answer.text.firstMatch(of: #/<noscript><form.*?</form>/#)
        ).output
        #expect(field.contains("Link of another alert</label><input id=\"link\" name=\"link\""))
        // The secret of the shown page would come before the pasted link.
        #expect(!field.contains("name=\"secret\""))
    }

    @Test func answersGetTheAddressOfTheirLink() async throws {
        let (server, _, ben, _) = try await story()
        let link = server.network.guestAlerts.alertLink(to: ben.id, alert, in: .sms)
        let address = "<script data-secret=\"\(try #require(link.fragment))\">"
        #expect(try await page(server, of: ben, "on-it").contains(address))
        for (secret, attribute) in [("", nil), ("%22%3E", "&quot;&gt;")] as [(String, String?)] {
            let form = Content(
                type: "application/x-www-form-urlencoded",
                bytes: Data("secret=\(secret)&action=show".utf8))
            let deadEnd = try await server.send("POST", LinkPath.alert, form)
            #expect(deadEnd.status == 404)
            let found = deadEnd.text.firstMatch(of: #/data-secret="([^"]*)">/#).map { String($0.1) }
            #expect(found == attribute)
        }
    }

    /// In a storm, some alerts have no message of their own.
    @Test func linkOfAnEndedAlertOpensTheCurrentOne() async throws {
        let (server, ana, ben, _) = try await story()
        _ = try await server.network.alerts.endAlert(alert, by: ana.caller)
        server.clock.advance(by: .minutes(1))
        _ = try await server.network.alerts.raiseAlert(id(2), by: ana.caller)
        #expect(try await page(server, of: ben).contains("<h1 id=\"title\">Ana needs help</h1>"))
        #expect(try await page(server, of: ben, "on-it").contains("You are on it."))
        let second = try await server.network.alerts.alert(id(2), visibleTo: ana.caller)
        #expect(second.acknowledgement != nil)
        let first = try await server.network.alerts.alert(alert, visibleTo: ana.caller)
        #expect(first.acknowledgement == nil && !first.isActive)
        _ = try await server.network.alerts.endAlert(id(2), by: ana.caller)
        #expect(
            try await page(server, of: ben).contains("<h1 id=\"title\">Ana’s alert has ended</h1>"))
    }

    @Test func linkOfARemovedResponderOpensNoCurrentAlert() async throws {
        let (server, ana, ben, _) = try await story()
        _ = try await server.network.alerts.endAlert(alert, by: ana.caller)
        try await server.network.contacts.removeContact(ben.id, by: ana.caller)
        _ = try await server.network.alerts.raiseAlert(id(2), by: ana.caller)
        let link = server.network.guestAlerts.alertLink(to: ben.id, alert, in: .sms)
        let secret = try #require(link.fragment)
        let shown = try await server.network.guestAlerts.guestAlert(by: secret)
        #expect(shown?.isOver != false)
        _ = try? await server.network.guestAlerts.answerAlert(by: secret, .onIt)
        let second = try await server.network.alerts.alert(id(2), visibleTo: ana.caller)
        #expect(second.acknowledgement == nil)
    }
}
