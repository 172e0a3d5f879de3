import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct ComposableArchitecturePlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        CasePathableMacro.self,
        DependencyClientMacro.self,
        DependencyEndpointIgnoredMacro.self,
        DependencyEndpointMacro.self,
        ObservableStateMacro.self,
        ObservationStateIgnoredMacro.self,
        ObservationStateTrackedMacro.self,
        PresentsMacro.self,
        ReducerCaseMarkMacro.self,
        ReducerMacro.self,
    ]
}
