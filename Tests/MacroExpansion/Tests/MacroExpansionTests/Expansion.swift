import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import ComposableArchitectureMacros

private let macros: [String: MacroSpec] = [
    "CasePathable": MacroSpec(
        type: CasePathableMacro.self, conformances: ["CasePathable", "CasePathIterable"]),
    "DependencyClient": MacroSpec(type: DependencyClientMacro.self),
    "DependencyEndpoint": MacroSpec(type: DependencyEndpointMacro.self),
    "ObservableState": MacroSpec(
        type: ObservableStateMacro.self, conformances: ["Observable", "ObservableState"]),
    "ObservationStateTracked": MacroSpec(type: ObservationStateTrackedMacro.self),
    "Presents": MacroSpec(type: PresentsMacro.self),
    "Reducer": MacroSpec(type: ReducerMacro.self, conformances: ["Reducer", "CaseReducer"]),
    "ReducerCaseIgnored": MacroSpec(type: ReducerCaseMarkMacro.self),
    "ReducerCaseEphemeral": MacroSpec(type: ReducerCaseMarkMacro.self),
]

/// Expects that the macros in `names` expand `source` to `expanded` with the given diagnostics.
/// Expects that the fix-its change `source` to `fixed`.
func expectExpansion(
    _ names: String...,
    of source: String,
    to expanded: String,
    diagnostics: [DiagnosticSpec] = [],
    fixed: String? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) {
    assertMacroExpansion(
        source,
        expandedSource: expanded,
        diagnostics: diagnostics,
        macroSpecs: macros.filter { names.contains($0.key) },
        fixedSource: fixed,
        indentationWidth: .spaces(4),
        failureHandler: { failure in
            Issue.record(
                "\(failure.message)",
                sourceLocation: SourceLocation(
                    fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line),
                    column: Int(column)))
        },
        fileID: fileID, filePath: filePath, line: line, column: column)
}
