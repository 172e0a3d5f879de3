import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct PresentsExpansionTests {
    @Test func expandsToAPresentationState() {
        expectExpansion(
            "Presents",
            of: #"""
                struct State {
                    @Presents public var child: Child.State?
                }
                """#,
            to: #"""
                struct State {
                    public var child: Child.State? {
                        @storageRestrictions(initializes: _child)
                        init(initialValue) {
                            _child = ComposableArchitecture.PresentationState(wrappedValue: initialValue)
                        }
                        get {
                            _$observationRegistrar.access(self, keyPath: \.child);
                            return _child.wrappedValue
                        }
                        set {
                            _$observationRegistrar.mutate(self, keyPath: \.child, &_child.wrappedValue, newValue, _$isIdentityEqual)
                        }
                        _modify {
                            let oldValue = _$observationRegistrar.willModify(self, keyPath: \.child, &_child.wrappedValue)
                            defer {
                                _$observationRegistrar.didModify(self, keyPath: \.child, &_child.wrappedValue, oldValue, _$isIdentityEqual)
                            }
                            yield &_child.wrappedValue
                        }
                    }

                    public var $child: ComposableArchitecture.PresentationState<Child.State> {
                        get {
                            _$observationRegistrar.access(self, keyPath: \.child);
                            return _child.projectedValue
                        }
                        set {
                            _$observationRegistrar.mutate(
                                self, keyPath: \.child, presentation: \.$child, &_child, newValue, _$isIdentityEqual)
                        }
                        _modify {
                            let oldValue = _$observationRegistrar.willModify(self, keyPath: \.child, &_child.wrappedValue)
                            defer {
                                _$observationRegistrar.didModify(self, keyPath: \.child, &_child.wrappedValue, oldValue, _$isIdentityEqual)
                            }
                            yield &_child
                        }
                    }

                    @ComposableArchitecture.ObservationStateIgnored private var _child = ComposableArchitecture.PresentationState<Child.State>(wrappedValue: nil)
                }
                """#)
    }
}
