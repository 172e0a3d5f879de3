import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

/// Journeys: on the person's own page, and as their responders see them.
@Suite("Journeys, on a page")
struct JourneyViewTests {
    private typealias Form = JourneyFeature.Form
    private typealias ReturnTime = JourneyFeature.ReturnTime

    private let back = Sample.now.adding(.hours(1))
    private var journey: JourneyRecord {
        JourneyRecord(
            id: Sample.id(20), name: "Zugspitze", startTime: Sample.now, expectedReturn: back)
    }
    private var running: JourneyFeature.State { .init(journey: journey, now: Sample.now) }

    private var overdue: AlertRecord {
        var alert = Sample.alert(kind: .journey)
        (alert.journey, alert.deadline) = ("Zugspitze", back)
        return alert
    }

    // MARK: The running journey

    @Test func cardHasTheTimesAndTheButtons() throws {
        let card = screen { JourneyFeature.card(running) }
        #expect(card.shows("Zugspitze") && card.shows("Back by"))
        #expect(card.markup.contains(Timestamp.text(back)))
        #expect(card.shows(JourneyWords.toldAt()) && card.shows(JourneyWords.unless(nil)))
        #expect(card.markup.contains(Timestamp.text(back.adding(.minutes(10)))))
        #expect(try card.press(JourneyWords.arrived) == .arriveButtonTapped)
        #expect(try card.press("30 minutes more") == .extendButtonTapped)
        #expect(try card.press(JourneyWords.anotherReturn) == .laterReturnButtonTapped)
        #expect(screen { JourneyFeature.card(.init()) }.text.isEmpty)
    }

    /// The script stores these presses until they have reached the server.
    @Test func pressesNameTheirJourney() throws {
        let markup = screen { JourneyFeature.card(running) }.markup
        #expect(markup.components(separatedBy: "data-journey=\"\(journey.id)\"").count == 3)
        #expect(markup.components(separatedBy: "data-back=").count == 2)
        #expect(markup.contains("data-back=\"\(Timestamp.text(back))\""))
    }

    @Test func overdueCardSaysThatPeopleAreTold() {
        var state = running
        state.now = back.adding(.minutes(10))
        let card = screen { JourneyFeature.card(state, told: .init(names: ["Ben"])) }
        #expect(card.shows("it tells Ben.") && !card.shows("told at"))
        state.journey?.alertId = Sample.id(1)
        let open = screen { JourneyFeature.card(state, told: .init(names: ["Ben"])) }
        #expect(open.shows(JourneyWords.alertOpen) && !open.shows("it tells"))
    }

    @Test func cardNamesThoseWhoAreToldFirst() {
        let all = back.adding(.minutes(25))
        let told = JourneyFeature.Told(names: ["Ben"], othersAt: all)
        let card = screen { JourneyFeature.card(running, told: told) }
        #expect(card.shows("Ben is told at") && card.shows(", all others at"))
        #expect(card.shows("if nobody is on it, unless you say that you have arrived"))
        #expect(card.markup.contains(Timestamp.text(all)))
        #expect(!card.shows("Your responders"))
        let only = screen { JourneyFeature.card(running, told: .init(names: ["Ben", "Cleo"])) }
        #expect(only.shows("Ben and Cleo are told at") && !only.shows("all others"))
    }

    @Test func cardSaysThatThereAreNoResponders() {
        let told = JourneyFeature.Told(isAnyoneTold: false)
        let card = screen { JourneyFeature.card(running, told: told) }
        #expect(card.shows(JourneyWords.noOneIsTold) && !card.shows("told at"))
        var state = running
        state.now = back.adding(.minutes(10))
        let overdue = screen { JourneyFeature.card(state, told: told) }
        #expect(overdue.shows("Your time is over. No one is told") && !overdue.shows("it tells"))
        let some = screen { JourneyFeature.card(running) }
        #expect(!some.shows(JourneyWords.noOneIsTold))
    }

    @Test func unsentPressIsShown() throws {
        var state = running
        state.waiting = .laterReturn
        let later = screen { JourneyFeature.card(state) }
        #expect(later.shows("Your later return will be sent"))
        #expect(try later.canPress(JourneyWords.arrived))
        state.waiting = .arrival
        let arrived = screen { JourneyFeature.card(state) }
        #expect(arrived.shows("Your arrival will be sent"))
        #expect(try !arrived.canPress(JourneyWords.arrived))
        #expect(try arrived.canPress(JourneyWords.extend))
    }

