import ComposableArchitecture
import Foundation
import XCTest

final class TimerTests: XCTestCase {
    @MainActor
    func testTimer() async {
        let clock = TestClock()
        let store = TestStore(initialState: Timer.State()) {
            Timer()
        } withDependencies: {
            $0.continuousClock = clock
            $0.date = .constant(Date(timeIntervalSince1970: 1_234_567_890))
            $0.date.now = Date(timeIntervalSince1970: 0)
            $0.withRandomNumberGenerator = WithRandomNumberGenerator(LCRNG(seed: 1))
        }
        await store.send(.start)
        await clock.advance(by: .seconds(2))
        await store.receive(.ticked) { $0.seconds = 1 }
        await store.receive(.ticked, timeout: .milliseconds(1)) { $0.seconds = 2 }
        await store.send(.stop)
        await clock.advance(by: .seconds(2))
        await store.send(.rollButtonTapped) { $0.dice = 1 }
        XCTAssertEqual(store.state.seconds, 2)
        expectNoDifference(store.state.seconds, 2)
        await store.finish()
    }

    @MainActor
    func testSkips() async {
        let clock = TestClock()
        let store = TestStoreOf<Timer>(initialState: Timer.State()) {
            Timer()
        } withDependencies: { dependencies in
            dependencies.continuousClock = clock
        }
        store.exhaustivity = .off(showSkippedAssertions: true)
        await store.send(.start)
        await clock.advance(by: .seconds(5))
        await store.skipReceivedActions()
        XCTAssertEqual(store.state.seconds, 5)
        await clock.advance(by: .seconds(1))
        await store.receive(\.ticked)
        await store.skipInFlightEffects()
    }

    func testDependencies() {
        let uuids = withDependencies {
            $0.uuid = .incrementing
        } operation: {
            @Dependency(\.uuid) var uuid
            return [uuid(), uuid()]
        }
        XCTAssertEqual(uuids, [UUID(0), UUID(1)])
    }
}

private struct LCRNG: RandomNumberGenerator {
    var seed: UInt64

    mutating func next() -> UInt64 {
        seed = 2_862_933_555_777_941_757 &* seed &+ 3_037_000_493
        return seed
    }
}
