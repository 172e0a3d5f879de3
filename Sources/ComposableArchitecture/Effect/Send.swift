/// Sends actions from an effect back to its store.
///
/// `await send(.response(value))` returns when the store has processed the action. It does nothing once the effect's task is cancelled.
public struct Send<Action>: Sendable {
    private let deliver: @Sendable (Action) async -> Void

    public init(send: @escaping @Sendable (_ action: Action) async -> Void) {
        deliver = send
    }

    /// Sends an action to the store, in the store's isolation, unless the task is cancelled.
    public func callAsFunction(_ action: sending Action) async {
        guard !Task.isCancelled else { return }
        await deliver(action)
    }

    /// The same for an action that another `Send` was given up, and that is now in another wrapping.
    func forward(_ action: Action) async {
        guard !Task.isCancelled else { return }
        await deliver(action)
    }
}
