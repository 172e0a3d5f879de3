import ComposableArchitecture
import XCTest

final class XCTestTests: XCTestCase {
    @MainActor
    func testCountsByTimer() async {
        let clock = TestClock()
        let store = TestStore(initialState: CounterFeature.State()) {
            CounterFeature()
        } withDependencies: {
            $0.continuousClock = clock
        }
        await store.send(.toggleTimerButtonTapped) { $0.isTimerOn = true }
        await clock.advance(by: .seconds(2))
        await store.receive(\.timerTicked) { $0.count = 1 }
        await store.receive(\.timerTicked) { $0.count = 2 }
        await store.send(.toggleTimerButtonTapped) { $0.isTimerOn = false }
        await store.finish()
    }
}
