import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct ObservableStateExpansionTests {
    @Test func tracksStoredVariablesOnly() {
        expectExpansion(
            "ObservableState",
            of: #"""
                @ObservableState
                struct State {
                    var count = 0
                    let id: Int
                    static var shared = 1
                    var double: Int { count * 2 }
                    @ObservationStateIgnored var ignored = 0
                    @Presents var child: Child?
                    @Shared(.key) var shared: Int
                    var watched = 0 {
                        didSet {}
                    }
                }
                """#,
            to: #"""
                struct State {
                    @ComposableArchitecture.ObservationStateTracked
                    var count = 0
                    let id: Int
                    static var shared = 1
                    var double: Int { count * 2 }
                    @ObservationStateIgnored var ignored = 0
                    @Presents var child: Child?
                    @Shared(.key)
                    @ComposableArchitecture.ObservationStateIgnored var shared: Int
                    @ComposableArchitecture.ObservationStateTracked
                    var watched = 0 {
                        didSet {}
                    }

                    var _$observationRegistrar = ComposableArchitecture.ObservationStateRegistrar()

                    public var _$id: ComposableArchitecture.ObservableStateID {
                        _$observationRegistrar.id
                    }

                    public mutating func _$willModify() {
                        _$observationRegistrar._$willModify()
                    }
                }

                extension State: Observation.Observable, ComposableArchitecture.ObservableState {
                }
                """#)
    }

    @Test func movesAValueToItsStorage() {
        expectExpansion(
            "ObservationStateTracked",
            of: #"""
                struct State {
                    @ObservationStateTracked public var name: String = "a"
                }
                """#,
            to: #"""
                struct State {
                    public var name: String {
                        @storageRestrictions(initializes: _name)
                        init(initialValue) {
                            _name = initialValue
                        }
                        get {
                            _$observationRegistrar.access(self, keyPath: \.name);
                            return _name
                        }
                        set {
                            _$observationRegistrar.mutate(self, keyPath: \.name, &_name, newValue, _$isIdentityEqual)
                        }
                        _modify {
                            let oldValue = _$observationRegistrar.willModify(self, keyPath: \.name, &_name)
                            defer {
                                _$observationRegistrar.didModify(self, keyPath: \.name, &_name, oldValue, _$isIdentityEqual)
                            }
                            yield &_name
                        }
                    }

                    private var _name: String = "a"
                }
                """#)
    }

    @Test func movesObserversToTheStorage() {
        expectExpansion(
            "ObservationStateTracked",
            of: #"""
                struct State {
                    @ObservationStateTracked var name = "a" {
                        didSet {
                            changed()
                        }
                    }
                }
                """#,
            to: #"""
                struct State {
                    var name {
                        didSet {
                            changed()
                        }
                        @storageRestrictions(initializes: _name)
                        init(initialValue) {
                            _name = initialValue
                        }

                        get {
                            _$observationRegistrar.access(self, keyPath: \.name);
                            return _name
                        }

                        set {
                            var value = _name
                            _$observationRegistrar.mutate(self, keyPath: \.name, &value, newValue, _$isIdentityEqual)
                            _name = value
                        }
                    }

                    private var _name = "a" {
                            didSet {
                                changed()
                            }
                        }
                }
                """#)
    }

    @Test func identifiesTheCasesOfAnEnumeration() {
        expectExpansion(
            "ObservableState",
            of: #"""
                @ObservableState
                public enum State {
                    case one(Child.State)
                    case labelled(id: Child.State)
                    case two(Int, Int)
                    case none
                }
                """#,
            to: #"""
                public enum State {
                    case one(Child.State)
                    case labelled(id: Child.State)
                    case two(Int, Int)
                    case none

                    public var _$id: ComposableArchitecture.ObservableStateID {
                        switch self {
                        case let .one(state):
                            return ComposableArchitecture.ObservableStateID._$id(for: state)._$tag(0)
                        case let .labelled(state):
                            return ComposableArchitecture.ObservableStateID._$id(for: state)._$tag(1)
                        case .two:
                            return ComposableArchitecture.ObservableStateID._$inert._$tag(2)
                        case .none:
                            return ComposableArchitecture.ObservableStateID._$inert._$tag(3)
                        }
                    }

                    public mutating func _$willModify() {
                        switch self {
                        case var .one(state):
                            ComposableArchitecture._$willModify(&state)
                            self = .one(state)
                        case var .labelled(state):
                            ComposableArchitecture._$willModify(&state)
                            self = .labelled(id: state)
                        case .two:
                            break
                        case .none:
                            break
                        }
                    }
                }

                extension State: Observation.Observable, ComposableArchitecture.ObservableState {
                }
                """#)
    }
}
