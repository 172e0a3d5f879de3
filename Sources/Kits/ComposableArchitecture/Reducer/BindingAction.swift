/// Sets one property of a feature's state, for a user interface with bindings:
/// `.binding(.set(\.name, "Blob"))`.
public struct BindingAction<Root>: Sendable {
    public let keyPath: _SendablePartialKeyPath<Root>

    let set: @Sendable (inout Root) -> Void
    let value: any Sendable
    let isEqualTo: @Sendable (Any) -> Bool
}

public typealias _SendablePartialKeyPath<Root> = any PartialKeyPath<Root> & Sendable
public typealias _SendableWritableKeyPath<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

extension BindingAction {
    public static func set<Value: Equatable & Sendable>(
        _ keyPath: _SendableWritableKeyPath<Root, Value>, _ value: Value
    ) -> Self {
        Self(
            keyPath: keyPath,
            set: { $0[keyPath: keyPath] = value },
            value: value,
            isEqualTo: { $0 as? Value == value }
        )
    }

    fileprivate static func casePath<Value: Equatable & Sendable>(
        _ keyPath: _SendableWritableKeyPath<Root, Value>
    ) -> AnyCasePath<Self, Value> {
        AnyCasePath(embed: { .set(keyPath, $0) }, extract: { $0.extract(keyPath) })
    }

    /// Returns true if the action sets this property: `case .binding(\.name):`.
    public static func ~= <Value>(keyPath: WritableKeyPath<Root, Value>, bindingAction: Self)
        -> Bool
    {
        bindingAction.isSetting(keyPath)
    }

    /// Returns the new value of this property, or nil if the action sets another property.
    public func extract<Value>(_ keyPath: WritableKeyPath<Root, Value>) -> Value? {
        isSetting(keyPath) ? value as? Value : nil
    }

    private func isSetting(_ keyPath: PartialKeyPath<Root>) -> Bool {
        self.keyPath as PartialKeyPath<Root> == keyPath
    }
}

extension BindingAction: Equatable {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.isSetting(rhs.keyPath) && lhs.isEqualTo(rhs.value)
    }
}

extension BindingAction: CasePathable {
    /// Case paths for the properties of the state: `store.send(\.binding.name, "Blob")`.
    @dynamicMemberLookup
    public struct AllCasePaths: Sendable {
        public subscript<Value: Equatable & Sendable>(
            dynamicMember keyPath: _SendableWritableKeyPath<Root, Value>
        ) -> AnyCasePath<BindingAction, Value> where Root: ObservableState {
            BindingAction.casePath(keyPath)
        }
    }

    public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension BindingAction: CustomStringConvertible {
    public var description: String { ".set(\(keyPath), \(value))" }
}

/// An action type that can set properties of the state. It has a case
/// `binding(BindingAction<State>)`.
public protocol BindableAction<State> {
    associatedtype State

    static func binding(_ action: BindingAction<State>) -> Self

    var binding: BindingAction<State>? { get }
}

extension BindableAction {
    /// The associated value of the case `binding`, or nil for other actions.
    public var binding: BindingAction<State>? {
        guard let (label, value) = Mirror(reflecting: self).children.first, label == "binding"
        else { return nil }
        return value as? BindingAction<State>
    }

    /// Creates an action that sets a property. Short for `.binding(.set(\.name, "Blob"))`.
    public static func set<Value: Equatable & Sendable>(
        _ keyPath: _SendableWritableKeyPath<State, Value>, _ value: Value
    ) -> Self {
        .binding(.set(keyPath, value))
    }
}

/// Performs binding actions. Comes before a `Reduce` that reacts to them.
public struct BindingReducer<State, Action, ViewAction: BindableAction>: Reducer
where State == ViewAction.State {
    private let toViewAction: (Action) -> ViewAction?

    public init() where Action == ViewAction {
        toViewAction = { $0 }
    }

    /// Creates a reducer for an action type with the bindable actions in one case:
    /// `BindingReducer(action: \.view)`.
    public init(action toViewAction: CaseKeyPath<Action, ViewAction>) where Action: CasePathable {
        let path = AnyCasePath(toViewAction)
        self.toViewAction = path.extract
    }

    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        toViewAction(action)?.binding?.set(&state)
        return .none
    }
}

extension Store where State: ObservableState, Action: BindableAction, Action.State == State {
    /// A property of the state. Setting the property sends a binding action.
    public subscript<Value: Equatable & Sendable>(
        dynamicMember keyPath: _SendableWritableKeyPath<State, Value>
    ) -> Value {
        get { node.state[keyPath: keyPath] }
        set { send(.set(keyPath, newValue)) }
    }
}
