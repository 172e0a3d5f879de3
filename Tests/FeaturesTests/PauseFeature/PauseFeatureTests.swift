import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct PauseFeatureTests {
    typealias State = PauseFeature.State
    typealias Sheet = PauseFeature.Sheet
    typealias Answer = Gate<Submission<UserProfile>>

    private let now = Fixture.now
    private let berlin = "Europe/Berlin"

    private func store(
        _ state: State = .init(), with prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<PauseFeature> {
        TestStore(initialState: state) {
            PauseFeature()
        } withDependencies: {
            $0.date = .following(TestClock())
            prepare(&$0)
        }
    }

    private func profile(pausedUntil end: Date?) throws -> UserProfile {
        var profile = try Fixture.profile()
        profile.pause = end.map { CheckInPause(began: now, until: $0) }
        profile.timeZone = berlin
        return profile
    }

    // MARK: Beginning, changing and ending

    @Test func pauseBeginsOnce() async throws {
        let end = now.adding(.days(3))
        let profile = try profile(pausedUntil: end)
        let (gate, asked) = (Answer(), Calls<Date>([]))
        let store = store {
            $0.checkInClient.pause = { end in
                asked.withValue { $0.append(end) }
                return try await gate.wait()
            }
        }
        #expect(store.state.title == "Pause check-ins")
        await store.send(.pauseButtonTapped) {
            $0.sheet = Sheet(openedAt: Fixture.now, end: Fixture.now.adding(.days(1)))
        }
        await store.send(.lengthChosen(days: 3)) { $0.sheet?.end = end }
        #expect(store.state.confirmWords == "Begin the pause")
        await store.send(.confirmButtonTapped) { $0.isSaving = true }
        await store.send(.confirmButtonTapped)
        await store.send(.pauseButtonTapped)
        await store.send(.endPauseButtonTapped)
        #expect(store.state.confirmWords == "Saving …")
        gate.open(.confirmed(profile))
        await store.receive(\.response) {
            ($0.isSaving, $0.sheet) = (false, nil)
            ($0.pause, $0.timeZone) = (profile.pause, profile.timeZone)
        }
        #expect(asked.value == [end])
    }

    @Test func lengthCountsFromTheServersTime() async {
        let opened = now.adding(.seconds(60))
        let store = store { $0.serverClock.offset = { .seconds(60) } }
        await store.send(.pauseButtonTapped) {
            $0.sheet = Sheet(openedAt: opened, end: opened.adding(.days(1)))
        }
        await store.send(.lengthChosen(days: 7)) { $0.sheet?.end = opened.adding(.days(7)) }
    }

    @Test func endOfThePauseIsChanged() async throws {
        let (old, new) = (now.adding(.days(1)), now.adding(.days(2)))
        let profile = try profile(pausedUntil: new)
        let pause = CheckInPause(began: now, until: old)
        let store = store(.init(pause: pause, timeZone: berlin)) {
            $0.checkInClient.pause = { _ in .confirmed(profile) }
        }
        #expect(store.state.title == "Change your pause")
        await store.send(.pauseButtonTapped) {
            $0.sheet = Sheet(openedAt: Fixture.now, end: old)
        }
        #expect(store.state.confirmWords == "Change the end")
        await store.send(.endChosen(new)) { $0.sheet?.end = new }
        await store.send(.confirmButtonTapped) { $0.isSaving = true }
        await store.receive(\.response) {
            ($0.isSaving, $0.sheet) = (false, nil)
            $0.pause?.until = new
        }
    }

    @Test func openSheetFollowsTheEndOnlyWhileUnchanged() throws {
        let (old, new) = (now.adding(.days(1)), now.adding(.days(2)))
        let pause = CheckInPause(began: now, until: old)
        var state = State(pause: pause, sheet: Sheet(openedAt: now, end: old))
        state.apply(try profile(pausedUntil: new))
        #expect(state.sheet?.end == new)
        state.sheet?.end = now.adding(.days(3))
        state.apply(try profile(pausedUntil: old))
        #expect(state.sheet?.end == now.adding(.days(3)))
        // Unfinished text stays, too.
        state.sheet?.end = nil
        state.apply(try profile(pausedUntil: new))
        #expect(state.sheet != nil && state.sheet?.end == nil)
    }

    @Test func pauseEndsAfterAQuestion() async throws {
        let profile = try profile(pausedUntil: nil)
        let pause = CheckInPause(began: now, until: now.adding(.days(1)))
        let store = store(.init(pause: pause, timeZone: berlin)) {
            $0.checkInClient.endPause = { .confirmed(profile) }
        }
        await store.send(.endPauseButtonTapped) { $0.confirmation = .endPause }
        await store.send(.confirmation(.dismiss)) { $0.confirmation = nil }
        await store.send(.endPauseButtonTapped) { $0.confirmation = .endPause }
        await store.send(.confirmation(.presented(.endConfirmed))) {
            ($0.confirmation, $0.isSaving) = (nil, true)
        }
        await store.receive(\.response) { ($0.isSaving, $0.pause) = (false, nil) }
    }

    @Test func refusalKeepsTheSheet() async {
        let store = store {
            $0.checkInClient.pause = { _ in throw UserFacingError.refused }
        }
        let sheet = Sheet(openedAt: now, end: now.adding(.days(1)))
        await store.send(.pauseButtonTapped) { $0.sheet = sheet }
        await store.send(.confirmButtonTapped) { $0.isSaving = true }
        await store.receive(\.response) {
            $0.isSaving = false
            $0.error = .refused
        }
        await store.send(.dismissError) { $0.error = nil }
        await store.send(.sheetDismissed) { $0.sheet = nil }
    }

    @Test func closedSheetTakesNoInput() async {
        let store = store()
        await store.send(.lengthChosen(days: 3))
        await store.send(.endChosen(now))
        await store.send(.endTyped("2023-11-16T08:00"))
        await store.send(.confirmButtonTapped)
    }

    // MARK: Offline

    @Test func offlinePauseWaits() async {
        let store = store {
            $0.checkInClient.pause = { _ in .waiting }
            $0.checkInClient.endPause = { .waiting }
        }
        let sheet = Sheet(openedAt: now, end: now.adding(.days(1)))
        await store.send(.pauseButtonTapped) { $0.sheet = sheet }
        await store.send(.confirmButtonTapped) { $0.isSaving = true }
        await store.receive(\.response) {
            ($0.isSaving, $0.sheet, $0.waiting) = (false, nil, .beginning)
        }
        // No pause shows before the server has it.
        #expect(store.state.pause == nil)
        #expect(store.state.waitingWords?.contains("your deadline stays") == true)
        await store.send(.endPauseButtonTapped) { $0.confirmation = .endPause }
        await store.send(.confirmation(.presented(.endConfirmed))) {
            ($0.confirmation, $0.isSaving) = (nil, true)
        }
        await store.receive(\.response) { ($0.isSaving, $0.waiting) = (false, .end) }
        #expect(store.state.waitingWords?.hasPrefix("The end of your pause") == true)
    }

    @Test func lastWaitingActionCounts() {
        var state = State()
        state.apply(Connectivity(isOnline: false, waiting: Fixture.waiting(.pause, .checkIn)))
        #expect(state.waiting == .beginning)
        state.apply(Connectivity(isOnline: false, waiting: Fixture.waiting(.pause, .endPause)))
        #expect(state.waiting == .end)
        state.apply(Connectivity())
        #expect(state.waiting == nil && state.waitingWords == nil)
    }

    // MARK: The end

    @Test(
        arguments: [
            (Duration.zero, .pauseEndPassed), (.milliseconds(1), nil), (.days(30), nil),
            (.days(30) + .milliseconds(1), .pauseEnd),
        ] as [(Duration, RefusalWords?)])
    func pauseEndsInTheNextThirtyDays(length: Duration, words: RefusalWords?) {
        let state = State(sheet: Sheet(openedAt: now, end: now.adding(length)))
        #expect(state.refusalWords == words?.detail)
        #expect(state.canConfirm == (words == nil))
    }

    @Test func refusedEndIsNotSent() async {
        let store = store(.init(sheet: Sheet(openedAt: now, end: now)))
        await store.send(.confirmButtonTapped)
        #expect(State().refusalWords == nil && !State().canConfirm)
    }

    @Test func typedEndIsInThePersonsZone() async {
        // 7:00 UTC.
        let end = Date(timeIntervalSince1970: 1_700_118_000)
        let store = store(.init(timeZone: berlin, sheet: Sheet(openedAt: now, end: nil)))
        #expect(store.state.canType && store.state.endText == nil)
        await store.send(.endTyped("2023-11-16T08:00")) { $0.sheet?.end = end }
        #expect(store.state.endText == "2023-11-16T08:00" && store.state.canConfirm)
        await store.send(.endTyped("2023-11-16T")) { $0.sheet?.end = nil }
        #expect(store.state.endText == nil)
        #expect(store.state.refusalWords == "Enter a date and a time.")
    }

    @Test(arguments: [nil, "Europe/Atlantis"]) func endIsNotTypedWithoutAZone(
        zone: String?
    ) async {
        let sheet = Sheet(openedAt: now, end: now.adding(.days(1)))
        let store = store(.init(timeZone: zone, sheet: sheet))
        #expect(!store.state.canType && store.state.endText == nil && store.state.canConfirm)
        await store.send(.endTyped("2023-11-16T08:00")) { $0.sheet?.end = nil }
        #expect(!store.state.canConfirm)
    }

    // MARK: In the check-in screen

    @Test func confirmedPauseMovesTheDeadline() async throws {
        let end = now.adding(.days(1))
        var profile = try profile(pausedUntil: end)
        profile.lastCheckInTime = now
        profile.nextCheckInTime = end.adding(.hours(24))
        let store = checkInStore(.init(lastCheckInTime: now.adding(.hours(-1)))) {
            [profile] in $0.checkInClient.pause = { _ in .confirmed(profile) }
        }
        store.exhaustivity = .off
        await store.send(.pause(.pauseButtonTapped))
        await store.send(.pause(.confirmButtonTapped))
        await store.receive(\.pause.response)
        #expect(store.state.isPaused && store.state.nextCheckInTime == profile.nextCheckInTime)
        #expect(store.state.statusWords(isProtected: true) == "Paused")
        await store.send(.onDisappear)
    }

    @Test func waitingPauseShowsUntilItIsSent() async {
        let (status, continuation) = AsyncStream.makeStream(of: Connectivity.self)
        let store = checkInStore {
            $0.checkInClient.pause = { _ in .waiting }
            $0.connectivityClient.status = { status }
        }
        store.exhaustivity = .off
        await store.send(.pause(.pauseButtonTapped))
        await store.send(.pause(.confirmButtonTapped))
        await store.receive(\.pause.response)
        #expect(store.state.pause.waiting == .beginning && !store.state.isPaused)
        continuation.yield(Connectivity())
        await store.receive(\.connectivityChanged)
        #expect(store.state.pause.waiting == nil)
        continuation.finish()
        await store.finish()
    }
}
