import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct HomeFeatureStories {
    let clock = TestClock()

    func store(
        _ state: HomeFeature.State = .init(),
        with prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<HomeFeature> {
        TestStore(initialState: state) {
            HomeFeature()
        } withDependencies: {
            $0.continuousClock = clock
            $0.date = .following(clock)
            $0.uuid = .incrementing
            $0.authClient.session = { nil }
            $0.connectivityClient.status = { .finished }
            $0.alertClient.history = { _ in ListPage(items: []) }
            $0.checkInClient.history = { _ in ListPage(items: []) }
            $0.userClient.profileStream = { .never }
            prepare(&$0)
        }
    }

    /// Another device may end the alert. Another refusal stays.
    @Test(arguments: [(RefusalWords.pauseDuringAlert, true), (.pauseEnd, false)])
    func endOfTheAlertClearsTheRefusedPause(words: RefusalWords, isCleared: Bool) async {
        var state = HomeFeature.State()
        state.checkIn.pause.error = UserFacingError(
            title: "Title", message: words.message, recoverySuggestion: words.suggestion,
            code: .invalidArgument)
        let store = store(state)
        store.exhaustivity = .off
        await store.send(.alert(.alertsUpdated([Fixture.alert(7, kind: .missedCheckIn)])))
        #expect(store.state.checkIn.pause.error != nil)
        let end = Fixture.now.adding(.minutes(1))
        await store.send(.alert(.alertsUpdated([Fixture.alert(7, end: end, kind: .missedCheckIn)])))
        #expect((store.state.checkIn.pause.error == nil) == isCleared)
    }

    @Test func appearanceReachesBothChildrenAndLeavesNoEffects() async {
        let store = store()
        await store.send(.onAppear)
        await store.receive(\.checkIn.onAppear) {
            $0.checkIn.timesShown = 1
            $0.checkIn.isLoadingHistory = true
            $0.checkIn.now = Fixture.now
        }
        await store.receive(\.alert.onAppear) {
            $0.alert.timesShown = 1
            $0.alert.isLoadingHistory = true
        }
        await store.receive(\.checkIn.historyResponse.success) {
            $0.checkIn.isLoadingHistory = false
        }
        await store.receive(\.alert.alertHistoryResponse.success) {
            $0.alert.isLoadingHistory = false
        }
        await store.send(.appBecameInactive)
        await store.receive(\.checkIn.appBecameInactive)
        await store.receive(\.alert.appBecameInactive) { $0.alert.isAppActive = false }
        await clock.advance(by: .seconds(60))
        await store.send(.appBecameActive)
        await store.receive(\.checkIn.appBecameActive) {
            $0.checkIn.now = Fixture.now.adding(.seconds(60))
        }
        await store.receive(\.alert.appBecameActive) { $0.alert.isAppActive = true }
        await store.send(.onDisappear)
        await store.receive(\.checkIn.onDisappear) {
            $0.checkIn.timesShown = 0
            $0.checkIn.hasLeft = true
        }
        await store.receive(\.alert.onDisappear) {
            $0.alert.timesShown = 0
        }
        await store.finish()
    }

    @Test(arguments: [true, false])
    func checkInMadeElsewhereIsLoaded(isNewer: Bool) async throws {
        func record(_ number: UInt8, at time: Date) -> CheckInRecord {
            CheckInRecord(
                id: Fixture.id(number), occurredAt: time, receivedAt: time, nextCheckInTime: nil)
        }
        let known = record(30, at: Fixture.now)
        let new = record(31, at: Fixture.now.adding(.seconds(60)))
        var state = HomeFeature.State()
        state.checkIn.checkInHistory = [known]
        let store = store(state) {
            $0.checkInClient.history = { _ in ListPage(items: [new, known]) }
        }
        store.exhaustivity = .off
        let last = isNewer ? new.occurredAt : known.occurredAt
        await store.send(.checkIn(.profileUpdated(try Fixture.profile(last: last))))
        if isNewer {
            await store.receive(\.checkIn.loadHistory)
            await store.receive(\.checkIn.historyResponse.success)
        }
        await store.finish()
        #expect(store.state.checkIn.checkInHistory == (isNewer ? [new, known] : [known]))
    }

    @Test func codeSheetOpensOnceAndReportsScans() async {
        let store = store()
        await store.send(.qrCodeButtonTapped) { $0.qrCode = .init(qrCodeID: UUID(0).uuidString) }
        await store.send(.qrCodeButtonTapped)
        await store.send(.qrCode(.presented(.scanButtonTapped))) {
            $0.qrCode?.qrScanner.isSheetPresented = true
        }
        await store.send(
            .qrCode(.presented(.qrScanner(.codeScanned(QRScannerFeatureStories.uuid))))
        ) {
            $0.qrCode?.qrScanner.scannedCode = QRScannerFeatureStories.uuid
            $0.qrCode?.qrScanner.isSheetPresented = false
        }
        await store.receive(\.qrCode.qrScanner.delegate.codeScanned)
        await store.receive(\.qrCode.delegate.codeScanned) { $0.qrCode = nil }
        await store.receive(\.delegate.codeScanned, QRScannerFeatureStories.uuid)
    }

    @Test func respondersToCallKeepTheOrderOfCalls() throws {
        let later = Fixture.now.adding(.hours(1))
        var ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        var cleo = try Fixture.contact(
            Fixture.cleo, "Cleo", isResponder: true, dateAdded: later)
        var state = HomeFeature.State()
        state.setContacts([cleo, ben])
        #expect(state.respondersToCall.map(\.name) == ["Ben", "Cleo"], "the oldest first")
        (cleo.position, ben.position) = (0, 1)
        state.setContacts([ben, cleo])
        #expect(state.respondersToCall.map(\.name) == ["Cleo", "Ben"])
        cleo.phoneNumber = nil
        state.setContacts([cleo, ben])
        #expect(state.respondersToCall.map(\.name) == ["Ben"])
    }

    @Test func closingTheSheetCancelsTheLoad() async throws {
        let info = try Fixture.code(5)
        let store = store { [clock] in
            $0.userClient.qrCode = {
                try await clock.sleep(for: .seconds(5))
                return info
            }
        }
        await store.send(.qrCodeButtonTapped) { $0.qrCode = .init(qrCodeID: UUID(0).uuidString) }
        await store.send(.qrCode(.presented(.onAppear))) { $0.qrCode?.isGenerating = true }
        await store.send(.qrCode(.dismiss)) { $0.qrCode = nil }
        await clock.advance(by: .seconds(5))
    }
}
