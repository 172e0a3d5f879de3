import ComposableArchitecture
import Domain
import Features
import Testing

@testable import LivePages
@testable import Web

@Suite("Home, on a page")
struct HomeViewTests {
    @Test func homeHasTitleAndMainButtons() throws {
        let page = screen { HomeFeature.view(.init()) }
        #expect(page.headings == [1, 2, 2, 2])
        #expect(try page.press("Check in") == .checkIn(.checkInButtonTapped))
        #expect(try page.press("Your code") == .qrCodeButtonTapped)
    }

    @Test func openAlertFillsHome() throws {
        let page = screen { HomeFeature.view(.init(alert: .init(isAlertActive: true))) }
        #expect(page.headings == [1, 2])
        #expect(page.shows("Alert is on"))
        #expect(!page.buttons.contains("Check in"))
        #expect(try page.press("End it without holding") == .alert(.alertDeactivationButtonTapped))
    }

    @Test func openAlertLeavesTheMissedCheckIn() throws {
        var alert = AlertFeature.State(isAlertActive: true)
        #expect(!screen { HomeFeature.view(.init(alert: alert)) }.shows("You missed"))
        alert.missedCheckIn = Sample.alert(2, kind: .missedCheckIn, answeredBy: "Ben")
        let page = screen { HomeFeature.view(.init(alert: alert)) }
        #expect(page.shows("Alert is on") && page.shows("You missed your check-in"))
        #expect(page.shows("Ben is on it"))
        #expect(try page.press("I am fine: check in") == .checkIn(.checkInButtonTapped))
        var state = HomeFeature.State(alert: alert)
        state.checkIn.error = Sample.error
        let failed = screen { HomeFeature.view(state) }
        #expect(failed.shows(Sample.error.title))
        #expect(try failed.press("Dismiss") == .checkIn(.dismissError))
        state.alert.isAlertActive = false
        let calm = screen { HomeFeature.view(state) }
        #expect(calm.shows("You missed your check-in"))
        #expect(!calm.buttons.contains("I am fine: check in"))
    }

    @Test func missedCheckInComesBeforeEndElsewhere() {
        var alert = AlertFeature.State()
        alert.endElsewhere = EndElsewhere(
            kind: .manual, time: Sample.now, ending: .init(sessionId: "s", deviceName: "Tablet"))
        let ended = "Your alert was ended on another device"
        let calm = screen { HomeFeature.view(.init(alert: alert)) }
        #expect(calm.shows(ended) && !calm.shows("You missed your check-in"))
        alert.missedCheckIn = Sample.alert(2, kind: .missedCheckIn)
        let parts = screen { HomeFeature.view(.init(alert: alert)) }.text.split(separator: ended)
        #expect(parts.count == 2)
        #expect(parts[0].contains("You missed your check-in"))
    }

    @Test func endingAlertOnHomeAsksFirst() async throws {
        let store = TestStore(initialState: AlertFeature.State(isAlertActive: true)) {
            AlertFeature()
        }
        store.exhaustivity = .off
        await store.send(.alertDeactivationButtonTapped)
        let alert = store.state
        let page = screen { HomeFeature.view(.init(alert: alert)) }
        #expect(page.shows("End your alert?"))
        #expect(
            try page.press("I am safe, end it")
                == .alert(.confirmationAlert(.presented(.alertDeactivationConfirmed))))
        #expect(try page.press("Keep the alert") == .alert(.confirmationAlert(.dismiss)))
    }

    @Test func codeOpensInSheet() throws {
        let page = screen { HomeFeature.view(.init(qrCode: .init())) }
        #expect(try page.press("Close") == .qrCode(.dismiss))
        #expect(try page.press("Scan someone’s code") == .qrCode(.presented(.scanButtonTapped)))
    }

    @Test func homeSendsAppearAndDisappear() {
        let rendering = screenRendering(HomeFeature.view(.init(qrCode: .init())))
        let (appearing, disappearing) = rendering.parts.values.reduce(
            into: ([HomeFeature.Action](), [HomeFeature.Action]())
        ) {
            actions, part in
            actions.0 += part.appearing?.sent().map { [$0] } ?? []
            actions.1 += part.disappearing?.sent().map { [$0] } ?? []
        }
        #expect(appearing.contains(.onAppear) && disappearing.contains(.onDisappear))
        #expect(appearing.contains(.qrCode(.presented(.onAppear))))
    }

    private func screenRendering(_ view: @autoclosure () -> HTML<HomeFeature.Action>) -> Rendering<
        HomeFeature.Action
    > {
        withDependencies {
            $0.date.now = Sample.now
        } operation: {
            Renderer.render(view())
        }
    }
}
