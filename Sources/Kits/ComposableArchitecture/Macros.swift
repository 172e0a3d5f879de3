@_exported import Observation

// The macros. The module ComposableArchitectureMacros implements their expansions.

// MARK: Reducers

/// Turns a type into a reducer.
///
/// For a struct, it adds the conformance to ``Reducer``, case paths for its `Action` (and for a
/// `State` that is an enum), the result builder for its `body`, and any of `State`, `Action` and
/// `body` that is missing: an empty state, an action that can't be sent, a body that does nothing.
///
/// For an enum with a feature in each case, it adds the `State`, the `Action` and the `body` of all
/// of them:
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
///   - state: conformances of the generated state.
///   - action: conformances of the generated action.
@attached(extension, conformances: Reducer, CaseReducer)
@attached(member, names: named(State), named(Action), named(body), named(CaseScope), named(scope))
@attached(memberAttribute)
public macro Reducer(state: _SynthesizedConformance..., action: _SynthesizedConformance...) =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ReducerMacro")

/// Marks a case of an enum with ``Reducer(state:action:)`` as ephemeral: any action of the case
/// dismisses it, by setting its state to nil. Cases of `AlertState` and `ConfirmationDialogState`
/// need no mark.
@attached(peer)
public macro ReducerCaseEphemeral() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ReducerCaseMarkMacro")

/// Marks a case of an enum with ``Reducer(state:action:)`` that contains data instead of a feature.
@attached(peer)
public macro ReducerCaseIgnored() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ReducerCaseMarkMacro")

/// A conformance that ``Reducer(state:action:)`` adds to the state or the action of an enum.
public struct _SynthesizedConformance: Sendable {
    public static let codable = Self()
    public static let decodable = Self()
    public static let encodable = Self()
    public static let equatable = Self()
    public static let hashable = Self()
    public static let sendable = Self()
}

// MARK: Actions

/// Gives an enum a case path for each of its cases: `\.name`, `value.is(\.name)`,
/// `value.modify(\.name) { … }`.
@attached(extension, conformances: CasePathable, CasePathIterable)
@attached(
    member, names: named(AllCasePaths), named(allCasePaths), named(_$Element), named(_$Iterator))
public macro CasePathable() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "CasePathableMacro")

// MARK: State

/// Makes the properties of a struct, or the cases of an enum, individually observable.
@attached(extension, conformances: Observable, ObservableState)
@attached(member, names: named(_$id), named(_$observationRegistrar), named(_$willModify))
@attached(memberAttribute)
public macro ObservableState() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ObservableStateMacro")

/// Tracks a property of a state. ``ObservableState()`` adds it.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro ObservationStateTracked() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ObservationStateTrackedMacro")

/// Excludes a property of a state from observation, for example one with a property wrapper.
@attached(accessor, names: named(willSet))
public macro ObservationStateIgnored() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ObservationStateIgnoredMacro")

/// An optional child state that is presented, such as a sheet or an alert. `$name` is its
/// ``PresentationState``.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`), prefixed(_))
public macro Presents() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "PresentsMacro")

// MARK: Dependencies

/// Turns each closure of a struct into an endpoint that is unimplemented by default. If a test
/// calls an unimplemented endpoint, the endpoint reports an issue with its name, then throws. A
/// closure that can't throw needs a default to return instead: `var isOpen: () -> Bool = { false
/// }`.
///
/// A closure with a named argument, `var fetch: (_ id: Int) async throws -> User`, also creates a
/// method: `fetch(id:)`. The struct gets two initialisers: one takes all endpoints, the other none.
@attached(member, names: named(init))
@attached(memberAttribute)
public macro DependencyClient() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "DependencyClientMacro")

/// Turns a closure into an endpoint. ``DependencyClient()`` adds it.
///
/// - Parameter method: the method's name, if it differs from the property's.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: arbitrary)
public macro DependencyEndpoint(method: String = "") =
    #externalMacro(module: "ComposableArchitectureMacros", type: "DependencyEndpointMacro")

/// Excludes a closure of a struct from ``DependencyClient()``.
@attached(accessor, names: named(willSet))
public macro DependencyEndpointIgnored() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "DependencyEndpointIgnoredMacro")
