import ComposableArchitecture
import Foundation
import Testing

@MainActor
struct MedicineFormTests {
    @Test
    func savesFormAndDismisses() async {
        let saved = LockIsolated<[Medicine]>([])
        let store = TestStore(initialState: MedicineForm.State(medicine: Medicine(id: UUID(0)))) {
            MedicineForm()
        } withDependencies: {
            $0.medicineClient.save = { @Sendable medicine in saved.withValue { $0.append(medicine) }
            }
        }

        await store.send(.set(\.medicine.dosesPerDay, 3)) {
            $0.medicine.dosesPerDay = 3
            $0.changes = 2
        }
        await store.send(\.binding.focus, .doses) {
            $0.focus = .doses
        }
        await store.send(.binding(.set(\.focus, nil))) {
            $0.focus = nil
        }
        await store.send(.saveButtonTapped)
        await store.receive(\.saveResponse.success)
        await store.receive(\.delegate.saved)
        #expect(store.isDismissed)
        #expect(saved.value == [Medicine(id: UUID(0), dosesPerDay: 3)])
        saved.setValue([])
        #expect(saved.isEmpty)
    }

    @Test
    func failureIsShown() async {
        struct Refused: Error, Equatable {}
        let store = TestStore(initialState: MedicineForm.State(medicine: Medicine(id: UUID(0)))) {
            MedicineForm()
        } withDependencies: {
            $0.medicineClient.save = { _ in throw Refused() }
        }
        await store.send(\.saveButtonTapped)
        await store.receive(\.saveResponse.failure) {
            $0.errorMessage = "Refused()"
        }
        #expect(!store.isDismissed)
    }

    @Test
    func suggestionsAreDebounced() async {
        let clock = TestClock()
        let store = TestStore(initialState: MedicineForm.State(medicine: Medicine(id: UUID(0)))) {
            MedicineForm()
        } withDependencies: {
            $0.continuousClock = clock
            $0.medicineClient.suggestions = { name in [name + "ol"] }
        }
        await store.send(.set(\.medicine.name, "Parac")) { $0.medicine.name = "Parac" }
        await clock.advance(by: .milliseconds(299))
        await store.send(.set(\.medicine.name, "Paracetam")) { $0.medicine.name = "Paracetam" }
        await clock.advance(by: .milliseconds(300))
        await store.receive(\.suggestionsResponse, timeout: .seconds(10)) {
            $0.suggestions = ["Paracetamol"]
        }
        await store.send(.binding(.set(\.medicine.name, "A"))) { $0.medicine.name = "A" }
        await store.send(.set(\.medicine.name, "")) {
            $0.medicine.name = ""
            $0.suggestions = []
        }
        await clock.run()
        await store.finish(timeout: .seconds(10))
    }

    @Test
    func usesDismissalOfTest() async {
        let isDismissInvoked = LockIsolated(false)
        let store = TestStore(initialState: MedicineForm.State(medicine: Medicine(id: UUID(0)))) {
            MedicineForm()
        } withDependencies: {
            $0.dismiss = DismissEffect { isDismissInvoked.setValue(true) }
        }
        await store.send(.cancelButtonTapped)
        #expect(isDismissInvoked.value == true)
    }
}
