import ComposableArchitecture
import Foundation
import XCTest

@MainActor
final class SettingsTests: XCTestCase {
    private var clock = TestClock<Duration>()

    override func setUp() async throws {
        clock = TestClock()
    }

    func testSaves() async throws {
        let now = Date(timeIntervalSinceReferenceDate: 0)
        let store = TestStore(initialState: Settings.State(name: "Ana"), reducer: Settings.init) {
            $0.date = DateGenerator { now }
        }
        await store.send(\.view.nameChanged, "Bo") {
            $0.name = "Bo"
            $0.writes = 1
        }
        await store.receive(\.delegate, .saved(name: "Bo", at: now))
        await store.send(.view(.nameChanged("Cem"))) { state in
            state.name = "Cem"
            state.writes = 2
        }
        await store.receive { action in
            guard case .delegate(let delegate) = action else { return false }
            return delegate.saved?.name == "Cem" && delegate[case: \.removed] == nil
        }
        await store.send(\.binding.name, "Di") { $0.name = "Di" }
    }

    func testSheets() async throws {
        let store = TestStoreOf<Settings>(initialState: .init(name: "Ana")) { Settings() }
        await store.send(\.view.aboutButtonTapped) {
            $0.sheet = .about(.init(id: 1))
        }
        await store.send(\.sheet.about.opened) {
            var about = try XCTUnwrap($0.sheet?.about)
            about.isOpen = true
            $0.sheet = .about(about)
        }
        await store.send(\.view.hintButtonTapped) {
            $0.sheet = .hint(.hello)
        }
        await store.send(\.sheet.hint.shown) { $0.sheet = nil }
        await store.send(.kind(.choose)) { $0.kind = .about(About.State(id: 2)) }
        await store.send(\.kind.about.opened) {
            XCTAssertTrue($0.kind.is(\.about))
            $0.kind.modify(\.about) { $0.isOpen = true }
        }
    }

    func testClock() async throws {
        let woken = LockIsolated(false)
        let task = Task { [clock] in
            try await clock.sleep(for: .seconds(3))
            woken.setValue(true)
        }
        await clock.advance(by: .seconds(2))
        XCTAssertFalse(woken.value)
        await clock.advance(by: .seconds(1))
        try await task.value
        XCTAssert(woken.value)
        try await clock.checkSuspension()
    }

    func testNothing() async {
        let store = TestStore(initialState: Placeholder.State()) { Placeholder() }
        XCTAssertEqual(store.state, Placeholder.State())
        await store.finish()
    }
}
