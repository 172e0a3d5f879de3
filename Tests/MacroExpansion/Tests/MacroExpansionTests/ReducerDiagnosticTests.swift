import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct ReducerDiagnosticTests {
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
                    message:
                        "'body' is never run where there is a 'reduce', which takes its place: keep one of them",
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

    @Test func refusesAnActor() {
        expectExpansion(
            "Reducer",
            of: #"""
                @Reducer
                actor Feature {
                }
                """#,
            to: #"""
                actor Feature {
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@Reducer' cannot be applied to actor type 'Feature'", line: 1,
                    column: 1, severity: .error)
            ])
    }

    @Test func refusesOverloadedNames() {
        expectExpansion(
            "CasePathable",
            of: #"""
                @CasePathable
                enum Action {
                    case tap(Int)
                    case tap(id: Int)
                }
                """#,
            to: #"""
                enum Action {
                    case tap(Int)
                    case tap(id: Int)
                }

                extension Action: ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@CasePathable' cannot tell two cases named 'tap' apart",
                    line: 4, column: 10, severity: .error)
            ])
    }

    @Test func refusesAStructure() {
        expectExpansion(
            "CasePathable",
            of: #"""
                @CasePathable
                struct Action {
                }
                """#,
            to: #"""
                struct Action {
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@CasePathable' cannot be applied to struct type 'Action'",
                    line: 1, column: 1, severity: .error)
            ])
    }
}
