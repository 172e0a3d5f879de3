import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("Answers to an alert, on a page")
struct AlertResponseViewTests {
    private func state(_ alert: AlertRecord, own: UserID = Sample.id(1))
        -> DependentAlertFeature.State
    {
        let contact = ContactData(
            id: Sample.id(2), name: "Ben", phoneNumber: nil, profilePictureURL: nil,
            roles: .shown(isResponder: false, isDependent: true), dateAdded: Sample.now,
            hasPendingPing: false, pingedAt: nil, watch: nil)
        return .init(alertID: AlertID(alert.id), dependent: contact, alert: alert, ownID: own)
    }

    private func alert(isMine: Bool = false, until end: Date? = nil) -> AlertRecord {
        var alert = Sample.alert(until: end)
        if isMine {
            alert.acknowledgement = .init(
                responderId: "\(Sample.id(1) as UserID)", name: "Ana", time: Sample.now,
                afterSeconds: 1)
        }
        return alert
    }

    private func action(_ kind: AlertAction.Kind, _ number: UInt8 = 3, _ name: String = "Cleo")
        -> AlertAction
    {
        AlertAction(
            kind: kind, responderId: "\(Sample.id(number) as UserID)", name: name, time: Sample.now)
    }

    @Test func helperCanWithdraw() throws {
        let page = screen { DependentAlertFeature.view(state(alert(isMine: true))) }
        #expect(try page.press("I can’t after all") == .withdrawButtonTapped)
        #expect(page.shows("You are on it"))
        let other = screen { DependentAlertFeature.view(state(alert())) }
        #expect(!other.buttons.contains("I can’t after all"))
    }

