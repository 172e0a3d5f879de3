@_exported import Observation

// ComposableArchitectureMacros implements the macros in this file.

// MARK: Reducers

/// Turns a type into a reducer.
///
/// For a struct, the macro adds a conformance to ``Reducer``, case paths for `Action`, and the
/// result builder for `body`. Case paths are also added for a `State` enum. A missing `State` is an
/// empty struct, a missing `Action` is an enum without cases, and a missing `body` does nothing.
///
/// For an enum with a feature in each case, the macro adds the combined `State`, `Action` and
/// `body`:
///
/// ```swift
/// @Reducer
/// enum Destination {
///     case alert(AlertState<Alert>)
///     case edit(EditFeature)
///     @ReducerCaseIgnored
///     case picture(URL)
/// }
/// ```
///
/// - Parameters:
///   - state: Conformances of the generated state.
///   - action: Conformances of the generated action.
@attached(extension, conformances: Reducer, CaseReducer)
@attached(member, names: named(State), named(Action), named(body), named(CaseScope), named(scope))
@attached(memberAttribute)
public macro Reducer(state: _SynthesizedConformance..., action: _SynthesizedConformance...) =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ReducerMacro")

/// Marks a case of a ``Reducer(state:action:)`` enum as ephemeral: any action of the case dismisses
/// the state. Cases with `AlertState` or `ConfirmationDialogState` need no mark.
@attached(peer)
public macro ReducerCaseEphemeral() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ReducerCaseMarkMacro")

/// Marks a case of a ``Reducer(state:action:)`` enum that contains data instead of a feature.
@attached(peer)
public macro ReducerCaseIgnored() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ReducerCaseMarkMacro")

/// A conformance that ``Reducer(state:action:)`` adds to an enum's state or action.
public struct _SynthesizedConformance: Sendable {
    public static let codable = Self()
    public static let decodable = Self()
    public static let encodable = Self()
    public static let equatable = Self()
    public static let hashable = Self()
    public static let sendable = Self()
}

// MARK: Actions

/// Gives each case of an enum a case path: `\.name`, `value.is(\.name)`,
/// `value.modify(\.name) { … }`.
@attached(extension, conformances: CasePathable, CasePathIterable)
@attached(
    member, names: named(AllCasePaths), named(allCasePaths), named(_$Element), named(_$Iterator))
public macro CasePathable() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "CasePathableMacro")

// MARK: State

/// Lets observers follow single properties of a struct, or the cases of an enum.
@attached(extension, conformances: Observable, ObservableState)
@attached(member, names: named(_$id), named(_$observationRegistrar), named(_$willModify))
@attached(memberAttribute)
public macro ObservableState() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ObservableStateMacro")

/// Makes one property of a state observable. ``ObservableState()`` adds the macro.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro ObservationStateTracked() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ObservationStateTrackedMacro")

/// Excludes a property of a state from observation. Properties with a property wrapper need it.
@attached(accessor, names: named(willSet))
public macro ObservationStateIgnored() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ObservationStateIgnoredMacro")

/// Declares an optional child state that is presented, such as a sheet or an alert. `$name` is its
/// ``PresentationState``.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`), prefixed(_))
public macro Presents() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "PresentsMacro")

// MARK: Dependencies

/// Turns each closure of a struct into an endpoint that is unimplemented by default.
///
/// An unimplemented endpoint reports an issue with its name, and then throws. A closure that can't
/// throw needs a default value to return: `var isOpen: () -> Bool = { false }`.
///
/// A closure with a named argument, `var fetch: (_ id: Int) async throws -> User`, also creates the
/// method `fetch(id:)`. The struct gets two initialisers: with all endpoints, and with none.
@attached(member, names: named(init))
@attached(memberAttribute)
public macro DependencyClient() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "DependencyClientMacro")

/// Turns a closure into an endpoint. ``DependencyClient()`` adds the macro.
///
/// - Parameter method: The method's name, if it differs from the property's.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: arbitrary)
public macro DependencyEndpoint(method: String = "") =
    #externalMacro(module: "ComposableArchitectureMacros", type: "DependencyEndpointMacro")

/// Excludes a closure of a struct from ``DependencyClient()``.
@attached(accessor, names: named(willSet))
public macro DependencyEndpointIgnored() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "DependencyEndpointIgnoredMacro")
