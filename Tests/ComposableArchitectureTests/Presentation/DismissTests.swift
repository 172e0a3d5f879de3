import ComposableArchitecture
import Testing

@MainActor
struct DismissTests {
    @Test func aFeatureAloneIsNotPresentedAndCanGoAway() async {
        let clock = TestClock()
        let store = TestStore(initialState: ItemForm.State(id: 1)) {
            ItemForm()
        } withDependencies: {
            $0.continuousClock = clock
        }
        #expect(!store.isDismissed)
        await store.send(.watch)
        // `isSaving` would be set if it were presented.
        await store.send(.saveButtonTapped)
        await clock.advance(by: .seconds(1))
        await store.receive(\.delegate.save)
        #expect(store.isDismissed)
        // Actions after the dismissal are not sent, and `watch` has ended.
        await store.finish()
    }

    @Test func aParentIsNotDismissedByItsChild() async {
        let store = TestStore(initialState: Inventory.State(form: ItemForm.State(id: 1))) {
            Inventory()
        }
        await store.send(\.form.cancelButtonTapped)
        await store.receive(\.form.dismiss) { $0.form = nil }
        #expect(!store.isDismissed)
    }
}
