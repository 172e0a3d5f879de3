import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("Administrators' acts, on a page")
struct AdministrationViewTests {
    private func page(
        _ state: AdministrationFeature.State
    ) -> Screen<AdministrationFeature.Action> {
        screen { AdministrationFeature.view(state) }
    }

    @Test func actsAreShownWithTheirReasons() {
        let act = AdminAct(
            id: Sample.id(1), time: Sample.now, kind: .lock, reason: "Asks <strangers>",
            doneBy: "root")
        let page = page(.init(acts: [act]))
        #expect(page.shows("Account locked") && page.shows("root"))
        #expect(page.shows("Asks <strangers>"))
        #expect(!page.markup.contains("<strangers>"))
        #expect(self.page(.init(acts: [])).shows(AdministrationFeature.noActs))
    }

    @Test func numberCanBeKept() throws {
        let move = NumberMove(
            phoneNumber: try PhoneNumber("+15550101"), takesEffectAt: Sample.now)
        let page = page(.init(acts: [], move: move))
        #expect(page.shows("+15550101"))
        #expect(try page.press("Keep my number") == .stopMoveButtonTapped)
        let stopping = self.page(.init(acts: [], move: move, isStopping: true))
        #expect(try !stopping.canPress("Stopping …"))
    }

    @Test func lockAndMaintenanceAreNotices() {
        let page = page(
            .init(
                acts: [], lockedAt: Sample.now,
                maintenance: Maintenance(from: Sample.now, until: Sample.now)))
        #expect(page.shows("Check-ins and alerts work as before."))
        #expect(page.shows(AdministrationFeature.maintenanceTitle))
    }

    @Test func firstPageShowsTheNotices() throws {
        var state = HomeFeature.State()
        let calm = screen { HomeFeature.view(state) }
        #expect(!calm.shows(AdministrationFeature.maintenanceTitle))
        state.accountNotices.isLocked = true
        state.accountNotices.maintenance = Maintenance(from: Sample.now, until: Sample.now)
        state.accountNotices.move = NumberMove(
            phoneNumber: try PhoneNumber("+15550101"), takesEffectAt: Sample.now)
        let page = screen { HomeFeature.view(state) }
        #expect(page.shows(AdministrationFeature.maintenanceTitle))
        #expect(page.shows("+15550101") && page.shows(AdministrationFeature.moveInSettings))
        #expect(page.shows("Your account is locked."))
    }

    @Test func failedLoadCanBeRetried() throws {
        let page = page(.init(error: .unavailable))
        #expect(try page.press("Load again") == .retryButtonTapped)
    }
}
