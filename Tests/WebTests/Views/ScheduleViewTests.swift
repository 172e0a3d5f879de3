import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

/// The form of a schedule with its last call, in the sheet and in the onboarding.
@Suite("The schedule, on a page")
struct ScheduleViewTests {
    private typealias Form = ScheduleFeature.State

    /// A check-in every day by 10:00 in Berlin.
    private func form(_ change: (inout Form) -> Void = { _ in }) -> Form {
        var form = Form(
            CheckInSchedule(settings: .standard, lastCheckIn: Sample.ago(.hours(1))),
            timeZone: "Europe/Berlin", at: Sample.now)
        form.kind = .times
        change(&form)
        return form
    }

    private func sheet(_ form: Form) -> Screen<CheckInFeature.Action> {
        screen { CheckInFeature.sheets(.init(scheduleSheet: form)) }
    }

    private func window(_ id: Int, _ deadline: String) -> ScheduleFeature.Window {
        var window = ScheduleFeature.Window.standard(id: id)
        window.deadline = deadline
        return window
    }

    // MARK: Choices

    @Test func kindIsChosen() throws {
        let sheet = sheet(form())
        #expect(try sheet.control(labelled: "By a time of day").hasAttribute("checked"))
        for kind in CheckInPlan.Kind.choices {
            #expect(
                try sheet.change(kind.words, to: .text(kind.rawValue), "choose")
                    == .schedule(.kindChosen(kind)))
        }
        #expect(!sheet.shows("How often"))
    }

    @Test func timeAndDaysAndOpeningAreChosen() throws {
        let sheet = sheet(form { $0.windows[0].days.remove(.sunday) })
        let time = try sheet.control(labelled: ScheduleWords.deadline)
        #expect(time.attribute("type") == "time" && time.attribute("value") == "10:00")
        #expect(
            try sheet.change(ScheduleWords.deadline, to: .text("09:30"))
                == .schedule(.deadlineChanged(0, "09:30")))
        for day in Weekday.allCases {
            #expect(
                try sheet.control(labelled: day.word).hasAttribute("checked") == (day != .sunday))
            #expect(
                try sheet.change(day.word, to: .flag(day == .sunday), "toggle")
                    == .schedule(.dayToggled(0, day)))
        }
        let opening = ScheduleWords.opening
        #expect(
            try sheet.change(opening, to: .text("60"), "choose")
                == .schedule(.leadChosen(0, minutes: 60)))
        #expect(
            try sheet.change(opening, to: .text(""), "choose")
                == .schedule(.leadChosen(0, minutes: nil)))
    }

    /// The choices of the form don't include an opening of 90 minutes, which another client set.
    @Test func unusualOpeningStaysChosen() {
        let sheet = sheet(form { $0.windows[0].lead = 90 })
        #expect(sheet.markup.contains(#/<option[^>]*value="90"[^>]* selected/#))
        #expect(sheet.shows(ScheduleFeature.Window.leadWords(90)))
    }

    @Test func timeZoneIsTyped() throws {
        let sheet = sheet(form())
        let zone = ScheduleWords.timeZone
        #expect(try sheet.control(labelled: zone).attribute("value") == "Europe/Berlin")
        #expect(
            try sheet.change(zone, to: .text("Asia/Tokyo"))
                == .schedule(.timeZoneChanged("Asia/Tokyo")))
    }

    @Test func sleepHoursAreChosen() throws {
        let words = ScheduleWords.sleepHours
        let off = sheet(form { $0.kind = .interval })
        #expect(try !off.control(labelled: words).hasAttribute("checked"))
        #expect(try off.change(words, to: .flag(true), "toggle") == .schedule(.sleepHoursToggled))
        #expect(off.shows(ScheduleWords.sleepHint))
        #expect(!off.shows(ScheduleWords.sleepFrom) && !off.shows(ScheduleWords.timeZone))
        let on = sheet(sleeping())
        #expect(try on.control(labelled: words).hasAttribute("checked"))
        let from = try on.control(labelled: ScheduleWords.sleepFrom)
        #expect(from.attribute("type") == "time" && from.attribute("value") == "22:00")
        #expect(
            try on.change(ScheduleWords.sleepFrom, to: .text("23:00"))
                == .schedule(.sleepFromChanged("23:00")))
        #expect(
            try on.change(ScheduleWords.sleepUntil, to: .text("08:00"))
                == .schedule(.sleepUntilChanged("08:00")))
        #expect(
            try on.change(ScheduleWords.timeZone, to: .text("Asia/Tokyo"))
                == .schedule(.timeZoneChanged("Asia/Tokyo")))
        #expect(!sheet(form()).shows(words))
    }

    private func sleeping(_ change: (inout Form) -> Void = { _ in }) -> Form {
        form {
            $0.kind = .interval
            $0.hasSleepHours = true
            change(&$0)
        }
    }

    @Test func longSleepIsExplained() throws {
        let sheet = sheet(sleeping { $0.sleepUntil = "08:01" })
        #expect(sheet.shows(RefusalWords.sleepLength.detail))
        #expect(
            try sheet.control(labelled: ScheduleWords.sleepUntil).attribute("aria-invalid")
                == "true")
        #expect(
            try sheet.control(labelled: "Or another number of hours").attribute("aria-invalid")
                == nil)
        #expect(try !sheet.canPress("Save"))
    }

    @Test func timesAreAddedAndRemoved() throws {
        let one = sheet(form())
        #expect(try one.press(ScheduleWords.addTime) == .schedule(.addWindowTapped))
        #expect(!one.buttons.contains { $0.hasPrefix(ScheduleWords.removeTime) })
        let two = sheet(form { $0.windows = [window(0, "10:00"), window(3, "21:00")] })
        #expect(
            try two.press("\(ScheduleWords.removeTime): 21:00")
                == .schedule(.removeWindowTapped(3)))
        // Several times are told apart.
        #expect(
            try two.change("\(Weekday.monday.word), 21:00", to: .flag(false), "toggle")
                == .schedule(.dayToggled(3, .monday)))
        let six = sheet(form { $0.windows = (0..<6).map { window($0, "1\($0):00") } })
        #expect(!six.buttons.contains(ScheduleWords.addTime))
    }

    @Test func typedTextIsEscaped() {
        let sheet = sheet(form { $0.timeZone = Sample.hostile })
        #expect(sheet.markup.contains("value=\"\(Sample.hostileEscaped)\""))
        #expect(!sheet.markup.contains("<script"))
    }

    // MARK: What it means

    @Test func meaningIsShownBeforeSaving() {
        let form = form()
        let sheet = sheet(form)
        #expect(sheet.shows(ScheduleWords.nextDeadlines))
        #expect(form.nextDeadlineWords.count == 3)
        for words in form.nextDeadlineWords { #expect(sheet.shows(words)) }
        #expect(sheet.shows("Longest time until we tell someone: 30 hours"))
        #expect(sheet.shows("New times begin at least an hour from now."))
    }

    /// The last check-in was before the end of the pause, or after it.
    @Test(arguments: [(Duration.hours(3), true), (.hours(1), false)])
    func intervalSaysWhatItCountsFrom(last: Duration, isFromPause: Bool) {
        let pause = CheckInPause(began: Sample.ago(.hours(3)), until: Sample.ago(.hours(2)))
        let sheet = sheet(
            Form(
                CheckInSchedule(
                    settings: .standard, lastCheckIn: Sample.ago(last), pause: pause),
                timeZone: "Europe/Berlin", at: Sample.now))
        #expect(
            sheet.shows("A new interval counts from the end of your pause.") == isFromPause)
        #expect(
            sheet.shows("A new interval counts from your last check-in.") == !isFromPause)
    }

    @Test func noneSaysThatNobodyIsTold() throws {
        let sheet = sheet(form { $0.kind = .none })
        #expect(sheet.shows("Nobody is told if you are silent. Alerts still work."))
        #expect(!sheet.shows(ScheduleWords.nextDeadlines))
        #expect(!sheet.shows(ScheduleWords.deadline) && !sheet.shows(LastCall.title))
        #expect(!sheet.shows("New times begin"))
        #expect(try sheet.canPress("Save"))
    }

    @Test func brokenRuleIsExplained() throws {
        let sheet = sheet(form { $0.windows[0].days = [] })
        #expect(sheet.shows(RefusalWords.noTimes.detail))
        #expect(sheet.markup.contains("role=\"alert\""))
        #expect(!sheet.shows(ScheduleWords.nextDeadlines))
        #expect(try !sheet.canPress("Save"))
    }

    @Test func questionIsAskedBeforeSaving() throws {
        var asked = form { $0.kind = .none }
        #expect(screen { scheduleQuestion(asked) }.text.isEmpty)
        asked.question = .noDeadlines
        let question = screen { scheduleQuestion(asked) }
        #expect(question.shows(ScheduleWords.question))
        #expect(question.markup.contains(#/<h2 [^>]*data-focus/#))
        #expect(question.shows("we tell no one unless you raise an alert"))
        #expect(try question.press(ScheduleWords.save) == .questionAnswered(yes: true))
        #expect(try question.press(ScheduleWords.goBack) == .questionAnswered(yes: false))
        #expect(try question.send("dismiss", from: "dialog") == .questionAnswered(yes: false))
        #expect(sheet(asked).shows(ScheduleWords.question))
    }

    // MARK: The last call

    @Test func lastCallIsChosen() throws {
        let fields = screen { reminderChoice(form()) }
        #expect(fields.shows(LastCall.title) && fields.shows(LastCall.hint))
        #expect(try fields.control(labelled: LastCall.messageWords).hasAttribute("checked"))
        #expect(try !fields.control(labelled: LastCall.answerWords).hasAttribute("checked"))
        #expect(
            try fields.change(LastCall.messageWords, to: .flag(false), "toggle")
                == .lastCallToggled)
        #expect(
            try fields.change(LastCall.answerWords, to: .flag(true), "toggle")
                == .lastCallAnswersToggled)
        let choices: [(String, Bool?)] = [("", nil), ("true", true), ("false", false)]
        for (text, calls) in choices {
            #expect(
                try fields.change(LastCall.callTitle, to: .text(text), "choose")
                    == .lastCallByPhoneChosen(calls))
            #expect(fields.shows(LastCall.words(ofCalls: calls)))
        }
    }

    @Test(arguments: [(nil, ""), (true, "true"), (false, "false")] as [(Bool?, String)])
    func chosenCallIsSelected(calls: Bool?, value: String) throws {
        let fields = screen { reminderChoice(form { $0.lastCall.calls = calls }) }
        let selected = fields.markup.matches(of: #/<option[^>]*value="([a-z]*)"[^>]* selected/#)
        #expect(selected.map { String($0.1) } == [value])
    }

    // MARK: In the onboarding

    private func onboarding(
        _ change: (inout Form) -> Void = { _ in }, error: UserFacingError? = nil
    ) -> Screen<OnboardingFeature.Action> {
        var form = Form.ofNewUser
        form.timeZone = "Europe/Berlin"
        change(&form)
        return screen {
            OnboardingFeature.view(
                .init(name: "Ana", schedule: form, step: .schedule, error: error))
        }
    }

    /// One screen asks for the time and the days. The rest is folded.
    @Test func rareChoicesAreFolded() throws {
        let page = onboarding()
        let fold = try #require(page.markup.range(of: "<details"))
        let folded = String(page.markup[fold.lowerBound...])
        #expect(page.shows(ScheduleWords.moreChoices))
        for words in [ScheduleWords.opening, ScheduleWords.addTime, ScheduleWords.timeZone] {
            #expect(folded.contains(words))
            #expect(!page.markup[..<fold.lowerBound].contains(words))
        }
        #expect(page.markup[..<fold.lowerBound].contains("type=\"time\""))
        #expect(
            try page.change(ScheduleWords.timeZone, to: .text("Asia/Tokyo"))
                == .schedule(.timeZoneChanged("Asia/Tokyo")))
        #expect(
            try page.change(ScheduleWords.opening, to: .text("30"), "choose")
                == .schedule(.leadChosen(0, minutes: 30)))
    }

    @Test func sleepHoursAreFoldedUntilChosen() throws {
        let page = onboarding { $0.kind = .interval }
        let fold = try #require(page.markup.range(of: "<details"))
        #expect(page.markup[fold.lowerBound...].contains(ScheduleWords.sleepHours))
        let chosen = onboarding {
            $0.kind = .interval
            $0.hasSleepHours = true
        }
        #expect(!chosen.markup.contains("<details") && chosen.shows(ScheduleWords.sleepFrom))
    }

    @Test func severalTimesAreNotFolded() {
        let page = onboarding { $0.windows = [window(0, "10:00"), window(1, "21:00")] }
        #expect(!page.shows(ScheduleWords.moreChoices))
        #expect(page.shows(ScheduleWords.timeZone))
    }

    /// Some browsers hide the time zone. The first look at the form isn't a mistake.
    @Test func refusalWaitsForTheFirstTry() {
        let words = RefusalWords.noTimeZone.detail
        #expect(!onboarding { $0.timeZone = "" }.shows(words))
        #expect(onboarding({ $0.timeZone = "" }, error: Sample.error).shows(words))
    }
}