    @Test func errorIsShownOnce() throws {
        var state = running
        state.error = Sample.error
        #expect(try screen { JourneyFeature.card(state) }.press("Dismiss") == .dismissError)
        state.laterReturn = ReturnTime(openedAt: Sample.now)
        #expect(!screen { JourneyFeature.card(state) }.shows(Sample.error.title))
        #expect(try screen { JourneyFeature.sheets(state) }.press("Dismiss") == .dismissError)
    }

    // MARK: Home

    @Test func homeOpensTheForm() throws {
        let page = screen { HomeFeature.view(.init()) }
        #expect(try page.press(JourneyWords.title) == .journey(.formButtonTapped))
        var state = HomeFeature.State()
        state.journey = running
        let during = screen { HomeFeature.view(state) }
        #expect(!during.buttons.contains(JourneyWords.title))
        #expect(try during.press(JourneyWords.arrived) == .journey(.arriveButtonTapped))
        #expect(try during.press("Check in") == .checkIn(.checkInButtonTapped))
    }

    @Test func journeyComesBeforeThePause() throws {
        var state = HomeFeature.State()
        state.checkIn.now = Sample.now
        state.checkIn.pause.pause = CheckInPause(
            began: Sample.now, until: Sample.now.adding(.days(3)))
        state.journey = running
        let page = screen { HomeFeature.view(state) }
        let parts = page.text.components(separatedBy: ScheduleWords.pausedUntil)
        #expect(parts.count == 2 && parts[0].contains("Back by"))
        #expect(try page.press(ScheduleWords.endPause) == .checkIn(.pause(.endPauseButtonTapped)))
    }

    @Test func ownAlertHasTheButtons() throws {
        var state = HomeFeature.State()
        state.journey = running
        state.alert.overdueJourney = overdue
        let home = screen { HomeFeature.view(state) }
        #expect(home.shows("You are not back from Zugspitze"))
        #expect(home.shows("No one is on it yet."))
        #expect(home.buttons.filter { $0 == JourneyWords.arrived }.count == 1)
        #expect(try home.press(JourneyWords.arrived) == .journey(.arriveButtonTapped))
        #expect(try home.press(JourneyWords.extend) == .journey(.extendButtonTapped))
        #expect(!home.shows("hold to end") && !home.shows("You missed your check-in"))
    }

    @Test func ownAlertNamesTheChosenRespondersUntilAllAreAlerted() {
        let all = back.adding(.minutes(25))
        func notice(at now: Date, refusedBy: [String] = []) -> Screen<AlertFeature.Action> {
            var (state, alert) = (AlertFeature.State(), overdue)
            let refusals = refusedBy.map {
                AlertAction(kind: .declined, responderId: "ben", name: $0, time: back)
            }
            alert.refusals = refusals.isEmpty ? nil : refusals
            state.overdueJourney = alert
            return screen {
                AlertFeature.overdueJourney(
                    state, journey: .init(journey: journey, now: now),
                    told: .init(names: ["Ben", "Dora"], othersAt: all), press: nil
                ) { $0 }
            }
        }
        let alone = notice(at: back)
        #expect(alone.shows("No one is on it yet. Ben and Dora are alerted, all others at"))
        #expect(alone.shows("if nobody is on it.") && !alone.shows("alerted again"))
        #expect(alone.markup.contains(Timestamp.text(all)))
        #expect(notice(at: all).shows("Your responders are alerted again"))
        let some = notice(at: back, refusedBy: ["Ben"])
        #expect(some.shows("Ben can’t come. No one else is on it yet. Dora is alerted, all"))
        let none = notice(at: back, refusedBy: ["Ben", "Dora"])
        #expect(!none.shows("all others at") && none.shows("alerted again"))
    }

    @Test func everyPageHasTheAlertOfTheJourney() throws {
        var main = MainTabFeature.State(userID: Sample.id(1), selectedTab: .profile)
        main.home.journey = running
        main.home.alert.overdueJourney = overdue
        let page = screen { MainTabFeature.view(main, messages: .empty) { $0 } }
        #expect(page.shows("You are not back from Zugspitze"))
        #expect(try page.press(JourneyWords.arrived) == .home(.journey(.arriveButtonTapped)))
        #expect(!page.markup.contains("data-shows"))
        main.home.journey.journey = nil
        let unknown = screen { MainTabFeature.view(main, messages: .empty) { $0 } }
        #expect(try unknown.press("See what to do") == .tabSelected(.home))
        // An open dialog repeats buttons that open something, and none that acts at once.
        #expect(unknown.markup.contains("data-shows"))
        main.home.journey = running
        main.home.journey.laterReturn = ReturnTime(openedAt: Sample.now)
        let sheet = screen { MainTabFeature.view(main, messages: .empty) { $0 } }
        #expect(try sheet.press("Cancel") == .home(.journey(.sheetDismissed)))
    }

