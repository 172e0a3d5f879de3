import ComposableArchitecture
import Foundation

/// A feature that other modules can use: all types and members are public.
@Reducer
public struct Settings: Sendable {
    @Reducer
    public enum Sheet {
        case about(About)
        @ReducerCaseEphemeral
        case hint(Hint)

        public typealias Hint = AlertState<HintAction>

        @CasePathable
        public enum HintAction: Equatable, Sendable {
            case shown
        }
    }

    @ObservableState
    public struct State: Equatable, Sendable {
        @Presents public var sheet: Sheet.State?
        public var name: String
        public var kind: Kind.State
        public var abouts: IdentifiedArrayOf<About.State> = []
        public var writes = 0

        public init(name: String, kind: Kind.State = .none(Kind.Empty())) {
            self.name = name
            self.kind = kind
        }
    }

    public enum Action: BindableAction, Sendable, ViewAction {
        case binding(BindingAction<State>)
        case kind(Kind.Action)
        case sheet(PresentationAction<Sheet.Action>)
        case abouts(IdentifiedActionOf<About>)
        case view(View)
        case delegate(Delegate)

        @CasePathable
        public enum View: Sendable {
            case aboutButtonTapped
            case hintButtonTapped
            case nameChanged(String)
        }

        @CasePathable
        @dynamicMemberLookup
        public enum Delegate: Equatable, Sendable {
            case saved(name: String, at: Date)
            case removed
        }
    }

    @Dependency(\.date) private var date

    public init() {}

    public var body: some ReducerOf<Self> {
        BindingReducer()
        Scope(state: \.kind, action: \.kind, child: Kind.init)
        Reduce { state, action in
            switch action {
            case .view(.aboutButtonTapped):
                state.sheet = .about(About.State(id: 1))
                return .none
            case .view(.hintButtonTapped):
                state.sheet = .hint(.hello)
                return .none
            case .view(.nameChanged(let name)):
                state.name = name
                return save(&state)
            case .binding, .kind, .sheet, .abouts, .delegate:
                return .none
            }
        }
        .ifLet(\.$sheet, action: \.sheet)
        .forEach(\.abouts, action: \.abouts, element: About.init)
    }

    private func save(_ state: inout State) -> Effect<Action> {
        state.writes += 1
        return .send(.delegate(.saved(name: state.name, at: date.now)))
    }
}

extension AlertState where Action == Settings.Sheet.HintAction {
    static var hello: Self {
        AlertState {
            TextState("Hello")
        } actions: {
            ButtonState(action: .shown) {
                TextState("OK")
            }
        }
    }
}

extension Settings.Sheet.State: Equatable {}
extension Settings.Sheet.State: Sendable {}
extension Settings.Sheet.Action: Sendable {}

@Reducer
public struct About: Sendable {
    @ObservableState
    public struct State: Codable, Equatable, Identifiable, Sendable {
        public let id: Int
        public var isOpen = false
    }

    public enum Action: Equatable, Sendable {
        case opened
    }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            state.isOpen = action.is(\.opened)
            return .none
        }
    }
}

@Reducer
public struct Placeholder: Sendable {}

/// A feature whose state is an enum, with `Scope` on its cases.
@Reducer
public struct Kind: Sendable {
    public struct Empty: Equatable, Sendable {
        public init() {}
    }

    @ObservableState
    public enum State: Equatable, Sendable {
        case none(Empty)
        case about(About.State)
    }

    public enum Action: Sendable {
        case about(About.Action)
        case choose
    }

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.about, action: \.about) {
            About()
        }
        Reduce { state, action in
            if case .choose = action {
                state = .about(About.State(id: 2))
            }
            return .none
        }
    }
}
