import ComposableArchitecture
import Testing

@Reducer
private struct Light {
    @ObservableState
    struct State: Equatable { var isOn = false }
    enum Action: Equatable { case toggle, wait }
    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .toggle:
                state.isOn.toggle()
                return .none
            case .wait: return .run { _ in try await Task.never() }
            }
        }
    }
}

@Reducer
private struct House {
    @ObservableState
    struct State: Equatable {
        var light: Light.State? = Light.State()
        var settings = Settings()
        var toggles = 0
        var changes: [String] = []
    }

    struct Settings: Equatable, Sendable {
        var name = ""
        var isLoud = false
    }

    enum Action: BindableAction, Equatable {
        case binding(BindingAction<State>)
        case light(Light.Action)
        case removeLight
    }

    var body: some ReducerOf<Self> {
        CombineReducers {
            BindingReducer()
            Reduce { state, action in
                switch action {
                case .light(.toggle):
                    state.toggles += 1
                    // The child has already handled this action, so `isOn` has its new value.
                    if state.light?.isOn == true, state.toggles > 1 { state.light = nil }
                case .removeLight: state.light = nil
                case .binding, .light: break
                }
                return .none
            }
        }
        .onChange(of: \.settings.isLoud) { old, new in
            Reduce { state, _ in
                state.changes.append("\(old) → \(new)")
                return .none
            }
        }
        .ifLet(\.light, action: \.light) { Light() }
    }
}

@Reducer
private struct Door {
    @CasePathable
    @dynamicMemberLookup
    enum State: Equatable {
        case open(Light.State)
        case shut(Light.State)
    }

    enum Action: Equatable {
        case open(Light.Action)
        case shut(Light.Action)
        case turn
    }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            if action == .turn {
                switch state {
                case .open(let light): state = .shut(light)
                case .shut(let light): state = .open(light)
                }
            }
            return .none
        }
        .ifCaseLet(\.open, action: \.open) { Light() }
        Scope(state: \.shut, action: \.shut) { Light() }
    }
}

@MainActor
struct ReducerTests {
    @Test func ifLetRunsChildFirst() async {
        let store = TestStore(initialState: House.State()) { House() }
        await store.send(\.light.toggle) {
            $0.light?.isOn = true
            $0.toggles = 1
        }
        await store.send(\.light.toggle) {
            $0.light?.isOn = false
            $0.toggles = 2
        }
        await store.send(\.light.toggle) {
            $0.light = nil
            $0.toggles = 3
        }
    }

    @Test func ifLetCancelsChildsEffects() async {
        let store = TestStore(initialState: House.State()) { House() }
        await store.send(\.light.wait)
        await store.send(.removeLight) { $0.light = nil }
        await store.finish()
    }

    @Test func ifLetReportsAbsentChild() async throws {
        let found = await issues {
            let store = TestStore(initialState: House.State(light: nil)) { House() }
            await store.send(\.light.wait)
        }
        try #require(found.count == 1)
        #expect(
            found[0].text.contains(
                #"An "ifLet" at "ComposableArchitectureTests/ReducerTests.swift:"#))
        #expect(found[0].text.contains(#"received a child action when child state was "nil". …"#))
        #expect(found[0].text.contains("    House.Action.light(.wait)"))
    }

    @Test func onChangeRunsWhenValueChanges() async {
        let store = TestStore(initialState: House.State()) { House() }
        await store.send(.set(\.settings, House.Settings(name: "x"))) { $0.settings.name = "x" }
        await store.send(\.binding.settings, House.Settings(name: "x", isLoud: true)) {
            $0.settings.isLoud = true
            $0.changes = ["false → true"]
        }
    }

    @Test func bindingActionsSetProperties() {
        let action = BindingAction<House.State>.set(\.toggles, 3)
        #expect(\House.State.toggles ~= action)
        #expect(!(\House.State.changes ~= action))
        #expect(action == .set(\.toggles, 3))
        #expect(action != .set(\.toggles, 4))
        #expect(action != .set(\.changes, []))
        let store = Store(initialState: House.State()) { House() }
        store.toggles = 7
        #expect(store.toggles == 7)
    }

    @Test func ifCaseLetAndScopeRunOnCase() async {
        let store = TestStore(initialState: Door.State.open(Light.State())) { Door() }
        await store.send(\.open.toggle) { $0 = .open(Light.State(isOn: true)) }
        await store.send(\.open.wait)
        await store.send(.turn) { $0 = .shut(Light.State(isOn: true)) }
        await store.finish()
        await store.send(\.shut.toggle) { $0 = .shut(Light.State()) }
        let found = await issues {
            await store.send(\.open.toggle)
        }
        #expect(
            found.first?.text.contains(
                "received a child action when child state was set to a different case. …") ?? false)
        await store.send(.turn) { $0 = .open(Light.State()) }
        let scoped = await issues {
            await store.send(\.shut.toggle)
        }
        #expect(scoped.first?.text.contains(#"A "Scope" at "#) ?? false)
    }

    @Test func builderSupportsConditions() {
        struct Log: Reducer {
            let isLoud: Bool
            let extras: [String]
            var body: some Reducer<[String], String> {
                if isLoud {
                    Reduce { state, action in
                        state.append(action.uppercased())
                        return .none
                    }
                } else {
                    Reduce { state, action in
                        state.append(action)
                        return .none
                    }
                }
                if extras.isEmpty { EmptyReducer() }
                for extra in extras {
                    Reduce { state, _ in
                        state.append(extra)
                        return .none
                    }
                }
            }
        }
        var state: [String] = []
        _ = Log(isLoud: true, extras: ["b", "c"]).reduce(into: &state, action: "a")
        _ = Log(isLoud: false, extras: []).reduce(into: &state, action: "d")
        #expect(state == ["A", "b", "c", "d"])
    }

    @Test func dismissOutsidePresentationReports() async {
        @Dependency(\.dismiss) var dismiss
        @Dependency(\.isPresented) var isPresented
        #expect(!isPresented)
        let found = await issues { await dismiss() }
        #expect(found.first?.text.hasPrefix("A feature asked to be dismissed at ") ?? false)
    }
}
