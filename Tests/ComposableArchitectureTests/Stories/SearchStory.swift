import ComposableArchitecture
import Testing

@Reducer
struct SearchFeature {
    @ObservableState
    struct State: Equatable {
        var query = ""
        var results: [String] = []
    }

    enum Action {
        case queryChanged(String)
        case response(Result<[String], any Error>)
    }

    @Dependency(\.continuousClock) var clock
    let search: @Sendable (String) async throws -> [String]

    enum CancelID { case search }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .queryChanged(let query):
                state.query = query
                guard !query.isEmpty else {
                    state.results = []
                    return .cancel(id: CancelID.search)
                }
                return .run { send in
                    try await clock.sleep(for: .milliseconds(300))
                    await send(.response(Result { try await search(query) }))
                }
                .cancellable(id: CancelID.search, cancelInFlight: true)
            case .response(.success(let results)):
                state.results = results
                return .none
            case .response(.failure):
                state.results = []
                return .none
            }
        }
    }
}

@MainActor
struct SearchStory {
    @Test func searchesAfterTypingPauses() async {
        let clock = TestClock()
        let asked = LockIsolated<[String]>([])
        let store = TestStore(initialState: SearchFeature.State()) {
            SearchFeature { query in
                asked.withValue { $0.append(query) }
                return [query.uppercased()]
            }
        } withDependencies: {
            $0.continuousClock = clock
        }
        await store.send(.queryChanged("a")) { $0.query = "a" }
        await clock.advance(by: .milliseconds(200))
        await store.send(.queryChanged("ab")) { $0.query = "ab" }
        await clock.advance(by: .milliseconds(299))
        #expect(asked.value == [])
        await clock.advance(by: .milliseconds(1))
        await store.receive(\.response.success) { $0.results = ["AB"] }
        #expect(asked.value == ["ab"])
        await store.send(.queryChanged("abc")) { $0.query = "abc" }
        await store.send(.queryChanged("")) {
            $0.query = ""
            $0.results = []
        }
        await clock.advance(by: .seconds(1))
        #expect(asked.value == ["ab"])
    }
}
