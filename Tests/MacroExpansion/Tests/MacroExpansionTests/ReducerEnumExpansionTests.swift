import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct ReducerEnumExpansionTests {
    @Test func expandsAnEnumerationOfFeatures() {
        expectExpansion(
            "Reducer",
            of: #"""
                @Reducer(state: .equatable, .sendable, action: .equatable)
                public enum Path {
                    case edit(Edit)
                    case preset(Edit = Edit(step: 2))
                }
                """#,
            to: #"""
                public enum Path {
                    case edit(Edit)
                    case preset(Edit = Edit(step: 2))

                    @dynamicMemberLookup
                    public enum State: ComposableArchitecture.CaseReducerState, Swift.Equatable, Swift.Sendable, ComposableArchitecture.ObservableState, Observation.Observable, ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                        public typealias StateReducer = Path
                        case edit(Edit.State)
                        case preset(Edit.State)
                        public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                            public subscript(root: State) -> ComposableArchitecture.PartialCaseKeyPath<State> {
                                if case .edit = root {
                                    return \.edit
                                }
                                if case .preset = root {
                                    return \.preset
                                }
                                return \.never
                            }
                            public func _$position(of root: Swift.UnsafePointer<State>) -> Swift.Int? {
                                switch root.pointee {
                                case .edit:
                                    return 0
                                case .preset:
                                    return 1
                                }
                            }
                            public var edit: ComposableArchitecture.AnyCasePath<State, Edit.State> {
                                ComposableArchitecture.AnyCasePath<State, Edit.State>(
                                    embed: State.edit,
                                    extract: {
                                        guard case let .edit(v0) = $0 else {
                                            return nil
                                        };
                                        return v0
                                    },
                                    modify: { root, body in
                                        switch consume root {
                                        case var .edit(v0):
                                            body(&v0)
                                            root = State.edit(v0)
                                            return true
                                        case let .preset(v0):
                                            root = State.preset(v0)
                                            return false
                                        }
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
                                    },
                                    modify: { root, body in
                                        switch consume root {
                                        case let .edit(v0):
                                            root = State.edit(v0)
                                            return false
                                        case var .preset(v0):
                                            body(&v0)
                                            root = State.preset(v0)
                                            return true
                                        }
                                    }
                                )
                            }
                            public func makeIterator() -> Swift.IndexingIterator<[ComposableArchitecture.PartialCaseKeyPath<State>]> {
                                var allCasePaths: [ComposableArchitecture.PartialCaseKeyPath<State>] = []
                                allCasePaths.append(\.edit)
                                allCasePaths.append(\.preset)
                                return allCasePaths.makeIterator()
                            }
                        }
                        public static var allCasePaths: AllCasePaths {
                            AllCasePaths()
                        }
                        public var _$id: ComposableArchitecture.ObservableStateID {
                            switch self {
                            case let .edit(state):
                                return ComposableArchitecture.ObservableStateID._$id(for: state)._$tag(0)
                            case let .preset(state):
                                return ComposableArchitecture.ObservableStateID._$id(for: state)._$tag(1)
                            }
                        }
                        public mutating func _$willModify() {
                            switch self {
                            case var .edit(state):
                                ComposableArchitecture._$willModify(&state)
                                self = .edit(state)
                            case var .preset(state):
                                ComposableArchitecture._$willModify(&state)
                                self = .preset(state)
                            }
                        }
                    }

                    public enum Action: Swift.Equatable, ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                        case edit(Edit.Action)
                        case preset(Edit.Action)
                        public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                            public subscript(root: Action) -> ComposableArchitecture.PartialCaseKeyPath<Action> {
                                if case .edit = root {
                                    return \.edit
                                }
                                if case .preset = root {
                                    return \.preset
                                }
                                return \.never
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
                        case edit(ComposableArchitecture.StoreOf<Edit>)
                        case preset(ComposableArchitecture.StoreOf<Edit>)
                        public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                            public subscript(root: CaseScope) -> ComposableArchitecture.PartialCaseKeyPath<CaseScope> {
                                if case .edit = root {
                                    return \.edit
                                }
                                if case .preset = root {
                                    return \.preset
                                }
                                return \.never
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
                            public func makeIterator() -> Swift.IndexingIterator<[ComposableArchitecture.PartialCaseKeyPath<CaseScope>]> {
                                var allCasePaths: [ComposableArchitecture.PartialCaseKeyPath<CaseScope>] = []
                                allCasePaths.append(\.edit)
                                allCasePaths.append(\.preset)
                                return allCasePaths.makeIterator()
                            }
                        }
                        public static var allCasePaths: AllCasePaths {
                            AllCasePaths()
                        }
                    }

                    public static func scope(_ store: ComposableArchitecture.Store<Self.State, Self.Action>) -> CaseScope {
                        switch store.state {
                        case let .edit(state):
                            return .edit(ComposableArchitecture._caseScope(store, state: state, \.edit, action: \.edit))
                        case let .preset(state):
                            return .preset(ComposableArchitecture._caseScope(store, state: state, \.preset, action: \.preset))
                        }
                    }
                }

                extension Path: ComposableArchitecture.CaseReducer, ComposableArchitecture.Reducer {
                }
                """#)
    }
}
