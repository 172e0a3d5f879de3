import ComposableArchitecture
import LivePages

/// A small feature: each signed-in person has a count, and a form sets the step.
@Reducer
struct Counter {
    @ObservableState
    struct State: Equatable, Sendable {
        var count = 0
        var step = "1"
        var isExplained = false
        var name: String?
    }

    enum Action: Equatable, Sendable {
        case started, loaded(Int), addButtonTapped, stepChanged(String), stepSubmitted
        case explained(Bool), signInButtonTapped
    }

    let account: CounterAccount

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .started:
                state.name = account.identity
                state.count = account.count
            case .loaded(let count): state.count = count
            case .addButtonTapped:
                state.count += Int(state.step) ?? 0
                account.keep(state.count)
            case .stepChanged(let step): state.step = step
            case .stepSubmitted: state.step = Int(state.step).map { "\($0)" } ?? "1"
            case .explained(let isExplained): state.isExplained = isExplained
            case .signInButtonTapped:
                account.signIn("ada")
                state.name = "ada"
            }
            return .none
        }
    }

    static func view(_ state: State) -> HTML<Action> {
        main(.id("content")) {
            h1 { "Counter" }
            if state.isExplained { p { "It counts." }.key("words") }
            output { "\(state.count)" }.key("count")
            form {
                label(.for("step")) { "Step" }
                input(.id("step"), .name("step"), .value(state.step)).onInput { .stepChanged($0) }
                button(.type("submit")) { "Set" }
                button { "Add" }.onTap(.addButtonTapped)
                button { "Sign in" }.onTap(.signInButtonTapped)
            }
            .onSubmit(.stepSubmitted)
            .key("form")
        }
    }
}

extension PageApp where Feature == Counter, Resources == CounterAccount {
    static var counter: PageApp {
        PageApp(
            makeStore: { account, isolation in
                Store(initialState: Counter.State(), isolation: isolation) {
                    Counter(account: account)
                }
            },
            start: .started, view: Counter.view,
            outline: { state in
                Outline(
                    path: state.isExplained ? "/words" : "/", title: "Counter: \(state.count)",
                    user: state.name ?? "")
            },
            open: { path, _ in [.explained(path == "/words")] },
            download: { name, state in
                name == "count.txt"
                    ? Download(.init("\(state.count)".utf8), mediaType: "text/plain") : nil
            })
    }
}
