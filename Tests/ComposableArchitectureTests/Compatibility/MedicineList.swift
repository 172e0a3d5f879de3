import ComposableArchitecture
import Foundation

@Reducer
struct MedicineRow {
    @ObservableState
    struct State: Equatable, Identifiable {
        var medicine: Medicine
        var isWorking = false
        var id: Medicine.ID { medicine.id }
    }

    enum Action {
        case delegate(Delegate)
        case deleteButtonTapped
        case takeButtonTapped
        case takeResponse(Result<Bool, any Error>)

        @CasePathable
        enum Delegate {
            case delete
        }
    }

    @Dependency(\.medicineClient) var medicineClient

    var body: some Reducer<State, Action> {
        Reduce { state, action in
            switch action {
            case .delegate:
                return .none
            case .deleteButtonTapped:
                return .send(.delegate(.delete))
            case .takeButtonTapped:
                state.isWorking = true
                var medicine = state.medicine
                medicine.isTaken.toggle()
                return .run { [medicine] send in
                    try await medicineClient.save(medicine)
                    await send(.takeResponse(.success(medicine.isTaken)))
                } catch: { error, send in
                    await send(.takeResponse(.failure(error)))
                }
            case .takeResponse(.success(let isTaken)):
                state.isWorking = false
                state.medicine.isTaken = isTaken
                return .none
            case .takeResponse(.failure):
                state.isWorking = false
                return .none
            }
        }
    }
}

@Reducer
struct MedicineList {
    @Reducer
    enum Destination {
        case add(MedicineForm)
        case alert(AlertState<Alert>)
        case options(ConfirmationDialogState<Options>)

        @CasePathable
        enum Alert: Equatable {
            case confirmDeletion(id: Medicine.ID)
        }

        @CasePathable
        enum Options {
            case deleteAll
            case sortByName
        }
    }

    @ObservableState
    struct State: Equatable {
        @Presents var destination: Destination.State?
        var rows: IdentifiedArrayOf<MedicineRow.State> = []
        var reminder: String?

        var taken: Int { rows.filter(\.medicine.isTaken).count }
    }

    enum Action {
        case addButtonTapped
        case destination(PresentationAction<Destination.Action>)
        case loadResponse(Result<[Medicine], any Error>)
        case onDelete(IndexSet)
        case optionsButtonTapped
        case reminder(String)
        case rows(IdentifiedActionOf<MedicineRow>)
        case task
    }

    @Dependency(\.date.now) var now
    @Dependency(MedicineClient.self) var medicineClient
    @Dependency(\.uuid) var uuid

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .addButtonTapped:
                state.destination = .add(MedicineForm.State(medicine: Medicine(id: uuid())))
                return .none

            case .destination(.presented(.add(.delegate(.saved(let medicine))))):
                state.rows.append(MedicineRow.State(medicine: medicine))
                return .none

            case .destination(.presented(.alert(.confirmDeletion(let id)))):
                state.rows.remove(id: id)
                return .none

            case .destination(.presented(.options(.deleteAll))):
                state.rows.removeAll()
                return .none

            case .destination(.presented(.options(.sortByName))):
                state.rows.sort { $0.medicine.name < $1.medicine.name }
                return .none

            case .destination:
                return .none

            case let .loadResponse(.success(medicines)):
                state.rows = IdentifiedArray(
                    uniqueElements: medicines.map { MedicineRow.State(medicine: $0) })
                return .none

            case .loadResponse(.failure):
                state.destination = .alert(.failedToLoad)
                return .none

            case let .onDelete(offsets):
                state.rows.remove(atOffsets: offsets)
                return .none

            case .optionsButtonTapped:
                state.destination = .options(
                    ConfirmationDialogState(titleVisibility: .visible) {
                        TextState("Medicines")
                    } actions: {
                        ButtonState(role: .cancel) {
                            TextState("Cancel")
                        }
                        ButtonState(role: .destructive, action: .deleteAll) {
                            TextState("Delete all")
                        }
                        ButtonState(action: .sortByName) {
                            TextState("Sort")
                        }
                    } message: {
                        TextState("What now?")
                    }
                )
                return .none

            case let .reminder(text):
                state.reminder = text
                return .none

            case let .rows(.element(id: id, action: .delegate(.delete))):
                guard let row = state.rows[id: id] else { return .none }
                state.destination = .alert(.delete(row.medicine))
                return .none

            case .rows:
                return .none

            case .task:
                return .merge(
                    .run { send in
                        await send(.loadResponse(Result { try await medicineClient.all() }))
                    },
                    .run { send in
                        for await reminder in medicineClient.reminders() {
                            await send(.reminder(reminder))
                        }
                    }
                )
            }
        }
        .ifLet(\.$destination, action: \.destination)
        .forEach(\.rows, action: \.rows) {
            MedicineRow()
        }
    }
}

extension MedicineList.Destination.State: Equatable {}

extension AlertState where Action == MedicineList.Destination.Alert {
    static let failedToLoad = Self {
        TextState("The medicines could not be loaded.")
    }

    static func delete(_ medicine: Medicine) -> Self {
        Self {
            TextState("Delete \(medicine.name)?")
        } actions: {
            ButtonState(role: .destructive, action: .send(.confirmDeletion(id: medicine.id))) {
                TextState("Delete")
            }
            ButtonState(role: .cancel) {
                TextState("Keep")
            }
        } message: {
            TextState("This cannot be undone.")
        }
    }
}
