import ComposableArchitecture
import Testing

@MainActor
struct DismissTests {
    @Test func standaloneFeatureCanDismissItself() async {
        let clock = TestClock()
        let store = TestStore(initialState: ItemForm.State(id: 1)) {
            ItemForm()
        } withDependencies: {
            $0.continuousClock = clock
        }
        #expect(!store.isDismissed)
        await store.send(.watch)
        // In a presented feature, this action would set `isSaving`.
        await store.send(.saveButtonTapped)
        await clock.advance(by: .seconds(1))
        await store.receive(\.delegate.save)
        #expect(store.isDismissed)
        // The dismissed feature sends nothing more, and its `watch` effect has ended.
        await store.finish()
    }

    @Test func childDoesNotDismissParent() async {
        let store = TestStore(initialState: Inventory.State(form: ItemForm.State(id: 1))) {
            Inventory()
        }
        await store.send(\.form.cancelButtonTapped)
        await store.receive(\.form.dismiss) { $0.form = nil }
        #expect(!store.isDismissed)
    }
}
