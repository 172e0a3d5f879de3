import Foundation

public struct ButtonState<Action>: Identifiable {
    public let id: UUID
    public let action: ButtonStateAction<Action>
    public let label: TextState
    public let role: ButtonStateRole?

    public init(
        role: ButtonStateRole? = nil, action: ButtonStateAction<Action>, label: () -> TextState
    ) {
        self.init(id: .makeVersion4(), action: action, label: label(), role: role)
    }

    /// Creates a button. Without an action, the button only dismisses the alert.
    public init(role: ButtonStateRole? = nil, action: Action? = nil, label: () -> TextState) {
        self.init(
            id: .makeVersion4(), action: ButtonStateAction(action: action), label: label(),
            role: role)
    }

    init(id: UUID, action: ButtonStateAction<Action>, label: TextState, role: ButtonStateRole?) {
        self.id = id
        self.action = action
        self.label = label
        self.role = role
    }

    public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> ButtonState<NewAction> {
        ButtonState<NewAction>(
            id: id, action: ButtonStateAction(action: transform(action.action)), label: label,
            role: role)
    }
}

public struct ButtonStateAction<Action> {
    /// `nil` if the button only dismisses the alert.
    public let action: Action?

    init(action: Action?) {
        self.action = action
    }

    public static func send(_ action: Action?) -> Self {
        Self(action: action)
    }

    public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> ButtonStateAction<NewAction>
    {
        ButtonStateAction<NewAction>(action: transform(action))
    }
}

public enum ButtonStateRole: Hashable, Sendable {
    /// The button dismisses the alert without another effect.
    case cancel
    case destructive
}

extension ButtonState: Equatable where Action: Equatable {
    /// Ignores ids: buttons with the same content are equal.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.action == rhs.action && lhs.label == rhs.label && lhs.role == rhs.role
    }
}

extension ButtonState: Hashable where Action: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(action)
        hasher.combine(label)
        hasher.combine(role)
    }
}

extension ButtonState: Sendable where Action: Sendable {}
extension ButtonStateAction: Equatable where Action: Equatable {}
extension ButtonStateAction: Hashable where Action: Hashable {}
extension ButtonStateAction: Sendable where Action: Sendable {}

/// Builds the buttons of an alert or a dialog.
@resultBuilder
public enum ButtonStateBuilder<Action> {
    public static func buildExpression(_ expression: ButtonState<Action>) -> [ButtonState<Action>] {
        [expression]
    }
    public static func buildBlock(_ components: [ButtonState<Action>]...) -> [ButtonState<Action>] {
        components.flatMap { $0 }
    }
    public static func buildArray(_ components: [[ButtonState<Action>]]) -> [ButtonState<Action>] {
        components.flatMap { $0 }
    }
    public static func buildOptional(_ component: [ButtonState<Action>]?) -> [ButtonState<Action>] {
        component ?? []
    }
    public static func buildEither(first component: [ButtonState<Action>]) -> [ButtonState<Action>]
    { component }
    public static func buildEither(second component: [ButtonState<Action>]) -> [ButtonState<Action>]
    { component }
    public static func buildLimitedAvailability(_ component: [ButtonState<Action>]) -> [ButtonState<
        Action
    >] { component }
}
