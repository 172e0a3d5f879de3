import ComposableArchitecture
import Foundation

@Reducer
struct MedicineForm {
    @ObservableState
    struct State: Equatable, Identifiable {
        var focus: Field? = .name
        var medicine: Medicine
        var suggestions: [String] = []
        var changes = 0
        var errorMessage: String?

        var id: Medicine.ID { medicine.id }

        enum Field: Hashable {
            case name
            case doses
        }

        init(focus: Field? = .name, medicine: Medicine) {
            self.focus = focus
            self.medicine = medicine
        }
    }

    enum Action: BindableAction, Sendable {
        case binding(BindingAction<State>)
        case cancelButtonTapped
        case delegate(Delegate)
        case saveButtonTapped
        case saveResponse(Result<Medicine, any Error>)
        case suggestionsResponse([String])

        @CasePathable
        enum Delegate: Sendable {
            case saved(Medicine)
        }
    }

    private enum CancelID { case suggestions }

    @Dependency(\.continuousClock) var clock
    @Dependency(\.dismiss) var dismiss
    @Dependency(\.medicineClient) var medicineClient

    var body: some ReducerOf<Self> {
        BindingReducer()
            .onChange(of: \.medicine.dosesPerDay) { oldValue, newValue in
                Reduce { state, _ in
                    state.changes += abs(newValue - oldValue)
                    return .none
                }
            }
        Reduce { state, action in
            switch action {
            case .binding(\.medicine.name):
                guard !state.medicine.name.isEmpty else {
                    state.suggestions = []
                    return .cancel(id: CancelID.suggestions)
                }
                return .run { [name = state.medicine.name] send in
                    try await withTaskCancellation(id: CancelID.suggestions, cancelInFlight: true) {
                        try await clock.sleep(for: .milliseconds(300))
                        await send(
                            .suggestionsResponse(
                                try await medicineClient.suggestions(matching: name)))
                    }
                }

            case .binding:
                return .none

            case .cancelButtonTapped:
                return .run { _ in await self.dismiss() }

            case .delegate:
                return .none

            case .saveButtonTapped:
                return .run { [medicine = state.medicine] send in
                    await send(
                        .saveResponse(
                            Result {
                                try await self.medicineClient.save(medicine: medicine)
                                return medicine
                            }
                        )
                    )
                }

            case let .saveResponse(.success(medicine)):
                return .concatenate(
                    .send(.delegate(.saved(medicine))),
                    .run { _ in await self.dismiss() }
                )

            case let .saveResponse(.failure(error)):
                state.errorMessage = "\(error)"
                return .none

            case let .suggestionsResponse(suggestions):
                state.suggestions = suggestions
                return .none
            }
        }
    }
}