    @Test func unknownJourneyHasNoButtons() {
        var state = HomeFeature.State()
        state.alert.overdueJourney = overdue
        let home = screen { HomeFeature.view(state) }
        #expect(home.shows("You are not back from Zugspitze"))
        #expect(!home.buttons.contains(JourneyWords.arrived))
    }

    @Test func journeyIsShownDuringAManualAlert() throws {
        var state = HomeFeature.State(alert: .init(isAlertActive: true))
        state.journey = running
        let home = screen { HomeFeature.view(state) }
        #expect(home.shows("Alert is on"))
        #expect(try home.press(JourneyWords.arrived) == .journey(.arriveButtonTapped))
        state.alert.overdueJourney = overdue
        let both = screen { HomeFeature.view(state) }
        #expect(both.shows("You are not back from Zugspitze") && both.shows("No one is on it yet."))
        #expect(!both.shows(JourneyWords.back) && !both.shows("Your time is over"))
        #expect(both.buttons.filter { $0 == JourneyWords.arrived }.count == 1)
    }

    // MARK: The forms

    private func form(
        zone: String? = "Europe/Berlin", _ change: (inout Form) -> Void = { _ in }
    ) -> Screen<JourneyFeature.Action> {
        var form = Form(
            id: Sample.id(20), name: "Zugspitze", expectedReturn: ReturnTime(openedAt: Sample.now),
            responders: [
                .init(id: Sample.id(2), name: "Ben"), .init(id: Sample.id(3), name: "Cleo"),
            ])
        change(&form)
        return screen { JourneyFeature.sheets(.init(timeZone: zone, form: form)) }
    }

