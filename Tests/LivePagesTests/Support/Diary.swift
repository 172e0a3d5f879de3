import ComposableArchitecture
import Foundation

@testable import LivePages

/// A small feature that uses everything LivePages supports: text, lists, effects, appearing, and
/// signing in.
@Reducer
struct Diary {
    @ObservableState
    struct State: Equatable, Sendable {
        var title = "Diary"
        var name = ""
        var entries: [String] = []
        var visits = 0
        var isOpen = false
        var isLoaded = false
        var user = ""
        var frames: [Int] = []
        var held = 0.0
        var links = 0
        var hasCamera = false
        /// The page doesn't show this number, but an action contains it.
        var unseen = 0
        var kept = KeptAct.stored
    }

    enum Action: Equatable, Sendable {
        case start, loaded, nameChanged(String), addButtonTapped, removeButtonTapped(String),
            visitButtonTapped, opened(Bool), signInButtonTapped
        case signedIn(String), sheetAppeared, sheetDisappeared, pictureSelected(Data), held(Double),
            reversed, linkOpened, cameraAnswered(Bool)
        case unseenChanged, visitsSet(Int), kept(KeptAct)
    }

    @Dependency(\.diary) var diary

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .start:
                return .run { [diary] send in
                    await diary.load()
                    await send(.loaded)
                }
            case .loaded: state.isLoaded = true
            case .nameChanged(let name): state.name = name
            case .addButtonTapped:
                state.entries.append(state.name)
                state.name = ""
            case .removeButtonTapped(let entry): state.entries.removeAll { $0 == entry }
            case .visitButtonTapped: state.visits += 1
            case .opened(let isOpen): state.isOpen = isOpen
            case .signInButtonTapped:
                return .run { [diary] send in await send(.signedIn(diary.signIn())) }
            case .signedIn(let user): state.user = user
            case .sheetAppeared: state.title = "Sheet"
            case .sheetDisappeared: state.title = "Diary"
            case .pictureSelected(let bytes): state.frames.append(bytes.count)
            case .held(let progress): state.held = progress
            case .cameraAnswered(let isAllowed): state.hasCamera = isAllowed
            case .linkOpened: state.links += 1
            case .unseenChanged: state.unseen += 7
            case .visitsSet(let visits): state.visits = visits
            case .kept(let act): state.kept = act
            case .reversed: state.entries.reverse()
            }
            return .none
        }
    }

    static func view(_ state: State) -> HTML<Action> {
        main(.id("content")) {
            h1 { state.title }
            form {
                input(.name("name"), .value(state.name)).onInput { .nameChanged($0) }
                button { "Add" }.onTap(.addButtonTapped)
            }
            .onSubmit(.addButtonTapped)
            .key("form")
            ul {
                for entry in state.entries {
                    li {
                        entry
                        button { "Remove" }.onTap(.removeButtonTapped(entry))
                    }
                    .key(entry)
                }
            }
            .key("entries")
            section {
                p {
                    """
                    \(state.visits) visits, held \(state.held), \(state.frames.count) pictures, \
                    opened \(state.links) times\(state.hasCamera ? ", camera" : "")
                    """
                }
                button { "Visit" }.onTap(.visitButtonTapped)
                button { "Hold" }.onHold(seconds: 3) { .held($0) }
                input(.type("file")).onFile { .pictureSelected($0) }
                button { "Change unseen" }.onTap(.unseenChanged)
                button { "Set visits" }.onTap(.visitsSet(state.unseen))
                button { "Sheet" }.onTap(.opened(true))
                button { "Sign in" }.onTap(.signInButtonTapped)
            }
            .key("visits")
            if state.isOpen {
                dialog(.modal) {
                    video(.class("viewfinder"), .camera, .muted, .playsinline).onToggle {
                        .cameraAnswered($0)
                    }.onFrame { .pictureSelected($0) }
                    button { "Close" }.onTap(.opened(false))
                }
                .onDismiss(.opened(false)).onAppear(.sheetAppeared).onDisappear(.sheetDisappeared)
                .key("sheet")
            }
        }
        .key("main")
    }
}

struct DiaryClient: Sendable {
    var load: @Sendable () async -> Void = {}
    var signIn: @Sendable () async -> String = { "" }
}

private enum DiaryKey: TestDependencyKey { static let testValue = DiaryClient() }

extension DependencyValues {
    var diary: DiaryClient {
        get { self[DiaryKey.self] }
        set { self[DiaryKey.self] = newValue }
    }
}
