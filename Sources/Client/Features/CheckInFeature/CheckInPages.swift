import Clients
import ComposableArchitecture
import Domain

/// Loads the history of check-ins page by page.
struct CheckInPages: Reducer {
    typealias State = CheckInFeature.State
    typealias Action = CheckInFeature.Action
    private typealias CancelID = CheckInFeature.CancelID

    @Dependency(\.checkInClient) private var checkInClient

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .loadHistory:
            return load(&state)

        case .loadMoreHistory:
            guard let next = state.nextHistoryPage else { return .none }
            return load(before: next, &state)

        case .historyResponse(.success(let page)):
            state.isLoadingHistory = false
            if page.isFirst { state.checkInHistory = [] }
            state.nextHistoryPage = page.next
            page.items.forEach { state.keepInHistory($0) }
            return .none

        case .historyResponse(.failure(let error)):
            state.isLoadingHistory = false
            state.error = error
            return .none

        default:
            return .none
        }
    }

    func load(before: String? = nil, _ state: inout State) -> Effect<Action> {
        guard !state.isLoadingHistory else { return .none }
        state.isLoadingHistory = true
        state.error = nil
        return .run { [checkInClient] send in
            await send(
                .historyResponse(
                    .userFacing {
                        let page = try await checkInClient.history(before: before)
                        return HistoryPage(
                            items: page.items, next: page.next, isFirst: before == nil)
                    }))
        }
        .cancellable(id: CancelID.history, cancelInFlight: true)
    }
}