    @Test func formTakesEverything() throws {
        let form = form()
        #expect(form.shows(JourneyWords.explanation))
        #expect(
            try form.change(JourneyWords.name, to: .text("Wank")) == .nameChanged("Wank"))
        #expect(try form.change("In 2 hours", to: .text("2"), "choose") == .hoursChosen(2))
        #expect(try form.control(labelled: "In 1 hour").hasAttribute("checked"))
        #expect(
            try form.change(JourneyWords.ownReturn, to: .text("2023-11-15T08:00"))
                == .returnTyped("2023-11-15T08:00"))
        // 23:13 UTC is 0:13 in Berlin.
        #expect(
            try form.control(labelled: JourneyWords.ownReturn).attribute("value")
                == "2023-11-15T00:13")
        #expect(
            try form.change(JourneyWords.grace, to: .text("30"), "choose")
                == .graceChosen(minutes: 30))
        #expect(try form.change(JourneyWords.note, to: .text("By car")) == .noteChanged("By car"))
        #expect(
            try form.change(JourneyWords.tellStart, to: .flag(true), "toggle")
                == .tellsStartToggled)
        #expect(try form.send("submit", from: "form") == .startButtonTapped)
        #expect(try form.canPress(JourneyWords.start))
        #expect(try form.press("Cancel") == .sheetDismissed)
        #expect(try form.send("dismiss", from: "dialog") == .sheetDismissed)
    }

    @Test func respondersAreChosen() throws {
        let all = form()
        #expect(!all.shows("Cleo"))
        #expect(
            try all.change(JourneyWords.chosenResponders, to: .text("false"), "choose")
                == .tellsAllRespondersChosen(false))
        let none = form { $0.tellsAllResponders = false }
        #expect(none.shows(JourneyWords.nobodyChosen))
        #expect(try !none.canPress(JourneyWords.start))
        // Two boxes look alike to `Screen`.
        let alone = form {
            ($0.tellsAllResponders, $0.responders) = (
                false, [.init(id: Sample.id(3), name: "Cleo")]
            )
        }
        let toggled = try alone.change("Cleo", to: .flag(true), "toggle")
        #expect(toggled == .responderToggled(Sample.id(3)))
        let one = form { ($0.tellsAllResponders, $0.chosen) = (false, [Sample.id(3)]) }
        #expect(try one.control(labelled: "Cleo").hasAttribute("checked"))
        #expect(try !one.control(labelled: "Ben").hasAttribute("checked"))
        #expect(try one.canPress(JourneyWords.start))
    }

    @Test func refusedFieldsSayWhy() throws {
        let long = form { $0.name = String(repeating: "z", count: 61) }
        #expect(long.shows(RefusalWords.journeyName.detail))
        #expect(
            try long.control(labelled: JourneyWords.name).attribute("aria-invalid") == "true")
        let note = form { $0.note = String(repeating: "z", count: 1_001) }
        #expect(note.shows(RefusalWords.journeyNote.detail))
        let nobody = form { $0.responders = [] }
        #expect(nobody.shows(RefusalWords.journeyResponders.detail))
        for form in [long, note, nobody] { #expect(try !form.canPress(JourneyWords.start)) }
    }

    @Test func withoutAZoneTheReturnIsOnlyShown() {
        let form = form(zone: nil)
        #expect(!form.markup.contains("datetime-local"))
        #expect(form.markup.contains(Timestamp.text(back)))
    }

    @Test func anotherReturnIsChosen() throws {
        var state = running
        state.timeZone = "Europe/Berlin"
        state.laterReturn = ReturnTime(openedAt: Sample.now)
        let sheet = screen { JourneyFeature.sheets(state) }
        #expect(try sheet.change("In 4 hours", to: .text("4"), "choose") == .hoursChosen(4))
        #expect(try sheet.send("submit", from: "form") == .confirmReturnButtonTapped)
        state.laterReturn?.date = nil
        let unfinished = screen { JourneyFeature.sheets(state) }
        #expect(unfinished.shows(JourneyWords.unfinishedReturn))
        #expect(try !unfinished.canPress(JourneyWords.changeReturn))
        #expect(screen { JourneyFeature.sheets(.init()) }.text.isEmpty)
    }

    // MARK: What responders see

    private func ana(
        status: UserStatus = .active, journey: WatchedJourney? = nil
    ) throws -> ContactData {
        var contact = ContactData(
            id: Sample.id(1), name: "Ana", phoneNumber: try PhoneNumber("+15550101"),
            profilePictureURL: nil,
            roles: try ContactRoles(isResponder: false, isDependent: true),
            dateAdded: Sample.ago(.hours(1)), hasPendingPing: false, pingedAt: nil,
            watch: .init(
                emergencyNote: "", lastCheckInTime: Sample.ago(.hours(3)),
                nextCheckInTime: Sample.now.adding(.days(1)), checkInIntervalSeconds: 86_400,
                status: status))
        contact.watch?.journey = journey
        return contact
    }

    @Test func toldResponderSeesTheJourney() throws {
        let told = try ana(journey: WatchedJourney(name: "Zugspitze", expectedReturn: back))
        let card = screen { DependentsFeature.view(.init(contacts: .init(contacts: [told]))) }
        let details = screen {
            ContactDetailsSheetViewFeature.view(.init(contact: told, isSheetPresented: true))
        }
        for text in [card.text, details.text] {
            #expect(text.contains("On a journey Zugspitze, back by"))
        }
        #expect(card.markup.contains(Timestamp.text(back)))
        let untold = try ana()
        #expect(
            !screen { DependentsFeature.view(.init(contacts: .init(contacts: [untold]))) }
                .shows(JourneyWords.onAJourney))
    }

    @Test func troubleNamesTheJourney() throws {
        let contact = try ana(status: .alertActive)
        let alert = overdue
        let page = screen {
            DependentsFeature.view(
                .init(contacts: .init(contacts: [contact])), journey: { _ in alert })
        }
        #expect(page.shows("Ana is not back from Zugspitze. Expected at"))
        #expect(!page.shows("has raised an alert"))
    }

    @Test func alertPageShowsTheNote() throws {
        var alert = overdue
        alert.note = "By car.\n<b>Over the top</b>"
        let contact = try ana(status: .alertActive)
        let page = screen {
            DependentAlertFeature.view(.init(dependent: contact, alert: alert))
        }
        #expect(page.shows("Ana is not back from Zugspitze") && page.shows("Expected at"))
        #expect(page.shows("Ana’s note") && page.shows("By car."))
        #expect(page.markup.contains("&lt;b&gt;Over the top"))
        alert.note = nil
        let without = screen {
            DependentAlertFeature.view(.init(dependent: contact, alert: alert))
        }
        #expect(!without.shows("Ana’s note"))
    }

    @Test func namesAreEscaped() {
        var state = running
        state.journey?.name = Sample.hostile
        let card = screen { JourneyFeature.card(state) }
        #expect(card.markup.contains(Sample.hostileEscaped) && !card.markup.contains("<script"))
    }
}
