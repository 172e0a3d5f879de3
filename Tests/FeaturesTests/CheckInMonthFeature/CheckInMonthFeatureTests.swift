import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct CheckInMonthFeatureTests {
    private typealias Known = CheckInMonthFeature.Known

    private func store(
        _ state: CheckInMonthFeature.State = CheckInMonthFeatureTests.opened,
        checkIns: @escaping @Sendable (String?) async throws -> ListPage<CheckInRecord> = { _ in
            ListPage(items: [])
        },
        alerts: @escaping @Sendable (String?) async throws -> ListPage<AlertRecord> = { _ in
            ListPage(items: [])
        }
    ) -> TestStoreOf<CheckInMonthFeature> {
        TestStore(initialState: state) {
            CheckInMonthFeature()
        } withDependencies: {
            $0.authClient.session = { SignedIn(userID: Fixture.ana, isNewUser: false) }
            $0.checkInClient.history = checkIns
            $0.alertClient.history = alerts
        }
    }

    /// Opened on 14 November 2023.
    private static var opened: CheckInMonthFeature.State {
        CheckInMonthFeature.State(zone: .gmt, device: nil, at: Fixture.now)
    }

    private nonisolated static func checkIn(_ number: UInt8, daysAgo days: Int) -> CheckInRecord {
        Fixture.checkIn(number, at: Fixture.now.adding(.days(-days)))
    }

    @Test func openingReadsPagesUntilTheMonthIsCovered() async {
        let asked = Calls<String?>([])
        let store = store(
            checkIns: { before in
                asked.withValue { $0.append(before) }
                return switch before {
                case nil: ListPage(items: [Self.checkIn(1, daysAgo: 0)], next: "a")
                case "a": ListPage(items: [Self.checkIn(2, daysAgo: 13)], next: "b")
                default: ListPage(items: [Self.checkIn(3, daysAgo: 14)], next: "c")
                }
            },
            alerts: { _ in
                ListPage(
                    items: [Fixture.alert(1, of: Fixture.ana), Fixture.alert(2, of: Fixture.ben)])
            })
        store.exhaustivity = .off
        await store.send(.onOpen) { $0.isLoading = true }
        await store.receive(\.response.success) { $0.isLoading = false }
        // 14 days ago was 31 October.
        #expect(asked.value == [nil, "a", "b"])
        #expect(store.state.isCovered && !store.state.canLoadMore)
        #expect(store.state.known.checkIns.count == 3)
        #expect(store.state.known.alerts.map(\.userId) == [Fixture.ana.description])
        let days = store.state.calendar(pause: nil, at: Fixture.now).days
        #expect(days[0].mark == .kept && days[13].mark == .kept && days[5].mark == .noCheckIn)
    }

    @Test func daysBeforeTheFirstCheckInAreUnknown() async {
        let store = store(
            checkIns: { _ in ListPage(items: [Self.checkIn(1, daysAgo: 4)]) })
        store.exhaustivity = .off
        await store.send(.onOpen)
        await store.receive(\.response.success)
        let days = store.state.calendar(pause: nil, at: Fixture.now).days
        #expect(days[8].mark == .unknown && days[9].mark == .kept)
        #expect(!store.state.hasPrevious, "the history begins in this month")
    }

    @Test func withoutAnyCheckInNothingIsKnown() async {
        let store = store()
        store.exhaustivity = .off
        let before = store.state.calendar(pause: nil, at: Fixture.now)
        #expect(before.days[0].mark == .unknown, "before the first load")
        await store.send(.onOpen)
        await store.receive(\.response.success)
        let days = store.state.calendar(pause: nil, at: Fixture.now).days
        #expect(Set(days.map(\.mark)) == [.unknown, .future] && !store.state.hasPrevious)
    }

    @Test func alertsLimitWhatIsKnown() {
        var known = Known()
        known.checkInPages.read(to: nil, Fixture.now.adding(.days(-10)))
        #expect(known.since(in: .gmt) == .distantFuture)
        known.alertPages.read(to: "a", Fixture.now.adding(.days(-3)))
        #expect(known.since(in: .gmt) == Fixture.now.adding(.days(-3)))
        known.alertPages.read(to: nil, nil)
        #expect(
            known.since(in: .gmt)
                == CheckInMonth.startOfDay(Fixture.now.adding(.days(-10)), in: .gmt))
    }

    @Test func oneLoadReadsTenPages() async {
        let asked = Calls<String?>([])
        let store = store(
            checkIns: { before in
                asked.withValue { $0.append(before) }
                return ListPage(items: [Self.checkIn(1, daysAgo: 0)], next: "again")
            })
        store.exhaustivity = .off
        await store.send(.onOpen)
        await store.receive(\.response.success)
        #expect(asked.value.count == 10 && store.state.canLoadMore)
        await store.send(.loadMoreTapped)
        #expect(!store.state.canLoadMore)
        await store.receive(\.response.success)
        #expect(asked.value.count == 20)
    }

    @Test func earlierMonthLoadsOnlyWhatIsMissing() async {
        var state = Self.opened
        state.chosenDay = 3
        state.known.checkInPages.read(to: "a", Fixture.now.adding(.days(-40)))
        state.known.alertPages.read(to: nil, nil)
        let asked = Calls<String?>([])
        let store = store(
            state,
            checkIns: { before in
                asked.withValue { $0.append(before) }
                return ListPage(items: [Self.checkIn(1, daysAgo: 60)], next: "b")
            })
        store.exhaustivity = .off
        await store.send(.previousMonthTapped) {
            $0.chosenDay = nil
            $0.isLoading = true
        }
        await store.receive(\.response.success)
        #expect(asked.value == ["a"] && store.state.month.text == "2023-10")
        await store.send(.nextMonthTapped)
        await store.send(.nextMonthTapped)
        #expect(store.state.month.text == "2023-11" && !store.state.hasNext)
        await store.send(.previousMonthTapped)
        #expect(!store.state.isLoading, "the month is loaded")
    }

    @Test func aYearCanBeTurnedBack() async {
        var state = Self.opened
        state.known.checkInPages.read(to: "a", .distantPast)
        state.known.alertPages.read(to: nil, nil)
        let store = store(state)
        store.exhaustivity = .off
        for _ in 1...13 { await store.send(.previousMonthTapped) }
        #expect(store.state.month.text == "2022-11" && !store.state.hasPrevious)
    }

    @Test func dayIsChosenAndReleased() async {
        let store = store()
        await store.send(.dayTapped(5)) { $0.chosenDay = 5 }
        await store.send(.dayTapped(6)) { $0.chosenDay = 6 }
        await store.send(.dayTapped(6)) { $0.chosenDay = nil }
    }

    @Test func failureKeepsWhatIsKnown() async {
        var state = Self.opened
        state.known.checkIns = [Self.checkIn(1, daysAgo: 0)]
        let store = store(state, checkIns: { _ in throw UserFacingError.refused })
        await store.send(.refresh) { $0.isLoading = true }
        await store.receive(\.response.failure) {
            $0.isLoading = false
            $0.error = .refused
        }
        #expect(store.state.known.checkIns.count == 1)
        await store.send(.dismissError) { $0.error = nil }
    }
}

