import CustomDump
import Foundation

/// An alert: a title, a message, and buttons that send actions.
///
/// ```swift
/// state.alert = AlertState {
///     TextState("Delete?")
/// } actions: {
///     ButtonState(role: .destructive, action: .confirmDeletion) { TextState("Delete") }
///     ButtonState(role: .cancel) { TextState("Never mind") }
/// } message: {
///     TextState("This cannot be undone.")
/// }
/// ```
public struct AlertState<Action>: Identifiable {
    public let id: UUID
    public var title: TextState
    public var message: TextState?
    public var buttons: [ButtonState<Action>]

    public init(
        title: () -> TextState,
        @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>] = { [] },
        message: (() -> TextState)? = nil
    ) {
        self.init(id: .makeVersion4(), title: title(), message: message?(), buttons: actions())
    }

    init(id: UUID, title: TextState, message: TextState?, buttons: [ButtonState<Action>]) {
        self.id = id
        self.title = title
        self.message = message
        self.buttons = buttons
    }

    public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> AlertState<NewAction> {
        AlertState<NewAction>(
            id: id, title: title, message: message, buttons: buttons.map { $0.map(transform) })
    }
}

extension AlertState: Equatable where Action: Equatable {
    /// Ignores ids: alerts with the same content are equal.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.title == rhs.title && lhs.message == rhs.message && lhs.buttons == rhs.buttons
    }
}

extension AlertState: Hashable where Action: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(title)
        hasher.combine(message)
        hasher.combine(buttons)
    }
}

extension AlertState: Sendable where Action: Sendable {}
extension AlertState: _EphemeralState {}

extension AlertState: CustomDumpReflectable {
    public var customDumpMirror: Mirror {
        Mirror(
            self, children: dumpChildren(title: title, message: message, buttons: buttons),
            displayStyle: .struct)
    }
}

/// Returns the parts of an alert or a dialog that a dump prints: everything except ids.
func dumpChildren<Action>(title: TextState, message: TextState?, buttons: [ButtonState<Action>])
    -> [(String, Any)]
{
    var children: [(String, Any)] = [("title", String(state: title))]
    if !buttons.isEmpty { children.append(("actions", buttons)) }
    if let message { children.append(("message", String(state: message))) }
    return children
}

extension ButtonState: CustomDumpReflectable {
    public var customDumpMirror: Mirror {
        var children: [(String, Any)] = []
        if let role { children.append(("role", role)) }
        if let action = action.action { children.append(("action", action)) }
        children.append(("label", String(state: label)))
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
