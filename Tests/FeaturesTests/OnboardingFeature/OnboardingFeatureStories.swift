import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct OnboardingFeatureStories {
    let clock = TestClock()

    func store(
        _ state: OnboardingFeature.State = .init(),
        with prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<OnboardingFeature> {
        TestStore(initialState: state) {
            OnboardingFeature()
        } withDependencies: {
            $0.date = .following(clock)
            $0.uuid = .incrementing
            $0.userClient.updateProfile = { _, _ in .waiting }
            $0.checkInClient.updateSettings = { _, _ in .waiting }
            prepare(&$0)
        }
    }

    var lastStep: OnboardingFeature.State {
        .init(name: "Ana", schedule: .new(.interval), step: .checkIn)
    }

    @Test func fromTheNameToTheFirstCheckIn() async {
        let (names, settings, checkIns) = (
            Calls<String>([]), Calls<CheckInSettings>([]), Calls<CheckInID>([])
        )
        let store = store {
            $0.userClient.updateProfile = { name, note in
                names.withValue { $0.append("\(name ?? ""): \(note ?? "")") }
                return .waiting
            }
            $0.checkInClient.updateSettings = { new, _ in
                settings.withValue { $0.append(new) }
                return .waiting
            }
            $0.checkInClient.checkIn = { id, _ in
                checkIns.withValue { $0.append(id) }
                return .confirmed(Fixture.checkIn(0))
            }
        }
        #expect(!store.state.canContinue && !store.state.canGoBack)
        await store.send(.nameChanged(" Ana ")) { $0.name = " Ana " }
        #expect(store.state.canContinue)
        await store.send(.nextButtonTapped) { $0.step = .emergencyNote }
        await store.send(.emergencyNoteChanged("Diabetic")) { $0.emergencyNote = "Diabetic" }
        await store.send(.nextButtonTapped) {
            $0.step = .schedule
            $0.hasReadOfCopy = true
        }
        await store.send(.schedule(.kindChosen(.interval))) { $0.schedule.kind = .interval }
        await store.send(.schedule(.intervalPresetTapped(.hours(16)))) {
            $0.schedule.interval = .hours(16)
        }
        await store.send(.nextButtonTapped) { $0.step = .reminders }
        await store.send(.schedule(.twoHoursReminderToggled)) {
            $0.schedule.twoHoursBefore = false
        }
        await store.send(.nextButtonTapped) { $0.step = .checkIn }
        await store.send(.nextButtonTapped)
        await store.send(.checkInButtonTapped) {
            $0.isLoading = true
            $0.checkInID = Fixture.id(0)
        }
        await store.receive(\.finishResponse.success) {
            $0.isLoading = false
            $0.step = .responder
        }
        #expect(names.value == ["Ana: Diabetic"])
        #expect(
            settings.value == [
                CheckInSettings(
                    intervalSeconds: 16 * 3600, remindTwoHoursBefore: false,
                    remindThirtyMinutesBefore: true)
            ])
        #expect(checkIns.value == [Fixture.id(0)])
    }

    @Test(arguments: ["", "  ", String(repeating: "a", count: 101), "Ana\nBen"])
    func invalidNameBlocksTheStep(name: String) async throws {
        let store = store()
        store.exhaustivity = .off
        await store.send(.nameChanged(name))
        await store.send(.nextButtonTapped)
        #expect(store.state.step == .name && store.state.error?.code == "invalid-argument")
        await store.send(.nameChanged("Ana"))
        #expect(store.state.error == nil && store.state.canContinue)
    }

    @Test(arguments: [(4_000, true), (4_001, false)])
    func noteHasALimit(length: Int, isAccepted: Bool) async {
        let store = store(.init(name: "Ana", step: .emergencyNote))
        store.exhaustivity = .off
        await store.send(.emergencyNoteChanged(String(repeating: "a", count: length)))
        await store.send(.nextButtonTapped)
        #expect(
            (store.state.step == .schedule) == isAccepted
                && (store.state.error == nil) == isAccepted)
    }

    @Test(arguments: [
        (0, false), (1, true), (168, true), (169, false), (.max, false), (.min, false),
    ])
    func intervalHasLimits(hours: Int, isAccepted: Bool) async {
        let store = store(.init(name: "Ana", schedule: .new(.interval), step: .schedule))
        store.exhaustivity = .off
        await store.send(.schedule(.customIntervalChanged(hours: hours)))
        await store.send(.nextButtonTapped)
        if store.state.schedule.question != nil {
            await store.send(.schedule(.questionAnswered(yes: true)))
            await store.receive(\.schedule.delegate.save)
        }
        #expect(
            (store.state.step == .reminders) == isAccepted
                && (store.state.error == nil) == isAccepted)
    }

    @Test func goingBackKeepsTheInput() async {
        let store = store(.init(name: "Ana", emergencyNote: "x", step: .schedule, error: .refused))
        await store.send(.backButtonTapped) {
            $0.step = .emergencyNote
            $0.error = nil
        }
        await store.send(.backButtonTapped) { $0.step = .name }
        await store.send(.backButtonTapped)
        #expect(store.state.name == "Ana" && store.state.emergencyNote == "x")
    }

    @Test func retryReusesTheCheckInID() async {
        let checkIns = Calls<CheckInID>([])
        let store = store(lastStep) {
            $0.checkInClient.checkIn = { id, _ in
                checkIns.withValue { $0.append(id) }
                guard checkIns.value.count > 1 else { throw UserFacingError.refused }
                return .confirmed(Fixture.checkIn(0))
            }
        }
        await store.send(.checkInButtonTapped) {
            $0.isLoading = true
            $0.checkInID = Fixture.id(0)
        }
        await store.receive(\.finishResponse.failure) {
            $0.isLoading = false
            $0.error = .refused
        }
        await store.send(.checkInButtonTapped) {
            $0.isLoading = true
            $0.error = nil
        }
        await store.receive(\.finishResponse.success) {
            $0.isLoading = false
            $0.step = .responder
        }
        #expect(checkIns.value == [Fixture.id(0), Fixture.id(0)])
    }

    @Test func offlineOnboardingReachesTheFirstResponder() async {
        let store = store(lastStep) { $0.checkInClient.checkIn = { _, _ in .waiting } }
        await store.send(.checkInButtonTapped) {
            $0.isLoading = true
            $0.checkInID = Fixture.id(0)
        }
        await store.receive(\.finishResponse.success) {
            $0.isLoading = false
            $0.step = .responder
        }
        #expect(!store.state.canGoBack)
        await store.send(.backButtonTapped)
        await store.send(.nextButtonTapped)
        await store.send(.firstResponderChosen(.showCode))
        await store.receive(\.delegate.finished, .showCode)
    }

    @Test func responderComesAfterTheFirstCheckIn() async {
        await store(lastStep).send(.firstResponderChosen(.later))
    }

    @Test func inputIsLockedWhileSendingAndLeavingCancels() async {
        let store = store(lastStep) { [clock] in
            $0.checkInClient.checkIn = { _, _ in
                try await clock.sleep(for: .seconds(1))
                return .waiting
            }
        }
        await store.send(.checkInButtonTapped) {
            $0.isLoading = true
            $0.checkInID = Fixture.id(0)
        }
        await store.send(.checkInButtonTapped)
        await store.send(.nameChanged("Ben"))
        await store.send(.backButtonTapped)
        await store.send(.onDisappear) { $0.isLoading = false }
        await clock.advance(by: .seconds(1))
    }

    @Test func invalidEarlierStepIsShownAgain() async {
        let store = store(.init(step: .checkIn))
        await store.send(.checkInButtonTapped) {
            $0.step = .name
            $0.error = UserFacingError(
                catching: CommandError.invalidArgument(
                    field: "name", "Enter your name."))
        }
    }

    /// The name is sent last. A user without a name returns to the onboarding, not to tabs without
    /// a deadline.
    @Test func nameIsSentLast() async {
        let sent = Calls<String>([])
        let store = store(lastStep) {
            $0.checkInClient.updateSettings = { _, _ in
                sent.withValue { $0.append("settings") }
                return .waiting
            }
            $0.checkInClient.checkIn = { _, _ in
                sent.withValue { $0.append("check-in") }
                throw UserFacingError.unavailable
            }
            $0.userClient.updateProfile = { _, _ in
                sent.withValue { $0.append("name") }
                return .waiting
            }
        }
        store.exhaustivity = .off
        await store.send(.checkInButtonTapped)
        await store.receive(\.finishResponse.failure)
        #expect(sent.value == ["settings", "check-in"])
        store.dependencies.checkInClient.checkIn = { _, _ in .confirmed(Fixture.checkIn(0)) }
        await store.send(.checkInButtonTapped)
        await store.receive(\.finishResponse.success)
        #expect(sent.value == ["settings", "check-in", "settings", "name"])
    }

    @Test func copyChoiceIsSentBeforeTheNote() async throws {
        var profile = try Fixture.profile(name: "")
        (profile.copiesToGoogle, profile.leavesNoteOutOfCopy) = (true, false)
        let sent = Calls<String>([])
        let store = store(
            .init(name: "Ana", schedule: .new(.interval), step: .emergencyNote)
        ) {
            $0.userClient.setLeavesNoteOutOfCopy = { leavesOut in
                sent.withValue { $0.append("leaves out: \(leavesOut)") }
                return .waiting
            }
            $0.userClient.updateProfile = { _, note in
                sent.withValue { $0.append("note: \(note ?? "")") }
                return .waiting
            }
            $0.checkInClient.checkIn = { _, _ in .waiting }
        }
        store.exhaustivity = .off
        await store.send(.profileLoaded(profile))
        await store.send(.emergencyNoteChanged("Insulin"))
        await store.send(.leaveNoteOutToggled)
        for _ in 1...3 { await store.send(.nextButtonTapped) }
        #expect(store.state.step == .checkIn)
        await store.send(.checkInButtonTapped)
        await store.receive(\.finishResponse.success)
        #expect(sent.value == ["leaves out: true", "note: Insulin"])
    }

    @Test func lateProfileNamesTheCopyBeforeAnythingIsSent() async throws {
        var profile = try Fixture.profile(name: "")
        profile.copiesToGoogle = true
        let store = store(lastStep)
        store.exhaustivity = .off
        await store.send(.profileLoaded(profile))
        await store.send(.checkInButtonTapped)
        #expect(store.state.step == .emergencyNote && !store.state.isLoading)
    }

    @Test(arguments: [true, false])
    func offlineOnboardingNamesAPossibleCopyBeforeTheNameIsSent(leavesOut: Bool) async throws {
        let sent = Calls<String>([])
        let store = store(
            .init(name: "Ana", schedule: .new(.interval), step: .emergencyNote)
        ) {
            $0.userClient.setLeavesNoteOutOfCopy = { leavesOut in
                sent.withValue { $0.append("leaves out: \(leavesOut)") }
                return .waiting
            }
            $0.userClient.updateProfile = { name, _ in
                sent.withValue { $0.append("name: \(name ?? "")") }
                return .waiting
            }
            $0.checkInClient.checkIn = { _, _ in .waiting }
        }
        store.exhaustivity = .off
        #expect(store.state.copyWords == CopyWords.explanationBeforeItIsKnown)
        if leavesOut { await store.send(.leaveNoteOutToggled) }
        for _ in 1...3 { await store.send(.nextButtonTapped) }
        await store.send(.checkInButtonTapped)
        await store.receive(\.finishResponse.success)
        #expect(sent.value == (leavesOut ? ["leaves out: true"] : []) + ["name: Ana"])
    }

    @Test func choiceBeforeTheProfileStays() async throws {
        var profile = try Fixture.profile(name: "")
        (profile.copiesToGoogle, profile.leavesNoteOutOfCopy) = (true, false)
        let store = store(.init(name: "Ana", step: .emergencyNote))
        store.exhaustivity = .off
        await store.send(.leaveNoteOutToggled)
        await store.send(.profileLoaded(profile))
        #expect(store.state.leavesNoteOutOfCopy)
        #expect(store.state.copyWords == CopyWords.explanation)
    }

    @Test func failedLoadWaitsForTheStream() async throws {
        let profile = try Fixture.profile(name: "", emergencyNote: "Asthma")
        let (profiles, change) = AsyncStream.makeStream(of: UserProfile.self)
        let store = store {
            $0.userClient.profile = { throw UserFacingError.unavailable }
            $0.userClient.profileStream = { profiles }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        change.yield(profile)
        await store.receive(.profileLoaded(profile))
        #expect(store.state.emergencyNote == "Asthma")
    }

    @Test func laterLoadKeepsTheCopyChoice() async throws {
        var profile = try Fixture.profile(name: "")
        (profile.copiesToGoogle, profile.leavesNoteOutOfCopy) = (true, true)
        let store = store(.init(name: "Ana", step: .emergencyNote))
        store.exhaustivity = .off
        await store.send(.profileLoaded(profile))
        #expect(store.state.copiesToGoogle == true && store.state.leavesNoteOutOfCopy)
        await store.send(.leaveNoteOutToggled)
        await store.send(.profileLoaded(profile))
        #expect(!store.state.leavesNoteOutOfCopy)
    }

    @Test func serverWithoutACopyOffersNoChoice() async throws {
        let store = store(.init(name: "Ana", step: .emergencyNote))
        store.exhaustivity = .off
        await store.send(.profileLoaded(try Fixture.profile(name: "")))
        #expect(store.state.copyWords == nil && !store.state.leavesNoteOutOfCopy)
    }

    @Test func storedProfileFillsOnlyUntouchedFields() async throws {
        let settings = CheckInSettings(
            intervalSeconds: 8 * 3600, remindTwoHoursBefore: false, remindThirtyMinutesBefore: true)
        let profile = try Fixture.profile(name: "", emergencyNote: "Asthma", settings: settings)
        let store = store { $0.userClient.profile = { profile } }
        await store.send(.onAppear) { $0.schedule.begin(at: Fixture.now) }
        await store.receive(.profileLoaded(profile)) {
            $0.emergencyNote = "Asthma"
            $0.copiesToGoogle = false
            $0.schedule = ScheduleFeature.State(
                CheckInSchedule(settings: settings, lastCheckIn: nil), timeZone: nil,
                at: Fixture.now)
        }
        await store.send(.schedule(.intervalPresetTapped(.hours(48)))) {
            $0.schedule.interval = .hours(48)
        }
        await store.send(.profileLoaded(profile))
    }

    @Test func newUserChecksInByTenInTheirZone() async throws {
        var profile = try Fixture.profile(name: "")
        profile.timeZone = "Europe/Berlin"
        let store = store(.init(name: "Ana", step: .schedule))
        await store.send(.profileLoaded(profile)) {
            $0.copiesToGoogle = false
            $0.schedule.timeZone = "Europe/Berlin"
        }
        #expect(
            store.state.firstCheckInWords
                == "From now on you check in by 10:00 every day, Berlin time. The time begins when "
                + "you press the button.")
        await store.send(.nextButtonTapped) { $0.step = .reminders }
        let ten = try #require(TimeOfDay("10:00"))
        #expect(store.state.schedule.settings.plan == .times(Fixture.daily(at: ten)))
    }

    @Test func timesNeedAKnownZone() async {
        let store = store(.init(name: "Ana", step: .schedule))
        store.exhaustivity = .off
        await store.send(.nextButtonTapped)
        #expect(store.state.step == .schedule && store.state.error?.code == "invalid-argument")
        await store.send(.schedule(.timeZoneChanged("Europe/Berlin")))
        #expect(store.state.error == nil && store.state.canContinue)
    }

    @Test func choosingNoDeadlinesIsAskedFirst() async {
        let store = store(.init(name: "Ana", schedule: .new(.none), step: .schedule))
        await store.send(.nextButtonTapped) { $0.schedule.question = .noDeadlines }
        await store.send(.schedule(.questionAnswered(yes: false))) { $0.schedule.question = nil }
        await store.send(.nextButtonTapped) { $0.schedule.question = .noDeadlines }
        await store.send(.schedule(.questionAnswered(yes: true))) { $0.schedule.question = nil }
        await store.receive(\.schedule.delegate.save) { $0.step = .reminders }
        #expect(store.state.firstCheckInWords.hasPrefix("You never owe a check-in."))
    }

    @Test(arguments: [(48, true), (49, false)])
    func silenceOfMoreThanTwoDaysIsAskedFirst(hours: Int, continues: Bool) async {
        let store = store(.init(name: "Ana", schedule: .new(.interval), step: .schedule))
        store.exhaustivity = .off
        await store.send(.schedule(.customIntervalChanged(hours: hours)))
        await store.send(.nextButtonTapped)
        #expect((store.state.step == .reminders) == continues)
        #expect(
            store.state.schedule.question == (continues ? nil : .longSilence(.hours(hours))))
    }
}
