import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct ReducerExpansionTests {
    @Test func addsWhatIsMissing() {
        expectExpansion(
            "Reducer",
            of: #"""
                @Reducer
                public struct Feature {
                }
                """#,
            to: #"""
                public struct Feature {

                    public struct State: Codable, Equatable, Hashable, Sendable, ComposableArchitecture.ObservableState, Observation.Observable {
                        public init() {
                        }
                        var _$observationRegistrar = ComposableArchitecture.ObservationStateRegistrar()
                        public var _$id: ComposableArchitecture.ObservableStateID {
                            _$observationRegistrar.id
                        }
                        public mutating func _$willModify() {
                            _$observationRegistrar._$willModify()
                        }
                    }

                    public enum Action: Equatable, Hashable, Sendable, ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                        public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                            public subscript(root: Action) -> ComposableArchitecture.PartialCaseKeyPath<Action> {

                            }

                            public func makeIterator() -> Swift.IndexingIterator<[ComposableArchitecture.PartialCaseKeyPath<Action>]> {
                                let allCasePaths: [ComposableArchitecture.PartialCaseKeyPath<Action>] = []
                                return allCasePaths.makeIterator()
                            }
                        }
                        public static var allCasePaths: AllCasePaths {
                            AllCasePaths()
                        }
                    }

                    public let body = ComposableArchitecture.EmptyReducer<Self.State, Self.Action>()
                }

                extension Feature: ComposableArchitecture.Reducer {
                }
                """#)
    }

    @Test func marksWhatIsThere() {
        expectExpansion(
            "Reducer",
            of: #"""
                @Reducer
                struct Feature {
                    enum State {
                        case on
                    }
                    enum Action {
                        case tap
                    }
                    enum CancelID {
                        case timer
                    }
                    var body: some ReducerOf<Self> {
                        EmptyReducer()
                    }
                }
                """#,
            to: #"""
                struct Feature {
                    @ComposableArchitecture.CasePathable @dynamicMemberLookup
                    enum State {
                        case on
                    }
                    @ComposableArchitecture.CasePathable
                    enum Action {
                        case tap
                    }
                    enum CancelID {
                        case timer
                    }
                    @ComposableArchitecture.ReducerBuilder<Self.State, Self.Action>
                    var body: some ReducerOf<Self> {
                        EmptyReducer()
                    }
                }

                extension Feature: ComposableArchitecture.Reducer {
                }
                """#)
    }

    @Test func namesTheBuilderByTheTypeOfTheBody() {
        expectExpansion(
            "Reducer",
            of: #"""
                @Reducer
                struct Feature {
                    typealias State = Int
                    typealias Action = Bool
                    var body: some Reducer<Int, Bool> {
                        EmptyReducer()
                    }
                }
                """#,
            to: #"""
                struct Feature {
                    typealias State = Int
                    typealias Action = Bool
                    @ComposableArchitecture.ReducerBuilder<Int, Bool>
                    var body: some Reducer<Int, Bool> {
                        EmptyReducer()
                    }
                }

                extension Feature: ComposableArchitecture.Reducer {
                }
                """#)
    }

    @Test func warnsOfABodyThatIsNotUsed() {
        expectExpansion(
            "Reducer",
            of: #"""
                @Reducer
                struct Feature {
                    typealias State = Int
                    typealias Action = Bool
                    func reduce(into state: inout Int, action: Bool) -> Effect<Bool> {
                        .none
                    }
                    let body = EmptyReducer<Int, Bool>()
                }
                """#,
            to: #"""
                struct Feature {
                    typealias State = Int
                    typealias Action = Bool
                    func reduce(into state: inout Int, action: Bool) -> Effect<Bool> {
                        .none
                    }
                    let body = EmptyReducer<Int, Bool>()
                }

                extension Feature: ComposableArchitecture.Reducer {
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message: "A 'reduce' method should not be defined in a reducer with a 'body'; it takes precedence and 'body' will never be invoked",
                    line: 5, column: 10, severity: .warning)
            ])
    }

    @Test func refusesAClass() {
        expectExpansion(
            "Reducer",
            of: #"""
                @Reducer
                class Feature {
                }
                """#,
            to: #"""
                class Feature {
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@Reducer' cannot be applied to class type 'Feature'",
                    line: 1, column: 1, severity: .error)
            ])
    }

    @Test func expandsAnEnumerationOfFeatures() {
        expectExpansion(
            "Reducer", "ReducerCaseIgnored",
            of: #"""
                @Reducer(state: .equatable, .sendable, action: .equatable)
                public enum Path {
                    case alert(AlertState<Alert>)
                    case edit(Edit)
                    case preset(Edit = Edit(step: 2))
                    @ReducerCaseIgnored
                    case picture(String, width: Int)
                }
                """#,
            to: #"""
                public enum Path {
                    case alert(AlertState<Alert>)
                    case edit(Edit)
                    case preset(Edit = Edit(step: 2))
                    case picture(String, width: Int)

                    @dynamicMemberLookup
                    public enum State: ComposableArchitecture.CaseReducerState, Swift.Equatable, Swift.Sendable, ComposableArchitecture.ObservableState, Observation.Observable, ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                        public typealias StateReducer = Path
                        case alert(AlertState<Alert>)
                        case edit(Edit.State)
                        case preset(Edit.State)
                        case picture(String, width: Int)
                        public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                            public subscript(root: State) -> ComposableArchitecture.PartialCaseKeyPath<State> {
                                if case .alert = root {
                                    return \.alert
                                }
                                if case .edit = root {
                                    return \.edit
                                }
                                if case .preset = root {
                                    return \.preset
                                }
                                if case .picture = root {
                                    return \.picture
                                }
                                return \.never
                            }
                            public var alert: ComposableArchitecture.AnyCasePath<State, AlertState<Alert>> {
                                ComposableArchitecture.AnyCasePath<State, AlertState<Alert>>(
                                    embed: State.alert,
                                    extract: {
                                        guard case let .alert(v0) = $0 else {
                                            return nil
                                        };
                                        return v0
                                    }
                                )
                            }
                            public var edit: ComposableArchitecture.AnyCasePath<State, Edit.State> {
                                ComposableArchitecture.AnyCasePath<State, Edit.State>(
                                    embed: State.edit,
                                    extract: {
                                        guard case let .edit(v0) = $0 else {
                                            return nil
                                        };
                                        return v0
                                    }
                                )
                            }
                            public var preset: ComposableArchitecture.AnyCasePath<State, Edit.State> {
                                ComposableArchitecture.AnyCasePath<State, Edit.State>(
                                    embed: State.preset,
                                    extract: {
                                        guard case let .preset(v0) = $0 else {
                                            return nil
                                        };
                                        return v0
                                    }
                                )
                            }
                            public var picture: ComposableArchitecture.AnyCasePath<State, (String, width: Int)> {
                                ComposableArchitecture.AnyCasePath<State, (String, width: Int)>(
                                    embed: {
                                        State.picture($0.0, width: $0.1)
                                    },
                                    extract: {
                                        guard case let .picture(v0, v1) = $0 else {
                                            return nil
                                        };
                                        return (v0, v1)
                                    }
                                )
                            }
                            public func makeIterator() -> Swift.IndexingIterator<[ComposableArchitecture.PartialCaseKeyPath<State>]> {
                                var allCasePaths: [ComposableArchitecture.PartialCaseKeyPath<State>] = []
                                allCasePaths.append(\.alert)
                                allCasePaths.append(\.edit)
                                allCasePaths.append(\.preset)
                                allCasePaths.append(\.picture)
                                return allCasePaths.makeIterator()
                            }
                        }
                        public static var allCasePaths: AllCasePaths {
                            AllCasePaths()
                        }
                        public var _$id: ComposableArchitecture.ObservableStateID {
                            switch self {
                            case let .alert(state):
                                return ComposableArchitecture.ObservableStateID._$id(for: state)._$tag(0)
                            case let .edit(state):
                                return ComposableArchitecture.ObservableStateID._$id(for: state)._$tag(1)
                            case let .preset(state):
                                return ComposableArchitecture.ObservableStateID._$id(for: state)._$tag(2)
                            case .picture:
                                return ComposableArchitecture.ObservableStateID._$inert._$tag(3)
                            }
                        }
                        public mutating func _$willModify() {
                            switch self {
                            case var .alert(state):
                                ComposableArchitecture._$willModify(&state)
                                self = .alert(state)
                            case var .edit(state):
                                ComposableArchitecture._$willModify(&state)
                                self = .edit(state)
                            case var .preset(state):
                                ComposableArchitecture._$willModify(&state)
                                self = .preset(state)
                            case .picture:
                                break
                            }
                        }
                    }

                    public enum Action: Swift.Equatable, ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                        case alert(Alert)
                        case edit(Edit.Action)
                        case preset(Edit.Action)
                        public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                            public subscript(root: Action) -> ComposableArchitecture.PartialCaseKeyPath<Action> {
                                if case .alert = root {
                                    return \.alert
                                }
                                if case .edit = root {
                                    return \.edit
                                }
                                if case .preset = root {
                                    return \.preset
                                }
                                return \.never
                            }
                            public var alert: ComposableArchitecture.AnyCasePath<Action, Alert> {
                                ComposableArchitecture.AnyCasePath<Action, Alert>(
                                    embed: Action.alert,
                                    extract: {
                                        guard case let .alert(v0) = $0 else {
                                            return nil
                                        };
                                        return v0
                                    }
                                )
                            }
                            public var edit: ComposableArchitecture.AnyCasePath<Action, Edit.Action> {
                                ComposableArchitecture.AnyCasePath<Action, Edit.Action>(
                                    embed: Action.edit,
                                    extract: {
                                        guard case let .edit(v0) = $0 else {
                                            return nil
                                        };
                                        return v0
                                    }
                                )
                            }
                            public var preset: ComposableArchitecture.AnyCasePath<Action, Edit.Action> {
                                ComposableArchitecture.AnyCasePath<Action, Edit.Action>(
                                    embed: Action.preset,
                                    extract: {
                                        guard case let .preset(v0) = $0 else {
                                            return nil
                                        };
                                        return v0
                                    }
                                )
                            }
                            public func makeIterator() -> Swift.IndexingIterator<[ComposableArchitecture.PartialCaseKeyPath<Action>]> {
                                var allCasePaths: [ComposableArchitecture.PartialCaseKeyPath<Action>] = []
                                allCasePaths.append(\.alert)
                                allCasePaths.append(\.edit)
                                allCasePaths.append(\.preset)
                                return allCasePaths.makeIterator()
                            }
                        }
                        public static var allCasePaths: AllCasePaths {
                            AllCasePaths()
                        }
                    }

                    public static var body: ComposableArchitecture.Reduce<Self.State, Self.Action> {
                        ComposableArchitecture.Reduce(
                            ComposableArchitecture.CombineReducers {
                                ComposableArchitecture.Scope(state: \Self.State.Cases.edit, action: \Self.Action.Cases.edit) {
                                    Edit()
                                }
                                ComposableArchitecture.Scope(state: \Self.State.Cases.preset, action: \Self.Action.Cases.preset) {
                                    Edit(step: 2)
                                }
                            }
                        )
                    }

                    @dynamicMemberLookup
                    public enum CaseScope: ComposableArchitecture._CaseScopeProtocol, ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                        case alert(AlertState<Alert>)
                        case edit(ComposableArchitecture.StoreOf<Edit>)
                        case preset(ComposableArchitecture.StoreOf<Edit>)
                        case picture(String, width: Int)
                        public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                            public subscript(root: CaseScope) -> ComposableArchitecture.PartialCaseKeyPath<CaseScope> {
                                if case .alert = root {
                                    return \.alert
                                }
                                if case .edit = root {
                                    return \.edit
                                }
                                if case .preset = root {
                                    return \.preset
                                }
                                if case .picture = root {
                                    return \.picture
                                }
                                return \.never
                            }
                            public var alert: ComposableArchitecture.AnyCasePath<CaseScope, AlertState<Alert>> {
                                ComposableArchitecture.AnyCasePath<CaseScope, AlertState<Alert>>(
                                    embed: CaseScope.alert,
                                    extract: {
                                        guard case let .alert(v0) = $0 else {
                                            return nil
                                        };
                                        return v0
                                    }
                                )
                            }
                            public var edit: ComposableArchitecture.AnyCasePath<CaseScope, ComposableArchitecture.StoreOf<Edit>> {
                                ComposableArchitecture.AnyCasePath<CaseScope, ComposableArchitecture.StoreOf<Edit>>(
                                    embed: CaseScope.edit,
                                    extract: {
                                        guard case let .edit(v0) = $0 else {
                                            return nil
                                        };
                                        return v0
                                    }
                                )
                            }
                            public var preset: ComposableArchitecture.AnyCasePath<CaseScope, ComposableArchitecture.StoreOf<Edit>> {
                                ComposableArchitecture.AnyCasePath<CaseScope, ComposableArchitecture.StoreOf<Edit>>(
                                    embed: CaseScope.preset,
                                    extract: {
                                        guard case let .preset(v0) = $0 else {
                                            return nil
                                        };
                                        return v0
                                    }
                                )
                            }
                            public var picture: ComposableArchitecture.AnyCasePath<CaseScope, (String, width: Int)> {
                                ComposableArchitecture.AnyCasePath<CaseScope, (String, width: Int)>(
                                    embed: {
                                        CaseScope.picture($0.0, width: $0.1)
                                    },
                                    extract: {
                                        guard case let .picture(v0, v1) = $0 else {
                                            return nil
                                        };
                                        return (v0, v1)
                                    }
                                )
                            }
                            public func makeIterator() -> Swift.IndexingIterator<[ComposableArchitecture.PartialCaseKeyPath<CaseScope>]> {
                                var allCasePaths: [ComposableArchitecture.PartialCaseKeyPath<CaseScope>] = []
                                allCasePaths.append(\.alert)
                                allCasePaths.append(\.edit)
                                allCasePaths.append(\.preset)
                                allCasePaths.append(\.picture)
                                return allCasePaths.makeIterator()
                            }
                        }
                        public static var allCasePaths: AllCasePaths {
                            AllCasePaths()
                        }
                    }

                    public static func scope(_ store: ComposableArchitecture.Store<Self.State, Self.Action>) -> CaseScope {
                        switch store.state {
                        case let .alert(v0):
                            return .alert(v0)
                        case let .edit(state):
                            return .edit(ComposableArchitecture._caseScope(store, state: state, \.edit, action: \.edit))
                        case let .preset(state):
                            return .preset(ComposableArchitecture._caseScope(store, state: state, \.preset, action: \.preset))
                        case let .picture(v0, v1):
                            return .picture(v0, width: v1)
                        }
                    }
                }

                extension Path: ComposableArchitecture.CaseReducer, ComposableArchitecture.Reducer {
                }
                """#)
    }
}
