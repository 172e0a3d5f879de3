import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("The call for help, on a page")
struct AlertViewTests {
    private func active(
        _ alert: AlertRecord? = Sample.alert(),
        _ change: (inout AlertFeature.State) -> Void = { _ in }
    ) -> AlertFeature.State {
        var state = AlertFeature.State(
            isAlertActive: true, alertStartTime: Sample.ago(.minutes(5)),
            alertHistory: alert.map { [$0] } ?? [])
        state.alertID = Sample.id(1)
        change(&state)
        return state
    }

    private func page(_ state: AlertFeature.State) -> Screen<AlertFeature.Action> {
        screen { AlertFeature.view(state) }
    }
    private func full(_ state: AlertFeature.State) -> Screen<AlertFeature.Action> {
        screen { AlertFeature.screen(state) }
    }

    @Test func showsOwnEmergencyNumberWithCallButton() throws {
        let number = EmergencyNumber(for: try PhoneNumber("+4915112345678"))
        let page = screen { AlertFeature.screen(active(), emergency: number) }
        #expect(page.shows("Emergency number where your phone is registered: 112."))
        #expect(page.markup.contains("href=\"tel:112\""))
        #expect(page.shows("In another country, call the number used there."))
        #expect(full(active()).shows("Call your local emergency number."))
    }

    @Test func alertBarLeavesCountingToScript() throws {
        let bar = screen { AlertFeature.bar(.init()) as HTML<AlertFeature.Action> }
        #expect(bar.shows("Call for help: press 4 times"))
        #expect(bar.markup.contains("data-offline=\"alert\"") && !bar.markup.contains("data-tap"))
        #expect(!bar.markup.contains("data-again"))
    }

    @Test func alertBarIsHiddenDuringAlert() {
        for state in [active(), .init(isActivatingAlert: true)] {
            #expect(screen { AlertFeature.bar(state) as HTML<AlertFeature.Action> }.text == "")
        }
    }

    /// The script changes the bar's part of the page, so the server must never change that part.
    @Test func alertBarNeverChanges() throws {
        var rendering = Renderer.render(AlertFeature.bar(.init()) as HTML<AlertFeature.Action>)
        var other = AlertFeature.State(activationProgress: 0.5, error: "It did not work.")
        other.hasResponders = false
        rendering = Renderer.render(
            AlertFeature.bar(other) as HTML<AlertFeature.Action>, after: rendering)
        #expect(rendering.generation == 1)
    }

    @Test func showsEndConfirmation() {
        var state = AlertFeature.State()
        state.endedWords = AlertWords.ended(told: ["Ben", "Cleo"])
        #expect(page(state).shows("Alert ended. Ben and Cleo are being told."))
    }

