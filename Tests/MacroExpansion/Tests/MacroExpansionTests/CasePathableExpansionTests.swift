import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct CasePathableExpansionTests {
    @Test func expandsCasesOfEachKind() {
        expectExpansion(
            "CasePathable",
            of: #"""
                @CasePathable
                public enum Action {
                    case plain
                    case one(Int)
                    case two(id: Int, String = "x")
                    case self_(Self?)
                }
                """#,
            to: #"""
                public enum Action {
                    case plain
                    case one(Int)
                    case two(id: Int, String = "x")
                    case self_(Self?)

                    public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                        public subscript(root: Action) -> ComposableArchitecture.PartialCaseKeyPath<Action> {
                            if case .plain = root {
                                return \.plain
                            }
                            if case .one = root {
                                return \.one
                            }
                            if case .two = root {
                                return \.two
                            }
                            if case .self_ = root {
                                return \.self_
                            }
                            return \.never
                        }
                        public var plain: ComposableArchitecture.AnyCasePath<Action, Void> {
                            ComposableArchitecture.AnyCasePath<Action, Void>(
                                embed: { _ in
                                    Action.plain
                                },
                                extract: {
                                    guard case .plain = $0 else {
                                        return nil
                                    };
                                    return ()
                                }
                            )
                        }
                        public var one: ComposableArchitecture.AnyCasePath<Action, Int> {
                            ComposableArchitecture.AnyCasePath<Action, Int>(
                                embed: Action.one,
                                extract: {
                                    guard case let .one(v0) = $0 else {
                                        return nil
                                    };
                                    return v0
                                }
                            )
                        }
                        public var two: ComposableArchitecture.AnyCasePath<Action, (id: Int, String)> {
                            ComposableArchitecture.AnyCasePath<Action, (id: Int, String)>(
                                embed: {
                                    Action.two(id: $0.0, $0.1)
                                },
                                extract: {
                                    guard case let .two(v0, v1) = $0 else {
                                        return nil
                                    };
                                    return (v0, v1)
                                }
                            )
                        }
                        public var self_: ComposableArchitecture.AnyCasePath<Action, Action?> {
                            ComposableArchitecture.AnyCasePath<Action, Action?>(
                                embed: Action.self_,
                                extract: {
                                    guard case let .self_(v0) = $0 else {
                                        return nil
                                    };
                                    return v0
                                }
                            )
                        }
                        public func makeIterator() -> Swift.IndexingIterator<[ComposableArchitecture.PartialCaseKeyPath<Action>]> {
                            var allCasePaths: [ComposableArchitecture.PartialCaseKeyPath<Action>] = []
                            allCasePaths.append(\.plain)
                            allCasePaths.append(\.one)
                            allCasePaths.append(\.two)
                            allCasePaths.append(\.self_)
                            return allCasePaths.makeIterator()
                        }
                    }

                    public static var allCasePaths: AllCasePaths {
                        AllCasePaths()
                    }
                }

                extension Action: ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                }
                """#)
    }

    @Test func keepsConditionsAndAvailability() {
        expectExpansion(
            "CasePathable",
            of: #"""
                @CasePathable
                enum Action {
                    #if DEBUG
                    case debug
                    #else
                    case release(Int)
                    #endif
                    @available(macOS 99, *)
                    case new
                    @available(*, unavailable)
                    case gone
                }
                """#,
            to: #"""
                enum Action {
                    #if DEBUG
                    case debug
                    #else
                    case release(Int)
                    #endif
                    @available(macOS 99, *)
                    case new
                    @available(*, unavailable)
                    case gone

                    public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                        public subscript(root: Action) -> ComposableArchitecture.PartialCaseKeyPath<Action> {
                            #if DEBUG
                            if case .debug = root {
                                return \.debug
                            }
                            #else
                            if case .release = root {
                                return \.release
                            }
                            #endif
                            if #available(macOS 99, *), case .new = root {
                                return \.new
                            }
                            return \.never
                        }
                        #if DEBUG
                        public var debug: ComposableArchitecture.AnyCasePath<Action, Void> {
                            ComposableArchitecture.AnyCasePath<Action, Void>(
                                embed: { _ in
                                    Action.debug
                                },
                                extract: {
                                    guard case .debug = $0 else {
                                        return nil
                                    };
                                    return ()
                                }
                            )
                        }
                        #else
                        public var release: ComposableArchitecture.AnyCasePath<Action, Int> {
                            ComposableArchitecture.AnyCasePath<Action, Int>(
                                embed: Action.release,
                                extract: {
                                    guard case let .release(v0) = $0 else {
                                        return nil
                                    };
                                    return v0
                                }
                            )
                        }
                        #endif
                        @available(macOS 99, *)
                        public var new: ComposableArchitecture.AnyCasePath<Action, Void> {
                            ComposableArchitecture.AnyCasePath<Action, Void>(
                                embed: { _ in
                                    Action.new
                                },
                                extract: {
                                    guard case .new = $0 else {
                                        return nil
                                    };
                                    return ()
                                }
                            )
                        }
                        public func makeIterator() -> Swift.IndexingIterator<[ComposableArchitecture.PartialCaseKeyPath<Action>]> {
                            var allCasePaths: [ComposableArchitecture.PartialCaseKeyPath<Action>] = []
                            #if DEBUG
                            allCasePaths.append(\.debug)
                            #else
                            allCasePaths.append(\.release)
                            #endif
                            if #available(macOS 99, *) {
                                allCasePaths.append(\.new)
                            }
                            return allCasePaths.makeIterator()
                        }
                    }

                    public static var allCasePaths: AllCasePaths {
                        AllCasePaths()
                    }
                }

                extension Action: ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                }
                """#)
    }
}
