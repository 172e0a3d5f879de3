import ComposableArchitecture

/// A window that presents one of several screens. The state of a screen is a large value in an enum
/// case.
@Reducer
struct Window {
    @Reducer(state: .equatable, .sendable, action: .sendable)
    enum Screen {
        case start(Counter)
        case main(Desk)
    }

    @ObservableState
    struct State: Equatable, Sendable {
        @Presents var screen: Screen.State?
        var user: String? = "Blob"
    }

    enum Action: Sendable {
        case screen(PresentationAction<Screen.Action>)
    }

    var body: some ReducerOf<Self> {
        Reduce { _, _ in .none }
            .ifLet(\.$screen, action: \.screen)
    }
}

/// A feature whose state has 96 values on the heap, as many as the state of the app's tabs.
@Reducer
struct Desk {
    @ObservableState
    struct State: Equatable, Sendable {
        var counter = Counter.State()
        var left = Shelf()
        var right = Shelf()
    }

    enum Action: Sendable {
        case counter(Counter.Action)
    }

    var body: some ReducerOf<Self> {
        Scope(state: \.counter, action: \.counter) { Counter() }
        Reduce { _, _ in .none }
    }
}

struct Shelf: Equatable, Sendable {
    var top = Row(), upper = Row(), lower = Row(), bottom = Row()
}

struct Row: Equatable, Sendable {
    var first = Self.text(1), second = Self.text(2), third = Self.text(3), fourth = Self.text(4)
    var fifth = [1], sixth = [2], seventh = [3], eighth = [4]
    var ninth: [String: Int]? = ["a": 1], tenth: String? = Self.text(5)
    var eleventh = Self.text(6), twelfth = [Self.text(7)]

    /// Returns a string that is too long for inline storage.
    private static func text(_ number: Int) -> String { "a text of some length, number \(number)" }
}

extension Window.Action {
    static let tapped = Window.Action.screen(.presented(.main(.counter(.tapped))))
}