@MainActor
@Suite struct HomeMonthTests {
    private func store(_ state: HomeFeature.State) -> TestStoreOf<HomeFeature> {
        let store = TestStore(initialState: state) {
            HomeFeature()
        } withDependencies: {
            $0.continuousClock = TestClock<Duration>()
            $0.date.now = Fixture.now
            $0.uuid = .incrementing
            $0.authClient.session = { nil }
            $0.checkInClient.history = { _ in ListPage(items: []) }
            $0.alertClient.history = { _ in ListPage(items: []) }
        }
        store.exhaustivity = .off
        return store
    }

    private func state(
        _ change: (inout HomeFeature.State) -> Void = { _ in }
    ) -> HomeFeature.State {
        var state = HomeFeature.State()
        state.checkIn.now = Fixture.now
        change(&state)
        return state
    }

    @Test func monthOpensAndCloses() async {
        let store = store(state())
        await store.send(.monthButtonTapped)
        await store.receive(\.month.onOpen)
        await store.receive(\.month.response.success)
        #expect(store.state.checkInMonth?.month.text == "2023-11")
        await store.send(.listButtonTapped)
        #expect(store.state.month == nil && store.state.checkInMonth == nil)
    }

    @Test func monthWaitsForTheTime() async {
        let store = store(.init())
        await store.send(.monthButtonTapped)
        #expect(store.state.month == nil)
    }

    @Test func leavingHomeClosesTheMonth() async {
        let store = store(
            state { $0.month = .init(zone: .gmt, device: nil, at: Fixture.now) })
        await store.send(.onDisappear)
        #expect(store.state.month == nil)
        await store.finish()
    }

    @Test func newCheckInLoadsTheMonthAgain() async {
        let store = store(
            state { $0.month = .init(zone: .gmt, device: nil, at: Fixture.now) })
        await store.send(.checkIn(.checkInDelivered(Fixture.checkIn(1))))
        await store.receive(\.month.refresh)
        await store.receive(\.month.response.success)
        await store.send(.onDisappear)
        await store.finish()
    }
}
