/// Sends actions from an effect to its store.
///
/// `await send(.response(value))` returns after the store has processed the action. After the
/// effect's cancellation, it does nothing.
public struct Send<Action>: Sendable {
    fileprivate let target: any SendTarget<Action>

    init(target: any SendTarget<Action>) {
        self.target = target
    }

    public init(send: @escaping @Sendable (_ action: Action) async -> Void) {
        target = ClosureTarget(send: send)
    }

    /// Sends an action in the store's isolation. Does nothing if the task is cancelled.
    public func callAsFunction(_ action: sending Action) async {
        guard !Task.isCancelled else { return }
        await delivery(of: action)()
    }

    /// Sends an action that another `Send` has transformed.
    func forward(_ action: Action) async {
        guard !Task.isCancelled else { return }
        await delivery(of: action)()
    }

    /// Not inlined, so that the action's copy is on the thread's stack and not in the task's
    /// memory.
    @inline(never)
    private func delivery(of action: Action) -> @Sendable () async -> Void {
        target.delivery(of: UncheckedBox(value: action))
    }

    /// Returns a `Send` that transforms each action and then sends it.
    func mapping<Other>(_ transform: @escaping @Sendable (Other) -> Action) -> Send<Other> {
        Send<Other>(target: MappingTarget(send: self, transform: transform))
    }

    @MainActor
    fileprivate func deliver(fromMainActor action: UncheckedBox<Action>) {
        target.deliver(fromMainActor: action)
    }
}

/// Sends actions from a synchronous effect on the main actor:
/// `return .run { @MainActor send in send(.response(value)) }`.
///
/// A separate type, because the compiler would prefer an overload in ``Send`` for a closure that
/// only contains `await send(…)` (Swift 6.3). The overload wouldn't wait until the action is
/// processed.
@MainActor
public struct MainActorSend<Action>: Sendable {
    private let send: Send<Action>

    init(_ send: Send<Action>) {
        self.send = send
    }

    /// Sends an action from the main actor. Does nothing if the task is cancelled.
    ///
    /// A store in another isolation processes the action soon after, in sending order.
    public func callAsFunction(_ action: sending Action) {
        guard !Task.isCancelled else { return }
        send.deliver(fromMainActor: UncheckedBox(value: action))
    }
}

protocol SendTarget<Action>: Sendable {
    associatedtype Action

    /// Returns a function that delivers the action and waits until it is processed.
    func delivery(of action: UncheckedBox<Action>) -> @Sendable () async -> Void

    @MainActor func deliver(fromMainActor action: UncheckedBox<Action>)
}

private struct MappingTarget<Action, Base>: SendTarget {
    let send: Send<Base>
    let transform: @Sendable (Action) -> Base

    func delivery(of action: UncheckedBox<Action>) -> @Sendable () async -> Void {
        send.target.delivery(of: UncheckedBox(value: transform(action.value)))
    }

    @MainActor
    func deliver(fromMainActor action: UncheckedBox<Action>) {
        send.deliver(fromMainActor: UncheckedBox(value: transform(action.value)))
    }
}

private struct ClosureTarget<Action>: SendTarget {
    let send: @Sendable (Action) async -> Void

    func delivery(of action: UncheckedBox<Action>) -> @Sendable () async -> Void {
        { await send(action.value) }
    }

    func deliver(fromMainActor action: UncheckedBox<Action>) {
        Task { await send(action.value) }
    }
}
