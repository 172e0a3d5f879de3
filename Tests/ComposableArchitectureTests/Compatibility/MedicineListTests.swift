import ComposableArchitecture
import Foundation
import Testing

@MainActor
@Suite
struct MedicineListTests {
    @Test
    func addsThroughForm() async {
        let store = TestStore(initialState: MedicineList.State()) {
            MedicineList()
        } withDependencies: {
            $0.uuid = .incrementing
            $0.medicineClient.save = { _ in }
            $0.continuousClock = ImmediateClock()
            $0.medicineClient.suggestions = { _ in [] }
        }
        await store.send(.addButtonTapped) {
            $0.destination = .add(MedicineForm.State(medicine: Medicine(id: UUID(0))))
        }
        await store.send(.destination(.presented(.add(.set(\.medicine.name, "Ibuprofen"))))) {
            $0.destination?.modify(\.add) { $0.medicine.name = "Ibuprofen" }
        }
        await store.receive(\.destination.add.suggestionsResponse)
        #expect(store.state.destination?.add?.medicine.name == "Ibuprofen")
        await store.send(\.destination.add.saveButtonTapped)
        await store.receive(\.destination.add.saveResponse.success)
        await store.receive(\.destination.add.delegate.saved) {
            $0.rows = [MedicineRow.State(medicine: Medicine(id: UUID(0), name: "Ibuprofen"))]
        }
        await store.receive(\.destination.dismiss) {
            $0.destination = nil
        }
    }

    @Test
    func deletesThroughAlert() async {
        let medicine = Medicine(id: UUID(1), name: "Aspirin")
        let store = TestStore(
            initialState: MedicineList.State(rows: [MedicineRow.State(medicine: medicine)])
        ) {
            MedicineList()
        }
        await store.send(\.rows[id: UUID(1)].deleteButtonTapped)
        await store.receive(\.rows[id: UUID(1)].delegate.delete) {
            $0.destination = .alert(.delete(medicine))
        }
        await store.send(\.destination.alert.confirmDeletion, UUID(1)) {
            $0.destination = nil
            $0.rows = []
        }
    }

    @Test
    func deletesWithFullyWrittenActions() async {
        let medicine = Medicine(id: UUID(1), name: "Aspirin")
        let store = TestStore(
            initialState: MedicineList.State(rows: [MedicineRow.State(medicine: medicine)])
        ) {
            MedicineList()
        }
        await store.send(.rows(.element(id: UUID(1), action: .deleteButtonTapped)))
        await store.receive(\.rows[id: UUID(1)].delegate) {
            $0.destination = .alert(.delete(medicine))
        }
        await store.send(.destination(.presented(.alert(.confirmDeletion(id: UUID(1)))))) {
            $0.destination = nil
            $0.rows[id: UUID(1)] = nil
        }
    }

    @Test
    func options() async {
        let store = TestStore(
            initialState: MedicineList.State(
                rows: [
                    MedicineRow.State(medicine: Medicine(id: UUID(1), name: "B")),
                    MedicineRow.State(medicine: Medicine(id: UUID(2), name: "A")),
                ]
            )
        ) {
            MedicineList()
        }
        store.exhaustivity = .off(showSkippedAssertions: false)
        await store.send(.optionsButtonTapped)
        #expect(store.state.destination?.is(\.options) == true)
        await store.send(\.destination.options.sortByName)
        #expect(store.state.rows.map(\.medicine.name) == ["A", "B"])
        #expect(store.state.destination == nil)
        #expect(store.state.rows.ids == [UUID(2), UUID(1)])
        #expect(store.state.rows.elements.map(\.id) == [UUID(2), UUID(1)])

        await store.send(.optionsButtonTapped)
        await store.send(\.destination.dismiss) {
            $0.destination = nil
        }
        await store.send(.onDelete([0])) {
            $0.rows = [MedicineRow.State(medicine: Medicine(id: UUID(1), name: "B"))]
        }
    }

    @Test
    func rowsWork() async {
        struct Failure: Error {}
        let store = TestStore(
            initialState: MedicineList.State(rows: [
                MedicineRow.State(medicine: Medicine(id: UUID(1)))
            ])
        ) {
            MedicineList()
        } withDependencies: {
            $0.medicineClient.save = { _ in }
        }
        await store.send(\.rows[id: UUID(1)].takeButtonTapped) {
            $0.rows[id: UUID(1)]?.isWorking = true
        }
        await store.receive(\.rows[id: UUID(1)].takeResponse.success) {
            $0.rows[id: UUID(1)]?.isWorking = false
            $0.rows[id: UUID(1)]?.medicine.isTaken = true
        }
        #expect(store.state.taken == 1)
        store.dependencies.medicineClient.save = { _ in throw Failure() }
        await store.send(\.rows[id: UUID(1)].takeButtonTapped) {
            $0.rows[0].isWorking = true
        }
        await store.receive(\.rows[id: UUID(1)].takeResponse.failure) {
            $0.rows[id: UUID(1)]?.isWorking = false
        }
    }

    @Test
    func loadsAndListens() async {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let store = TestStore(initialState: MedicineList.State()) {
            MedicineList()
        } withDependencies: {
            $0.medicineClient.all = { [Medicine(id: UUID(7))] }
            $0.medicineClient.reminders = { stream }
        }
        let task = await store.send(.task)
        await store.receive(\.loadResponse.success) {
            $0.rows = [MedicineRow.State(medicine: Medicine(id: UUID(7)))]
        }
        continuation.yield("Take it")
        await store.receive(\.reminder, "Take it") {
            $0.reminder = "Take it"
        }
        await task.cancel()
    }

    @Test
    func showsLoadingFailure() async throws {
        struct Failure: Error {}
        let store = TestStore(initialState: MedicineList.State()) {
            MedicineList()
        } withDependencies: {
            $0.medicineClient.all = { throw Failure() }
            $0.medicineClient.reminders = { .finished }
        }
        await store.send(.task)
        await store.receive(\.loadResponse.failure) {
            $0.destination = .alert(.failedToLoad)
        }
        let alert = try #require(store.state.destination?[case: \.alert])
        #expect(alert == .failedToLoad)
        #expect(store.state.destination?.alert != nil)
    }

    @Test
    func onlyObserversOfFieldAreNotified() {
        let store = Store(initialState: MedicineList.State()) {
            MedicineList()
        } withDependencies: {
            $0.uuid = .incrementing
        }
        let destination = LockIsolated(0)
        let focus = LockIsolated(0)
        store.send(.addButtonTapped)
        withObservationTracking {
            _ = store.destination
        } onChange: {
            destination.withValue { $0 += 1 }
        }
        withObservationTracking {
            _ = store.destination?.add?.focus
        } onChange: {
            focus.withValue { $0 += 1 }
        }
        store.send(.destination(.presented(.add(.set(\.focus, .doses)))))
        #expect(destination.value == 0)
        #expect(focus.value == 1)
        store.send(.destination(.dismiss))
        #expect(destination.value == 1)
    }
}