    @Test func otherAlertHasALineAndAButton() throws {
        var state = state(alert(isMine: true))
        #expect(!screen { DependentAlertFeature.view(state) }.shows("has also"))
        let other = Sample.alert(2, kind: .missedCheckIn)
        state.others = [other]
        let page = screen { DependentAlertFeature.view(state) }
        #expect(page.shows("Ben has also missed a check-in. No one is on it yet."))
        #expect(
            try page.press("See that alert: Missed check-in") == .otherAlertTapped(other.id))
    }

    @Test func responderCanDeclineAndReconsider() throws {
        var state = state(alert())
        var page = screen { DependentAlertFeature.view(state) }
        #expect(try page.press("I can’t") == .declineButtonTapped)
        state.alert?.history = [action(.declined, 1)]
        page = screen { DependentAlertFeature.view(state) }
        #expect(page.shows("You have said that you can’t.") && !page.buttons.contains("I can’t"))
        #expect(try page.press("I’m on it") == .acknowledgeButtonTapped)
        state.alert?.othersTold = ["Cleo"]
        page = screen { DependentAlertFeature.view(state) }
        #expect(page.shows("Ben’s other responders are being asked."))
    }

    @Test func answerNamesItsChannel() throws {
        var state = state(alert())
        var taken = action(.acknowledged)
        taken.channel = .sms
        state.alert?.history = [taken]
        #expect(
            screen { DependentAlertFeature.view(state) }.shows(
                "Cleo took it on, by text message"))
    }

    @Test func whatHappenedEndsWithTheEnd() {
        var state = state(alert(until: Sample.now.adding(.minutes(5))))
        #expect(!screen { DependentAlertFeature.view(state) }.shows("What happened"))
        state.alert?.history = [action(.acknowledged), action(.declined, 1)]
        let page = screen { DependentAlertFeature.view(state) }
        let words = page.text.components(separatedBy: "What happened").last ?? ""
        for part in ["raised by hand", "Cleo took it on", "You can’t", "Ben ended the alert"] {
            #expect(words.contains(part), "\(part)")
        }
    }

    /// The reader may have to call this number from another country, so the text names the number's
    /// country.
    @Test(arguments: [("+4915112345678", "112"), ("+819012345678", nil)])
    func showsDependentsEmergencyNumber(phone: String, number: String?) throws {
        var state = state(alert())
        state.dependent?.phoneNumber = try PhoneNumber(phone)
        let page = screen { DependentAlertFeature.view(state) }
        if let number {
            #expect(page.shows("Emergency number where Ben’s phone is registered: \(number)."))
            #expect(page.markup.contains("href=\"tel:\(number)\""))
            #expect(page.shows("In another country, call the number used there, and say where Ben"))
        } else {
            #expect(page.shows("Call your local emergency number, and say where Ben is."))
            #expect(!page.shows("registered"))
        }
        state.alert = alert(until: Sample.now)
        #expect(!screen { DependentAlertFeature.view(state) }.shows("mergency number"))
    }

    @Test func offersThreeReports() throws {
        let page = screen { DependentAlertFeature.view(state(alert())) }
        #expect(try page.press("I’m with them") == .reportButtonTapped(.withThem))
        #expect(try page.press("Found safe") == .reportButtonTapped(.foundSafe))
        #expect(
            try page.press("Emergency services called")
                == .reportButtonTapped(.emergencyServicesCalled))
        #expect(!page.buttons.contains("Alert everyone again"))
    }

    @Test func reportNamesAuthorAndCanBeUndone() throws {
        var alert = alert()
        alert.report = action(.foundSafe)
        alert.history = [action(.acknowledged), action(.withdrew), action(.foundSafe)]
        let page = screen { DependentAlertFeature.view(state(alert)) }
        #expect(
            page.shows("Cleo reports that Ben is safe")
                && page.shows("No one is alerted again until"))
        #expect(page.shows("Cleo took it on") && page.shows("Cleo is no longer on it"))
        #expect(try page.press("Alert everyone again") == .resumeButtonTapped)
        let own = screen { DependentAlertFeature.view(state(alert, own: Sample.id(3))) }
        #expect(own.shows("You reported that Ben is safe"))
        #expect(try !own.canPress("Found safe"))
    }

    @Test func reportNeedsConfirmation() throws {
        var state = state(alert())
        state.confirmation = .init {
            TextState("Report that Ben is safe?")
        } actions: {
            ButtonState(action: .reportConfirmed(.foundSafe)) { TextState("Yes, report it") }
            ButtonState(role: .cancel) { TextState("Go back") }
        }
        let page = screen { DependentAlertFeature.view(state) }
        #expect(
            try page.press("Yes, report it")
                == .confirmation(.presented(.reportConfirmed(.foundSafe))))
        #expect(try page.press("Go back") == .confirmation(.dismiss))
    }

    @Test func cardShowsAndUndoesReport() throws {
        let ben = try #require(state(alert()).dependent)
        let request = DependentAlertFeature.Request(.resume, to: Sample.id(1))
        let notice = ReportNotice(
            words: "Cleo reports that Ben is safe", time: Sample.now,
            end: Sample.now.adding(.hours(12)), request: request, alertsEveryone: true)
        let card = screen { troubledCard(ben, .init(), report: notice) }
        #expect(card.shows("Cleo reports that Ben is safe"))
        #expect(card.shows("No one is alerted again until"))
        #expect(
            try card.press("Alert everyone again about Ben") == .alertRequested(request))
        #expect(!screen { troubledCard(ben, .init()) }.shows("No one is alerted again"))
    }

    @Test func endedAlertIsGreenWithoutButtons() throws {
        let page = screen {
            DependentAlertFeature.view(state(alert(isMine: true, until: Sample.now)))
        }
        #expect(page.shows("Ben’s alert has ended") && page.shows("Ben ended the alert"))
        #expect(page.shows("You helped") && page.markup.contains("banner fine"))
        #expect(!page.markup.contains("card critical"))
        for name in ["I’m on it", "I can’t after all", "Found safe"] {
            #expect(!page.buttons.contains(name))
        }
    }

    @Test func withdrawalIsNoHelp() throws {
        var ended = alert(isMine: true, until: Sample.now)
        ended.acknowledgement?.end = .withdrew
        let page = screen { DependentAlertFeature.view(state(ended)) }
        #expect(page.shows("You took it on and withdrew") && !page.shows("You helped"))
    }

    @Test func endedAlertShowsItsReport() throws {
        var ended = alert(until: Sample.now)
        #expect(screen { DependentAlertFeature.view(state(ended)) }.shows("No one took it on."))
        ended.report = action(.withThem)
        let sheet = screen { DependentAlertFeature.view(state(ended)) }
        #expect(sheet.shows("Cleo says they are with Ben") && !sheet.shows("No one took it on."))
        let own = screen { AlertFeature.history(.init(alertHistory: [ended])) }
        #expect(own.shows("Cleo says they are with you.") && !own.shows("No one took it on."))
    }

    @Test(arguments: AlertAction.Kind.allCases) func eachActionHasText(kind: AlertAction.Kind) {
        #expect(kind.words(by: nil, about: "Ben").hasPrefix("You "))
        #expect(kind.words(by: "Cleo", about: "Ben").hasPrefix("Cleo "))
    }

    @Test func everyPageAnnouncesEnd() throws {
        let id: AlertID = Sample.id(1)
        let end = AlertNewsFeature.End(id: id, user: Sample.id(2), kind: .manual, time: Sample.now)
        let contact = try #require(state(alert()).dependent)
        let page = screen {
            AlertNewsFeature.view(.init(ownID: Sample.id(1), news: [end]), contacts: [contact])
        }
        #expect(page.shows("Ben ended the alert"))
        #expect(try page.press("OK: Ben ended the alert") == .dismissButtonTapped(id))
    }

    /// The press that ended the alert may be older than the alert's end.
    @Test(
        arguments: [(AlertKind.manual, false), (.missedCheckIn, true), (.journey, true)])
    func timeOfTheEndIsNotThatOfThePress(kind: AlertKind, isNamed: Bool) {
        let end = AlertNewsFeature.End(
            id: Sample.id(1), user: Sample.id(2), kind: kind, time: Sample.now)
        let page = screen {
            AlertNewsFeature.view(.init(ownID: Sample.id(1), news: [end]), contacts: [])
        }
        #expect(page.shows("alert ended") == isNamed)
    }

    @Test func endNotificationIsNotRed() {
        let item = NotificationItem(
            id: Sample.id(1), type: .alert, title: "Ben ended the alert", body: "B",
            createdAt: Sample.now, alertID: Sample.id(1))
        func markup(_ alerts: AlertNewsFeature.State?) -> String {
            screen { NotificationFeature.view(.init(notifications: [item]), alerts: alerts) }.markup
        }
        #expect(markup(nil).contains("unread critical"))
        let ended = AlertNewsFeature.State(
            ownID: Sample.id(9), open: [], ends: [Sample.id(1): Sample.now])
        #expect(!markup(ended).contains("unread critical") && markup(ended).contains("fine"))
    }

    @Test func blockedPeopleCanBeUnblocked() throws {
        let ben = BlockedPerson(id: Sample.id(2), name: "Ben", blockedAt: Sample.now)
        let page = screen { BlockedPeopleFeature.view(.init(people: [ben])) }
        #expect(try page.press("Unblock Ben") == .unblockButtonTapped(Sample.id(2)))
        #expect(screen { BlockedPeopleFeature.view(.init(people: [])) }.shows("No one."))
        let failed = screen { BlockedPeopleFeature.view(.init(error: Sample.error)) }
        #expect(try failed.press("Load again") == .retryButtonTapped)
    }
}
