import ComposableArchitecture
import Foundation
import Testing

@MainActor
struct AccountTests {
    @Test
    func signsInAndOut() async {
        let clock = TestClock()
        let store = TestStore(initialState: Account.State.signedOut(Login.State())) {
            Account()
        } withDependencies: {
            $0.continuousClock = clock
            $0.sessionClient.signIn = { .success("user-\($0)") }
        }

        await store.send(\.signedOut.view.binding.code, "42") {
            $0.modify(\.signedOut) { $0.code = "42" }
        }
        await store.send(\.signedOut.view.signInButtonTapped) {
            $0.modify(\.signedOut) { $0.isBusy = true }
        }
        await store.receive(\.signedOut.codeResponse.success, "user-42") {
            $0 = .signedIn(Home.State(userID: "user-42"))
        }
        await store.send(.signedIn(.startTimerButtonTapped)) {
            $0.modify(\.signedIn) { $0.timer = Timer.State() }
        }
        await store.receive(\.signedIn.timer.start)
        await clock.advance(by: .seconds(1))
        await store.receive(\.signedIn.timer.ticked) {
            $0.modify(\.signedIn) { $0.timer?.seconds = 1 }
        }
        await store.send(.signOut) {
            $0 = .signedOut(Login.State())
        }
    }

    @Test
    func retries() async {
        let store = TestStore(initialState: Login.State()) {
            Login()
        } withDependencies: {
            $0.sessionClient.signIn = { _ in .failure(.wrongCode) }
        }
        await store.send(.view(.signInButtonTapped)) { $0.isBusy = true }
        await store.receive(\.codeResponse.failure, .wrongCode) {
            $0.isBusy = false
            $0.alert = AlertState { TextState("wrongCode") }
        }
        store.exhaustivity = .off(showSkippedAssertions: true)
        await store.send(\.alert.retry)
        await store.receive(\.view.signInButtonTapped)
        await store.skipReceivedActions()
        await store.finish()
        store.assert { $0.isBusy = false }
    }

    @Test
    func timerEndsWithItsState() async {
        let clock = TestClock()
        let store = TestStore(initialState: Home.State(userID: "1")) {
            Home()
        } withDependencies: {
            $0.continuousClock = clock
        }
        store.exhaustivity = .off
        await store.send(.startTimerButtonTapped)
        await clock.advance(by: .seconds(3))
        await store.receive(\.timer.ticked)
        await store.skipReceivedActions()
        #expect(store.state.timer?.seconds == 3)
        store.exhaustivity = .on
        await store.send(.stopTimerButtonTapped) { $0.timer = nil }
        await clock.advance(by: .seconds(3))
        await store.finish()
    }

    @Test
    func root() async {
        let store = TestStore(initialState: Root.State.login(Login.State())) {
            Root.body
        } withDependencies: {
            $0.sessionClient.signIn = { .success($0) }
        }
        await store.send(\.login.view.signInButtonTapped) {
            $0.modify(\.login) { $0.isBusy = true }
        }
        await store.receive(\.login.codeResponse.success) {
            $0.modify(\.login) { $0.isBusy = false }
        }
        #expect(store.state.login?.isBusy == false)
        #expect(store.state.is(\.login))
    }

    @Test
    func running() async {
        let store = Store(initialState: Root.State.login(Login.State())) {
            Root.body
        } withDependencies: {
            $0.sessionClient.signIn = { .success($0) }
        }
        switch store.case {
        case let .login(store):
            await store.send(.view(.signInButtonTapped)).finish()
            #expect(store.isBusy == false)
            #expect(store.state == Login.State())
        case .home, .waiting:
            Issue.record("Unexpected case")
        }
        #expect(store.withState { $0.is(\.login) })
    }
}
