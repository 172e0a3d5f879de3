import ComposableArchitecture
import Foundation

@Reducer
struct Login {
    @ObservableState
    struct State: Equatable {
        @Presents var alert: AlertState<Action.Alert>?
        var code = ""
        var isBusy = false
    }

    enum Action: ViewAction {
        case alert(PresentationAction<Alert>)
        case codeResponse(Result<String, SessionError>)
        case view(View)

        @CasePathable
        enum Alert: Equatable {
            case retry
        }

        @CasePathable
        enum View: BindableAction {
            case binding(BindingAction<State>)
            case signInButtonTapped
        }
    }

    @Dependency(\.sessionClient.signIn) var signIn

    var body: some ReducerOf<Self> {
        BindingReducer(action: \.view)
        Reduce { state, action in
            switch action {
            case .alert(.presented(.retry)):
                return .send(.view(.signInButtonTapped))
            case .alert:
                return .none
            case .codeResponse(.success):
                state.isBusy = false
                return .none
            case .codeResponse(.failure(let error)):
                state.isBusy = false
                state.alert = AlertState { TextState(error.rawValue) }
                return .none
            case .view(.binding):
                return .none
            case .view(.signInButtonTapped):
                state.isBusy = true
                return .run { [code = state.code] send in
                    await send(.codeResponse(signIn(code)))
                }
            }
        }
        .ifLet(\.$alert, action: \.alert)
    }
}

enum SessionError: String, Error, Equatable {
    case wrongCode
}

@DependencyClient
struct SessionClient {
    var signIn: @Sendable (_ code: String) async -> Result<String, SessionError> = { _ in
        .failure(.wrongCode)
    }
}

extension SessionClient: DependencyKey {
    static let liveValue = SessionClient(signIn: { .success($0) })
    static let testValue = SessionClient()
}

extension DependencyValues {
    var sessionClient: SessionClient {
        get { self[SessionClient.self] }
        set { self[SessionClient.self] = newValue }
    }
}

@Reducer
struct Home {
    @ObservableState
    struct State: Equatable {
        let userID: String
        var list = MedicineList.State()
        var timer: Timer.State?
    }

    enum Action {
        case list(MedicineList.Action)
        case startTimerButtonTapped
        case stopTimerButtonTapped
        case timer(Timer.Action)
    }

    var body: some ReducerOf<Self> {
        Scope(state: \.list, action: \.list) {
            MedicineList()
        }
        Reduce { state, action in
            switch action {
            case .list, .timer:
                return .none
            case .startTimerButtonTapped:
                state.timer = Timer.State()
                return .send(.timer(.start))
            case .stopTimerButtonTapped:
                state.timer = nil
                return .none
            }
        }
        .ifLet(\.timer, action: \.timer) {
            Timer()
        }
    }
}

@Reducer
struct Account {
    @ObservableState
    enum State: Equatable {
        case signedOut(Login.State)
        case signedIn(Home.State)
    }

    enum Action {
        case signedIn(Home.Action)
        case signedOut(Login.Action)
        case signOut
    }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .signedOut(.codeResponse(.success(let id))):
                state = .signedIn(Home.State(userID: id))
                return .none
            case .signOut:
                state = .signedOut(Login.State())
                return .none
            case .signedIn, .signedOut:
                return .none
            }
        }
        .ifCaseLet(\.signedIn, action: \.signedIn) {
            Home()
        }
        .ifCaseLet(\.signedOut, action: \.signedOut) {
            Login()
        }
    }
}

@Reducer(state: .equatable)
enum Root {
    case login(Login)
    case home(Home)
    @ReducerCaseIgnored
    case waiting(URL)
}
