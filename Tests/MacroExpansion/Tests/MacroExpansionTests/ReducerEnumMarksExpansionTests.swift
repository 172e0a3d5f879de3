import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct ReducerEnumMarksExpansionTests {
    @Test func expandsCasesWithoutAFeature() {
        expectExpansion(
            "Reducer", "ReducerCaseIgnored",
            of: #"""
                @Reducer
                enum Destination {
                    case alert(AlertState<Alert>)
                    @ReducerCaseIgnored
                    case picture(String, width: Int)
                }
                """#,
            to: #"""
                enum Destination {
                    case alert(AlertState<Alert>)
                    case picture(String, width: Int)

                    @dynamicMemberLookup
                    enum State: ComposableArchitecture.CaseReducerState, ComposableArchitecture.ObservableState, Observation.Observable, ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                        typealias StateReducer = Destination
                        case alert(AlertState<Alert>)
                        case picture(String, width: Int)
                        public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                            public subscript(root: State) -> ComposableArchitecture.PartialCaseKeyPath<State> {
                                if case .alert = root {
                                    return \.alert
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
                            case .picture:
                                return ComposableArchitecture.ObservableStateID._$inert._$tag(1)
                            }
                        }
                        public mutating func _$willModify() {
                            switch self {
                            case var .alert(state):
                                ComposableArchitecture._$willModify(&state)
                                self = .alert(state)
                            case .picture:
                                break
                            }
                        }
                    }

                    enum Action: ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                        case alert(Alert)
                        public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                            public subscript(root: Action) -> ComposableArchitecture.PartialCaseKeyPath<Action> {
                                if case .alert = root {
                                    return \.alert
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
                            public func makeIterator() -> Swift.IndexingIterator<[ComposableArchitecture.PartialCaseKeyPath<Action>]> {
                                var allCasePaths: [ComposableArchitecture.PartialCaseKeyPath<Action>] = []
                                allCasePaths.append(\.alert)
                                return allCasePaths.makeIterator()
                            }
                        }
                        public static var allCasePaths: AllCasePaths {
                            AllCasePaths()
                        }
                    }

                    static var body: ComposableArchitecture.Reduce<Self.State, Self.Action> {
                        ComposableArchitecture.Reduce(
                            ComposableArchitecture.EmptyReducer<Self.State, Self.Action>()
                        )
                    }

                    @dynamicMemberLookup
                    enum CaseScope: ComposableArchitecture._CaseScopeProtocol, ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                        case alert(AlertState<Alert>)
                        case picture(String, width: Int)
                        public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                            public subscript(root: CaseScope) -> ComposableArchitecture.PartialCaseKeyPath<CaseScope> {
                                if case .alert = root {
                                    return \.alert
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
                                allCasePaths.append(\.picture)
                                return allCasePaths.makeIterator()
                            }
                        }
                        public static var allCasePaths: AllCasePaths {
                            AllCasePaths()
                        }
                    }

                    static func scope(_ store: ComposableArchitecture.Store<Self.State, Self.Action>) -> CaseScope {
                        switch store.state {
                        case let .alert(v0):
                            return .alert(v0)
                        case let .picture(v0, v1):
                            return .picture(v0, width: v1)
                        }
                    }
                }

                extension Destination: ComposableArchitecture.CaseReducer, ComposableArchitecture.Reducer {
                }
                """#)
    }
}
