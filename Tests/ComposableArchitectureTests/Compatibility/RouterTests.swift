import ComposableArchitecture
import Foundation
import Testing

@MainActor
struct RouterTests {
    let clock = TestClock()

    func makeStore(_ state: Router.State = Router.State()) -> TestStoreOf<Router> {
        TestStore(initialState: state) {
            Router()
        } withDependencies: {
            $0.suspendingClock = clock
            $0.uuid = .incrementing
            $0.calendar = Calendar(identifier: .gregorian)
            $0.locale = Locale(identifier: "en_US")
        }
    }

    @Test
    func nestedPresentations() async throws {
        let store = makeStore()
        await store.send(.openButtonTapped) {
            $0.list = MedicineList.State()
            $0.seen = 1
        }
        store.exhaustivity = .off
        await store.send(.list(.presented(.addButtonTapped)))
        let form = try #require(store.state.list?.destination?.add)
        #expect(form.medicine.id == UUID(0))
        #expect(store.state.list?.destination?[case: \.add] == form)
        #expect(store.state.list?.destination.is(\.some.add) == true)
        #expect(store.state.list?.destination[case: \.some.alert] == nil)
        await store.send(\.list.destination.add.binding.focus, .doses) {
            $0.list?.destination?.modify(\.add) { $0.focus = .doses }
        }
        await store.send(\.list.presented.destination.presented.add.cancelButtonTapped)
        await store.receive(\.list.destination.dismiss) {
            $0.list?.destination = nil
        }
        await store.send(\.list.dismiss) {
            $0.$list.wrappedValue = nil
            $0.note = "closed"
        }
    }

    @Test
    func alertWithoutActions() async {
        struct Failure: Error {}
        let store = makeStore()
        await store.send(.failed(Failure())) {
            $0.alert = AlertState {
                TextState("Failed: ") + TextState(verbatim: "Failure()").bold()
            }
            $0.seen = 1
        }
        #expect(store.state.alert.map { String(state: $0.title) } == "Failed: Failure()")
        #expect(!store.state.isQuiet)
        await store.send(\.alert.dismiss) {
            $0.alert = nil
            $0.seen = 2
        }
    }

    @Test
    func cancelsAndFetches() async {
        let store = makeStore()
        store.exhaustivity = .off(showSkippedAssertions: true)
        await store.send(.fetchButtonTapped)
        await store.send(.cancelButtonTapped)
        await clock.advance(by: .seconds(1))
        let task = await store.send(.fetchButtonTapped)
        #expect(!task.isCancelled)
        await clock.advance(by: .seconds(1))
        await store.receive(\.fetched.success, 42) {
            $0.pages = [Page<Int>.State(id: 42, value: 42)]
        }
        await task.finish()
        await store.send(\.pages[id: 42].changed, 7) {
            $0.pages[id: 42]?.value = 7
        }
        await store.send(.pages(.element(id: 42, action: .changed(8)))) {
            $0.pages[id: 42]?.value = 8
        }
    }

    @Test
    func pathIsAnEnumeration() async {
        let store = makeStore()
        store.exhaustivity = .off
        await store.send(\.path.tally.incrementButtonTapped) {
            $0.path.modify(\.tally) { $0.count = 1 }
        }
        #expect(store.state.path.tally?.count == 1)
        #expect(store.state.path == .tally(Tally.State(count: 1, total: 1)))
        #expect(store.state.path.timer == nil)
    }

    @Test
    func scopes() async {
        let store = Store(initialState: Router.State(list: MedicineList.State())) {
            Router()
        } withDependencies: {
            $0.uuid = .incrementing
        }
        let list = store.scope(state: \.list, action: \.list.presented)
        await list?.send(.addButtonTapped).finish()
        let form = list?.scope(state: \.destination?.add, action: \.destination.add)
        form?.send(.binding(.set(\.focus, .doses)))
        #expect(form?.focus == .doses)
        #expect(list?.scope(state: \.destination?.alert, action: \.destination.alert) == nil)
        store.send(.fetched(.success(3)))
        for page in store.scope(state: \.pages, action: \.pages) {
            page.send(.changed(4))
            #expect(page.value == 4)
        }
        switch store.scope(state: \.path, action: \.path).case {
        case .tally(let tally): #expect(tally.withState(\.count) == 0)
        case .timer: Issue.record("no timer")
        }
        #expect(store.withState(\.pages.count) == 1)
    }

    @Test
    func alone() {
        var state = Page<String>.State(id: 1, value: "a")
        _ = Page<String>().reduce(into: &state, action: .changed("b"))
        #expect(state == Page.State(id: 1, value: "b"))
        let empty: AlertState<Never> = AlertState(title: { TextState("Hello") })
        #expect(empty.buttons.isEmpty)
        let dialog = ConfirmationDialogState<MedicineList.Destination.Options>(
            title: { TextState("Title") },
            actions: {
                for option in ["a", "b"] {
                    ButtonState(action: .sortByName) { TextState(option) }
                }
                if state.value == "b" {
                    ButtonState { TextState("OK") }
                }
            }
        )
        #expect(dialog.buttons.count == 3)
    }
}
