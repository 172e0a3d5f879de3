@_exported import Observation

// The macros. What they expand to is written in the module ComposableArchitectureMacros.

// MARK: Reducers

/// Makes a type a reducer.
///
/// It adds to a structure the conformance to ``Reducer``, case paths to its `Action` (and to a
/// `State` that is an enumeration), the result builder to its `body`, and whichever of `State`,
/// `Action` and `body` is missing: an empty state, an action that cannot be sent, a body that does
/// nothing.
///
/// It adds to an enumeration with a feature in each case the `State`, the `Action` and the `body`
/// of them all:
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
///   - state: what the generated state conforms to.
///   - action: what the generated action conforms to.
@attached(extension, conformances: Reducer, CaseReducer)
@attached(member, names: named(State), named(Action), named(body), named(CaseScope), named(scope))
@attached(memberAttribute)
public macro Reducer(state: _SynthesizedConformance..., action: _SynthesizedConformance...) =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ReducerMacro")

/// Marks a case of an enumeration with ``Reducer(state:action:)`` whose state goes away with the
/// action it sends. Cases of `AlertState` and `ConfirmationDialogState` need no mark.
@attached(peer)
public macro ReducerCaseEphemeral() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ReducerCaseMarkMacro")

/// Marks a case of an enumeration with ``Reducer(state:action:)`` that holds data and no feature.
@attached(peer)
public macro ReducerCaseIgnored() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ReducerCaseMarkMacro")

/// A conformance that ``Reducer(state:action:)`` adds to the state or the action of an enumeration.
public struct _SynthesizedConformance: Sendable {
    public static let codable = Self()
    public static let decodable = Self()
    public static let encodable = Self()
    public static let equatable = Self()
    public static let hashable = Self()
    public static let sendable = Self()
}

// MARK: Actions

/// Gives an enumeration a case path for each of its cases: `\.name`, `value.is(\.name)`,
/// `value.modify(\.name) { … }`.
@attached(extension, conformances: CasePathable, CasePathIterable)
@attached(
    member, names: named(AllCasePaths), named(allCasePaths), named(_$Element), named(_$Iterator))
public macro CasePathable() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "CasePathableMacro")

// MARK: State

/// Makes the properties of a structure, or the cases of an enumeration, observable one by one.
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

/// Leaves a property of a state out of the observation, a property wrapper's for one.
@attached(accessor, names: named(willSet))
public macro ObservationStateIgnored() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "ObservationStateIgnoredMacro")

/// An optional child state that is presented: a sheet, an alert. `$name` is its
/// ``PresentationState``.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`), prefixed(_))
public macro Presents() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "PresentsMacro")

// MARK: Dependencies

/// Makes each closure of a structure an endpoint that is unimplemented until it is given: called in
/// a test it reports an issue with its own name, then throws, or returns the default that a closure
/// which does not throw must have: `var isOpen: () -> Bool = { false }`.
///
/// An argument with a name, `var fetch: (_ id: Int) async throws -> User`, also makes a method:
/// `fetch(id:)`. The structure has an initialiser with all endpoints and one with none.
@attached(member, names: named(init))
@attached(memberAttribute)
public macro DependencyClient() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "DependencyClientMacro")

/// Makes a closure an endpoint. ``DependencyClient()`` adds it.
///
/// - Parameter method: the name of the method, if not that of the property.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: arbitrary)
public macro DependencyEndpoint(method: String = "") =
    #externalMacro(module: "ComposableArchitectureMacros", type: "DependencyEndpointMacro")

/// Leaves a closure of a structure with ``DependencyClient()`` as it is.
@attached(accessor, names: named(willSet))
public macro DependencyEndpointIgnored() =
    #externalMacro(module: "ComposableArchitectureMacros", type: "DependencyEndpointIgnoredMacro")
