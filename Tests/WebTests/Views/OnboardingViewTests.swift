import Domain
import Features
import Testing

@testable import LivePages
@testable import Web

@Suite("Onboarding, on a page")
struct OnboardingViewTests {
    private func page(_ state: OnboardingFeature.State) -> Screen<OnboardingFeature.Action> {
        screen { OnboardingFeature.view(state) }
    }

    private func interval(
        _ change: (inout ScheduleFeature.State) -> Void = { _ in }
    ) -> ScheduleFeature.State {
        var state = ScheduleFeature.State.ofNewUser
        state.kind = .interval
        change(&state)
        return state
    }

    @Test(arguments: OnboardingFeature.Step.allCases) func eachOnboardingStepHasTitle(
        _ step: OnboardingFeature.Step
    ) throws {
        let page = page(.init(name: "Ana", step: step))
        #expect(page.headings == [1])
        #expect(page.shows("Step \(step.rawValue + 1) of 6"))
        #expect(
            try page.send("submit", from: "form")
                == (step == .checkIn ? .checkInButtonTapped : .nextButtonTapped))
        let canGoBack = step != .name && step != .responder
        #expect(page.buttons.contains("Back") == canGoBack)
        if canGoBack { #expect(try page.press("Back") == .backButtonTapped) }
        // The browser's Back button goes back one step if the step has a back button. It never
        // leaves the app.
        #expect(page.markup.contains("data-depth=\"\(step.rawValue)\""))
        #expect(page.markup.contains("data-back") == (step != .name))
    }

    /// The script keeps typed text across a restart of the server, until the server has it.
    @Test(arguments: OnboardingFeature.Step.allCases)
    func typedTextIsDraft(_ step: OnboardingFeature.Step) {
        let markup = page(.init(name: "Ana", step: step)).markup
        #expect(markup.contains("data-steps") == (step != .responder))
        if step == .name || step == .emergencyNote { #expect(markup.contains("data-draft")) }
    }

    @Test func lastStepOffersFirstResponder() throws {
        let page = page(.init(name: "Ana", step: .responder))
        #expect(page.shows("Who should we tell?") && !page.buttons.contains("Continue"))
        #expect(page.shows(QRCodeFeature.disclosure))
        #expect(try page.press("Show my code") == .firstResponderChosen(.showCode))
        #expect(try page.press("Scan someone’s code") == .firstResponderChosen(.scanCode))
        #expect(
            try page.press("Invite someone by phone number or e-mail")
                == .firstResponderChosen(.invite))
        #expect(try page.press("Later") == .firstResponderChosen(.later))
        #expect(try page.press("Add a passkey") == .passkeys(.addButtonTapped))
    }

    @Test func onboardingAcceptsAndEscapesName() throws {
        let page = page(.init(name: Sample.hostile))
        #expect(try page.control(labelled: "Name").attribute("autocomplete") == "name")
        #expect(page.markup.contains("value=\"\(Sample.hostileEscaped)\""))
        #expect(!page.markup.contains("<script"))
        #expect(try page.change("Name", to: .text("Ana")) == .nameChanged("Ana"))
    }

    @Test func onboardingAcceptsAndEscapesNote() throws {
        let page = page(.init(emergencyNote: Sample.hostile, step: .emergencyNote))
        #expect(page.markup.contains(Sample.hostileEscaped + "</textarea>"))
        #expect(
            try page.change("Emergency note", to: .text("Insulin"))
                == .emergencyNoteChanged("Insulin"))
    }

    @Test(arguments: OnboardingFeature.Step.allCases) func noteStepNamesTheCopy(
        _ step: OnboardingFeature.Step
    ) throws {
        var state = OnboardingFeature.State(name: "Ana", step: step)
        #expect(
            page(state).shows(CopyWords.explanationBeforeItIsKnown) == (step == .emergencyNote))
        state.copiesToGoogle = false
        #expect(!page(state).shows(CopyWords.leaveNoteOut))
        state.copiesToGoogle = true
        let copying = page(state)
        #expect(copying.shows(CopyWords.explanation) == (step == .emergencyNote))
        guard step == .emergencyNote else { return }
        #expect(try !copying.control(labelled: CopyWords.leaveNoteOut).hasAttribute("checked"))
        #expect(
            try copying.change(CopyWords.leaveNoteOut, to: .flag(true), "toggle")
                == .leaveNoteOutToggled)
    }

    @Test func intervalCanBeChosenOrTyped() throws {
        let page = page(.init(schedule: interval(), step: .schedule))
        #expect(try page.control(labelled: "Every 24 hours").hasAttribute("checked"))
        #expect(try !page.control(labelled: "Every 8 hours").hasAttribute("checked"))
        #expect(
            try page.change("Every 8 hours", to: .text("28800"), "choose")
                == .schedule(.intervalPresetTapped(.hours(8))))
        let hours = "Or another number of hours"
        #expect(
            try page.change(hours, to: .text("36"))
                == .schedule(.customIntervalChanged(hours: 36)))
        #expect(page.shows("Whole hours, from 1 to 168, which is 7 days."))
    }

    @Test(arguments: ["", "-3", "9999", "99999999999999999999999", "two", "9000000000000000"])
    func invalidHoursBecomeZero(_ text: String) throws {
        let page = page(.init(schedule: interval(), step: .schedule))
        #expect(
            try page.change("Or another number of hours", to: .text(text))
                == .schedule(.customIntervalChanged(hours: 0)))
    }

    @Test func remindersCanBeSwitched() throws {
        let schedule = interval { $0.twoHoursBefore = false }
        let page = page(.init(schedule: schedule, step: .reminders))
        #expect(try !page.control(labelled: "2 hours before").hasAttribute("checked"))
        #expect(try page.control(labelled: "30 minutes before").hasAttribute("checked"))
        #expect(
            try page.change("2 hours before", to: .flag(true), "toggle")
                == .schedule(.twoHoursReminderToggled))
        #expect(
            try page.change("30 minutes before", to: .flag(false), "toggle")
                == .schedule(.thirtyMinutesReminderToggled))
    }

    @Test func onboardingEndsWithFirstCheckIn() throws {
        let schedule = interval { $0.interval = .hours(16) }
        #expect(
            page(.init(name: "Ana", schedule: schedule, step: .checkIn)).shows(
                "From now on you check in every 16 hours."))
        #expect(try page(.init(name: "Ana", step: .checkIn)).canPress("Check in"))
        #expect(
            try !page(.init(name: "Ana", step: .checkIn, isLoading: true)).canPress("Checking in …")
        )
    }

    @Test func onboardingErrorCanBeDismissed() throws {
        #expect(try page(.init(error: Sample.error)).press("Dismiss") == .dismissError)
    }
}
