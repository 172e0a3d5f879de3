import CustomDump
import Foundation

/// A dialog that offers a choice, created like an ``AlertState``.
public struct ConfirmationDialogState<Action>: Identifiable {
    public let id: UUID
    public var title: TextState
    public var titleVisibility: ConfirmationDialogStateTitleVisibility
    public var message: TextState?
    public var buttons: [ButtonState<Action>]

    public init(
        titleVisibility: ConfirmationDialogStateTitleVisibility = .automatic,
        title: () -> TextState,
        @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>] = { [] },
        message: (() -> TextState)? = nil
    ) {
        self.init(
            id: .makeVersion4(), title: title(), titleVisibility: titleVisibility,
            message: message?(),
            buttons: actions())
    }

    init(
        id: UUID, title: TextState, titleVisibility: ConfirmationDialogStateTitleVisibility,
        message: TextState?, buttons: [ButtonState<Action>]
    ) {
        self.id = id
        self.title = title
        self.titleVisibility = titleVisibility
        self.message = message
        self.buttons = buttons
    }

    public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> ConfirmationDialogState<
        NewAction
    > {
        ConfirmationDialogState<NewAction>(
            id: id, title: title, titleVisibility: titleVisibility, message: message,
            buttons: buttons.map { $0.map(transform) }
        )
    }
}

public enum ConfirmationDialogStateTitleVisibility: Hashable, Sendable {
    case automatic, hidden, visible
}

extension ConfirmationDialogState: Equatable where Action: Equatable {
    /// Ignores ids: dialogs with the same content are equal.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.title == rhs.title && lhs.titleVisibility == rhs.titleVisibility
            && lhs.message == rhs.message && lhs.buttons == rhs.buttons
    }
}

extension ConfirmationDialogState: Hashable where Action: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(title)
        hasher.combine(titleVisibility)
        hasher.combine(message)
        hasher.combine(buttons)
    }
}

extension ConfirmationDialogState: Sendable where Action: Sendable {}
extension ConfirmationDialogState: _EphemeralState {}

extension ConfirmationDialogState: CustomDumpReflectable {
    public var customDumpMirror: Mirror {
        Mirror(
            self, children: dumpChildren(title: title, message: message, buttons: buttons),
            displayStyle: .struct)
    }
}