    @Test func holdButtonIsStableWhileHeld() throws {
        var state = active()
        var rendering = Renderer.render(AlertFeature.screen(state))
        for progress in [0.25, 0.5, 0.75] {
            state.deactivationProgress = progress
            rendering = Renderer.render(AlertFeature.screen(state), after: rendering)
        }
        let button = try #require(
            rendering.parts.values.first { $0.pieces.contains { $0.contains("hold-button") } })
        #expect(button.changedAt == 1 && rendering.generation == 4)
    }

    /// The script shows it offline, after the end.
    @Test func openAlertHasHiddenButtonForNewOne() throws {
        let markup = full(active()).markup
        let button = try #require(markup.firstMatch(of: #/<button[^>]*data-after-end[^>]*>/#)).0
        #expect(button.contains("data-offline=\"alert\"") && button.contains("data-again"))
        #expect(button.contains(" hidden"))
    }

    @Test func showsUnsentEnd() {
        var state = AlertFeature.State()
        state.isSendingEnd = true
        #expect(page(state).shows("The end of your alert will be sent"))
        #expect(!state.isOnOrBeingRaised)
    }

    @Test func openAlertHasTitleAndStopwatch() {
        let page = full(active())
        #expect(page.headings == [1, 2, 2])
        #expect(page.shows("Alert is on"))
        #expect(page.markup.contains("<small>On for </small>"))
        #expect(page.markup.contains("datetime=\"2023-11-14T22:08:20.000Z\" data-stopwatch"))
        #expect(page.markup.contains("Your alert was sent."))
    }

    @Test func unsentAlertIsNotAnnouncedAsSent() {
        let page = full(active(nil) { $0.isSendingStart = true })
        #expect(!page.markup.contains("Your alert was sent."))
    }

    @Test func userCanContradictReport() throws {
        var alert = Sample.alert()
        alert.report = AlertAction(
            kind: .foundSafe, responderId: "r", name: "Ben", time: Sample.now)
        let page = full(active(alert))
        #expect(page.shows("Ben reports that you are safe"))
        #expect(page.shows("No one is alerted again until"))
        #expect(!page.shows("No one is on it yet"))
        #expect(
            try page.press("That is not true: alert everyone again")
                == .resumeButtonTapped(alert.id))
        let busy = full(active(alert) { $0.resumingAlert = alert.id })
        #expect(try !busy.canPress("Alerting everyone …"))
    }

    /// - Parameter hasReport: true if a report is in force, whose author has refused since.
    @Test(arguments: [false, true])
    func emergencyNumberIsOfferedWhenAllDecline(hasReport: Bool) throws {
        var alert = Sample.alert()
        if hasReport {
            alert.report = AlertAction(
                kind: .foundSafe, responderId: "r", name: "Ben", time: Sample.now)
        } else {
            alert.refusals = [
                AlertAction(kind: .declined, responderId: "r", name: "Ben", time: Sample.now)
            ]
            #expect(full(active(alert)).shows("Ben can’t come. No one else is on it yet."))
        }
        alert.isRefusedByAll = true
        let number = EmergencyNumber(for: try PhoneNumber("+4915112345678"))
        let page = screen {
            AlertFeature.notice(
                active(alert), emergency: number, show: AlertFeature.Action.loadAlertStatus,
                checkIn: .loadAlertStatus, embed: { $0 })
        }
        #expect(page.shows("Your responders can’t come: everyone who can be reached has said so."))
        #expect(page.markup.contains("href=\"tel:112\""))
        #expect(page.shows("Ben reports that you are safe") == hasReport)
    }

    @Test(arguments: [true, nil] as [Bool?])
    func emergencyNumberIsOfferedWhenMessagesFail(isUnheard: Bool?) throws {
        var alert = Sample.alert()
        alert.isUnheard = isUnheard
        let number = EmergencyNumber(for: try PhoneNumber("+4915112345678"))
        let page = screen {
            AlertFeature.notice(
                active(alert), emergency: number, show: AlertFeature.Action.loadAlertStatus,
                checkIn: .loadAlertStatus, embed: { $0 })
        }
        #expect(page.shows("No message reaches your responders.") == (isUnheard == true))
        #expect(page.markup.contains("href=\"tel:112\"") == (isUnheard == true))
    }

    @Test func endOnOtherDeviceOffersActions() throws {
        var state = AlertFeature.State()
        state.endElsewhere = EndElsewhere(
            kind: .manual, time: Sample.now, ending: .init(sessionId: "s", deviceName: "Tablet"))
        var page = page(state)
        #expect(page.shows("Your alert was ended on another device, “Tablet”"))
        #expect(try page.press("Sign that device out") == .signOutElsewhereButtonTapped)
        #expect(try page.press("OK, that was me") == .endElsewhereRead)
        state.endElsewhere?.isSessionEnded = true
        page = self.page(state)
        #expect(page.shows("That device is signed out."))
        #expect(!page.buttons.contains("Sign that device out"))
    }

    /// As an event, the press would be lost with the page while the server can't be reached.
    @Test func scriptCallsForHelpAgain() throws {
        var state = AlertFeature.State()
        state.endElsewhere = EndElsewhere(
            kind: .manual, time: Sample.now, ending: .init(sessionId: "s", deviceName: "Tablet"))
        let page = page(state)
        let button = try #require(
            page.markup.firstMatch(of: #/<button[^>]*data-offline="alert"[^>]*>/#)?.output)
        #expect(button.contains("data-again"))
        #expect(page.buttons.contains("Call for help again"))
        #expect(!button.contains("data-tap"))
        #expect(page.markup.components(separatedBy: "data-offline").count == 2)
    }

    @Test func showsRaisingAndUnsentAlert() {
        var raising = AlertFeature.State(isActivatingAlert: true)
        raising.alertID = Sample.id(1)
        #expect(raising.isOnOrBeingRaised)
        #expect(full(raising).shows("Calling for help …"))
        #expect(
            full(active(nil) { $0.isSendingStart = true }).shows(
                "Your alert will be sent as soon as LifeSignal can be reached."))
    }

    /// The script stores the end of this alert until the end has reached the server.
    @Test func endButtonsNameTheirAlert() throws {
        let question = AlertState<AlertFeature.Action> {
            TextState("End it?")
        } actions: {
            ButtonState(action: .alertDeactivationConfirmed) { TextState("End alert") }
            ButtonState(role: .cancel) { TextState("Keep it") }
        }
        let screen = full(active { $0.confirmationAlert = question })
        let id: AlertID = Sample.id(1)
        #expect(screen.markup.components(separatedBy: "data-ends=\"\(id)\"").count == 3)
        #expect(screen.markup.contains("data-asks-to-end=\"\(id)\""))
    }

    /// Other questions focus their title. An answer about the own alert must take one key less.
    @Test func endQuestionFocusesItsButton() {
        let question = AlertState<AlertFeature.Action> {
            TextState("End it?")
        } actions: {
            ButtonState(action: .alertDeactivationConfirmed) { TextState("End alert") }
        }
        let screen = full(active { $0.confirmationAlert = question })
        #expect(screen.markup.contains("id=\"end-alert-title\""))
        #expect(!screen.markup.contains(#/<h2[^>]*data-focus/#))
    }

    @Test func showsWhoIsComing() {
        #expect(full(active()).shows("No one is on it yet."))
        let answered = full(active(Sample.alert(answeredBy: "Ben")))
        #expect(answered.shows("Ben is on it"))
        #expect(!answered.shows("No one is on it yet."))
    }

    @Test func showsRecipientsAndChannels() throws {
        let told =
            DeliveryState.allCases.map { Sample.told("Ben", .sms, $0) }
            + DeliveryChannel.allCases.map { Sample.told("Cleo", $0) }
        let page = full(active(Sample.alert(told: told)))
        #expect(page.shows("text not delivered"))
        #expect(page.shows("Cleo: told in the app"))
        let rows = page.markup.matches(of: #/Cleo: /#).count
        #expect(rows == 1 + DeliveryChannel.allCases.count, "one for her, and one for each step")
        #expect(page.shows("Step by step") && page.shows("SMS not delivered"))
        #expect(try page.press("Refresh") == .loadAlertDetails(Sample.alert().id))
        #expect(full(active()).shows("Your responders are being told."))
    }

    /// A new section would close the unfolded steps and drop the focus.
    @Test func answerReloadsDetailsAndKeepsSection() {
        func rendering(
            _ alert: AlertRecord, after previous: Rendering<AlertFeature.Action>? = nil
        ) -> Rendering<AlertFeature.Action> {
            withDependencies {
                $0.date.now = Sample.now
            } operation: {
                Renderer.render(AlertFeature.screen(active(alert)), after: previous)
            }
        }
        func section(_ rendering: Rendering<AlertFeature.Action>) -> PartID? {
            let screen = PartID.root.child("alert-screen")
            let id = screen.child("told-\(Sample.alert().id)")
            return rendering.parts[id] == nil ? nil : id
        }
        let before = rendering(Sample.alert())
        let after = rendering(Sample.alert(answeredBy: "Ben"), after: before)
        #expect(section(before) != nil && section(before) == section(after))
        let new = after.announced.filter { before.parts[$0] == nil }
        let sent: [AlertFeature.Action] = new.compactMap { after.parts[$0]?.appearing?.sent() }
        #expect(sent == [.loadAlertDetails(Sample.alert().id)])
    }

    @Test func stepsAreAnOrderedListWithTimes() throws {
        var alert = Sample.alert(answeredBy: "Ben", told: [Sample.told("Ben")])
        alert.receivedTime = Sample.now.adding(.minutes(2))
        let list = try #require(full(active(alert)).markup.firstMatch(of: #/<ol.*?</ol>/#)?.output)
        let words = [
            "Alert raised by hand", "Ben: SMS sent", "Ben took it on", "The alert reached",
        ]
        let places = words.map { list.firstRange(of: $0)?.lowerBound }
        #expect(!places.contains(nil))
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(list.matches(of: #/<time datetime="/#).count == 4)
        #expect(!full(active()).shows("Step by step"), "before the details have loaded")
    }

    @Test func responseTimesAreBarsAndATable() {
        let fast = Sample.alert(1, until: Sample.now, answeredBy: "Ben")
        let open = Sample.alert(2, since: Sample.ago(.hours(1)))
        let page = screen { AlertFeature.history(.init(alertHistory: [fast, open])) }
        #expect(page.markup.contains("viewBox=\"0 0 120 40\"><title>Time until someone took an"))
        #expect(page.markup.contains(#"<rect width="8" x="1" y="39" height="1"/>"#))
        #expect(page.markup.contains(#"<rect width="8" x="11" y="0" height="40"/>"#))
        #expect(page.shows("Response times as a table") && page.shows("not taken on"))
        #expect(page.markup.contains("<th scope=\"row\">") && !page.markup.contains("style="))
        let none = screen { AlertFeature.history(.init(alertHistory: [open])) }
        #expect(!none.markup.contains("<svg") && !none.shows("Response times"))
    }

    @Test func manyResponsesNarrowTheBars() {
        let alerts = (0..<13).map { Sample.alert(UInt8($0), until: Sample.now, answeredBy: "Ben") }
        let page = screen { AlertFeature.history(.init(alertHistory: alerts)) }
        #expect(page.markup.contains("viewBox=\"0 0 130 40\""))
    }

    @Test func ledgerRowEndsWithAnswer() {
        let told = [
            Sample.told("Ben", .sms, .acknowledged), Sample.told("Ben"), Sample.told("Ben"),
            Sample.told("Cleo", .webhook, .failed),
        ]
        let rows = LedgerRow.rows(of: told)
        #expect(rows.map(\.name) == ["Ben", "Cleo"])
        #expect(rows.map(\.words) == [["texted", "answered"], ["push message not delivered"]])
    }

    @Test func answerBeforeAnAlarmHasItsOwnTime() throws {
        var waiting = Sample.told("Ben", .sms, .queued)
        (waiting.attempts, waiting.time) = (0, Sample.now.adding(.minutes(3)))
        var alert = Sample.alert(told: [Sample.told("Ben", .sms, .acknowledged), waiting])
        let time = Sample.now.adding(.minutes(1))
        alert.history = [
            AlertAction(kind: .foundSafe, responderId: "Ben", name: "Ben", time: time)
        ]
        let page = full(active(alert)).markup
        let list = try #require(page.firstMatch(of: #/list ledger.*?<\/ul>/#)?.output)
        let answered = try #require(list.firstRange(of: "answered"))
        let waits = try #require(list.firstRange(of: "text waits"))
        #expect(answered.lowerBound < waits.lowerBound)
        #expect(list.matches(of: #/<time datetime="/#).count == 2)
    }

    @Test func withoutRespondersOffersToAddOne() throws {
        let pages = [
            full(active { $0.hasResponders = false }),
            screen {
                AlertFeature.missedCheckIn(missed { $0.hasResponders = false }, checkIn: nil) { $0 }
            },
        ]
        for page in pages {
            #expect(page.shows("have no responders") && !page.shows("our responders are"))
            #expect(try page.press("Add a responder") == .addResponderButtonTapped)
        }
    }

    @Test func unreachableRespondersLeadToACallForHelp() {
        let page = full(active { $0.areRespondersReachable = false })
        #expect(page.shows("No message reaches your responders. Call for help directly."))
        #expect(!page.shows("are alerted again"))
    }

    @Test func missedCheckInShowsHelperAndEnd() throws {
        let page = screen {
            AlertFeature.missedCheckIn(missed(), checkIn: .alertButtonTapped) { $0 }
        }
        #expect(page.shows("You missed your check-in") && page.shows("No one is on it yet."))
        #expect(try page.press("I am fine: check in") == .alertButtonTapped)
        #expect(
            screen { AlertFeature.missedCheckIn(missed(answeredBy: "Ben"), checkIn: nil) { $0 } }
                .shows("Ben is on it"))
    }

    private func missed(
        answeredBy name: String? = nil, _ change: (inout AlertFeature.State) -> Void = { _ in }
    ) -> AlertFeature.State {
        var state = AlertFeature.State()
        state.missedCheckIn = Sample.alert(kind: .missedCheckIn, answeredBy: name)
        change(&state)
        return state
    }

    @Test func markupInNamesIsEscaped() {
        let page = full(
            active(Sample.alert(answeredBy: Sample.hostile, told: [Sample.told(Sample.hostile)])))
        #expect(page.markup.matches(of: #/&lt;script&gt;alert/#).count == 4)
        #expect(!page.markup.contains("<script"))
    }

    @Test func threeSecondHoldEndsAlert() throws {
        let page = full(active())
        #expect(page.markup.contains("data-hold-seconds=\"3.0\""))
        #expect(page.shows("Hold it for 3 seconds, with a finger, the space bar or the enter key."))
        #expect(
            try page.hold("I am safe: hold to end", 0.5) == .alertDeactivationProgressChanged(0.5))
    }

    @Test func endingWithoutHoldingAsksFirst() throws {
        #expect(
            try full(active()).press("End it without holding") == .alertDeactivationButtonTapped)
    }

    /// The script changes the text of the button when it asks.
    @Test func eachAlertHasItsOwnEndButton() throws {
        let parts = try (1...2 as ClosedRange<UInt8>).map {
            number -> Substring in
            let markup = full(active { $0.alertID = Sample.id(number) }).markup
            return try #require(markup.firstMatch(of: #/data-p="([^"]*)"[^>]*data-asks-to-end/#)).1
        }
        #expect(parts[0] != parts[1])
    }

    @Test func holdCanBeCancelled() throws {
        let page = full(active { $0.deactivationProgress = 0.5 })
        #expect(page.markup.contains("<progress max=\"1\" value=\"0.5\""))
        #expect(try page.press("Keep the alert") == .alertDeactivationProgressChanged(0))
    }

    @Test func timeStopsWhileAlertIsEnding() throws {
        let page = full(
            active {
                $0.isDeactivatingAlert = true
                $0.alertEndTime = Sample.now
            })
        #expect(page.shows("On for 05:00"))
        #expect(try !page.canPress("Ending …"))
    }

    @Test func alertHistoryShowsOutcomes() throws {
        let ended = Sample.alert(
            2, kind: .missedCheckIn, since: Sample.ago(.hours(2)), until: Sample.ago(.hours(1)),
            answeredBy: "Ben", toldLate: true)
        let told = Sample.alert(
            3, since: Sample.ago(.days(2)), until: Sample.ago(.days(1)), told: [Sample.told("Cleo")]
        )
        var state = AlertFeature.State(alertHistory: [ended, told])
        state.nextHistoryPage = "2"
        let page = screen { AlertFeature.history(state) }
        for words in [
            "Missed check-in", "Ended after 1 hour, ", "Ben took it on after 42 seconds.",
            "told late", "No one took it on.", "Cleo: texted",
        ] {
            #expect(page.shows(words), "\(words)")
        }
        #expect(try page.press("Who was told") == .loadAlertDetails(ended.id))
        #expect(try page.press("Show earlier alerts") == .loadMoreAlertHistory)
        #expect(screen { AlertFeature.history(.init()) }.text == "Your alerts None yet.")
    }

    @Test func alertErrorCanBeDismissed() throws {
        #expect(try page(.init(error: "It did not work.")).press("Dismiss") == .dismissError)
        #expect(
            try full(active { $0.error = "It did not work." }).press("Dismiss") == .dismissError)
    }
}
