import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct StateDiagnosticTests {
    @Test func refusesAClass() {
        expectExpansion(
            "ObservableState",
            of: #"""
                @ObservableState
                class State {
                }
                """#,
            to: #"""
                class State {
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@ObservableState' cannot be applied to class type 'State'",
                    line: 1, column: 1, severity: .error)
            ])
    }

    @Test func refusesTheOlderWrappers() {
        expectExpansion(
            "ObservableState",
            of: #"""
                @ObservableState
                struct State {
                    @PresentationState var child: Child?
                }
                """#,
            to: #"""
                struct State {
                    @PresentationState var child: Child?

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
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@PresentationState' cannot be used in '@ObservableState'",
                    line: 3, column: 5, severity: .error,
                    fixIts: [FixItSpec(message: "Use '@Presents' instead")])
            ],
            fixed: #"""
                @ObservableState
                struct State {
                    @Presents var child: Child?
                }
                """#)
    }

    @Test func refusesALazyProperty() {
        expectExpansion(
            "ObservableState",
            of: #"""
                @ObservableState
                struct State {
                    lazy var total = 1
                }
                """#,
            to: observed("lazy var total = 1"),
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "'@ObservableState' cannot track a lazy property; use '@ObservationStateIgnored'",
                    line: 3, column: 5, severity: .error)
            ])
    }

    @Test func refusesSeveralPropertiesInOneDeclaration() {
        expectExpansion(
            "ObservableState",
            of: #"""
                @ObservableState
                struct State {
                    var a = 1, b = 2
                }
                """#,
            to: observed("var a = 1, b = 2"),
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "'@ObservableState' can track a property only if it is declared on its own",
                    line: 3, column: 5, severity: .error)
            ])
    }

    private func observed(_ property: String) -> String {
        #"""
        struct State {
            \#(property)

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
        """#
    }

    @Test func refusesAPresentationThatIsNotOptional() {
        expectExpansion(
            "Presents",
            of: #"""
                struct State {
                    @Presents var child: Child.State
                }
                """#,
            to: #"""
                struct State {
                    var child: Child.State
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "'@Presents' must be applied to a variable of optional type, written with its type",
                    line: 2, column: 5, severity: .error)
            ])
    }

    @Test func refusesAPresentationWithoutAType() {
        expectExpansion(
            "Presents",
            of: #"""
                struct State {
                    @Presents var child = Child.State()
                }
                """#,
            to: #"""
                struct State {
                    var child = Child.State()
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "'@Presents' must be applied to a variable of optional type, written with its type",
                    line: 2, column: 5, severity: .error)
            ])
    }
}
