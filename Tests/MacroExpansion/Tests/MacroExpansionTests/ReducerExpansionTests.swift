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

                    public var body: ComposableArchitecture.EmptyReducer<Self.State, Self.Action> {
                        ComposableArchitecture.EmptyReducer()
                    }
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
}
