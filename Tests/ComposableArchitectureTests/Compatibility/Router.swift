import ComposableArchitecture
import Foundation

/// A feature with unusual but valid syntax: nested presentations, an alert without actions, lists
/// of destinations, and generics.
@Reducer
struct Router {
    @Reducer(state: .equatable, .sendable)
    enum Path {
        case timer(Timer)
        case tally(Tally)
    }

    @ObservableState
    struct State: Equatable {
        @Presents var alert: AlertState<Never>?
        @Presents var list: MedicineList.State?
        var note: String?
        var log: [String] = []
        var pages: IdentifiedArrayOf<Page<Int>.State> = []
        @ObservationStateIgnored var seen = 0
        var path: Path.State = .tally(Tally.State())

        var isQuiet: Bool {
            guard case .tally = path else { return false }
            return alert == nil
        }
    }

    enum Action: Sendable {
        case alert(PresentationAction<Never>)
        case list(PresentationAction<MedicineList.Action>)
        case pages(IdentifiedActionOf<Page<Int>>)
        case path(Path.Action)
        case failed(any Error)
        case openButtonTapped
        case fetchButtonTapped
        case fetched(Result<Int, any Error>)
        case cancelButtonTapped
    }

    enum CancelID { case fetch, other }

    @Dependency(\.context) var context
    @Dependency(\.calendar) var calendar
    @Dependency(\.locale) var locale
    @Dependency(\.timeZone) var timeZone
    @Dependency(\.suspendingClock) var clock

    var body: some ReducerOf<Self> {
        Scope(state: \.path, action: \.path) {
            Path.body
        }
        Reduce<State, Action>(self.core)
            .ifLet(\.$list, action: \.list) {
                MedicineList()
            }
            .ifLet(\.$alert, action: \.alert)
            .forEach(\.pages, action: \.pages) {
                Page<Int>()
            }
            .logged()
    }

    func core(into state: inout State, action: Action) -> EffectOf<Self> {
        switch action {
        case .openButtonTapped:
            state.list = MedicineList.State()
            return .none
        case .fetchButtonTapped:
            return .merge(
                .cancel(id: CancelID.other),
                .run(priority: .userInitiated) { send in
                    try await clock.sleep(for: .seconds(1))
                    await send(.fetched(Result { 42 }))
                }
                .cancellable(id: CancelID.fetch)
            )
        case .cancelButtonTapped:
            return .concatenate(.cancel(id: CancelID.fetch), .none)
        case .fetched(.success(let number)):
            state.pages.append(Page<Int>.State(id: number, value: number))
            return .none
        case .fetched(.failure(let error)), .failed(let error):
            state.alert = AlertState {
                TextState("Failed: ") + TextState(verbatim: "\(error)").bold()
            }
            return .none
        case .list(.dismiss):
            state.note = "closed"
            return .none
        case .alert, .list, .pages, .path:
            return .none
        }
    }
}

extension Reducer where State == Router.State {
    func logged() -> some Reducer<State, Action> {
        CombineReducers {
            self
            Reduce { state, _ in
                state.seen += 1
                return .none
            }
        }
    }
}

@Reducer
struct Page<Value: Equatable & Sendable> {
    @ObservableState
    struct State: Equatable, Identifiable {
        let id: Int
        var value: Value
    }

    enum Action: Equatable, Sendable {
        case changed(Value)
    }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .changed(let value):
                state.value = value
                return .none
            }
        }
    }
}
