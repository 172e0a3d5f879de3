/// Sends actions from an effect back to its store.
///
/// `await send(.response(value))` returns once the store has processed the action. It does nothing
/// after the effect's task is cancelled.
///
/// Upstream's type is bound to the main actor, where it needs no `await`. Here, only
/// `MainActorSend` needs no `await`.
public struct Send<Action>: Sendable {
    fileprivate let target: any SendTarget<Action>

    init(target: any SendTarget<Action>) {
        self.target = target
    }

    public init(send: @escaping @Sendable (_ action: Action) async -> Void) {
        target = ClosureTarget(send: send)
    }

    /// Sends an action to the store, in the store's isolation, unless the task is cancelled.
    public func callAsFunction(_ action: sending Action) async {
        guard !Task.isCancelled else { return }
        await delivery(of: action)()
    }

    /// Sends an action that another `Send` has received and transformed.
    func forward(_ action: Action) async {
        guard !Task.isCancelled else { return }
        await delivery(of: action)()
    }

    /// A separate function, so that the copy of the action is on the thread's stack and not in the
    /// task's memory. A task keeps as much memory as its deepest call has needed.
    @inline(never)
    private func delivery(of action: Action) -> @Sendable () async -> Void {
        target.delivery(of: UncheckedBox(value: action))
    }

    /// Returns a `Send` that transforms actions of another type and sends the results.
    func mapping<Other>(_ transform: @escaping @Sendable (Other) -> Action) -> Send<Other> {
        Send<Other>(target: MappingTarget(send: self, transform: transform))
    }

    @MainActor
    fileprivate func deliver(fromMainActor action: UncheckedBox<Action>) {
        target.deliver(fromMainActor: action)
    }
}

/// Sends actions from a synchronous effect on the main actor:
///
/// ```swift
/// return .run { @MainActor send in send(.response(value)) }
/// ```
///
/// This is a separate type and not a second `callAsFunction` of `Send`: for a closure that consists
/// only of `await send(…)`, the compiler (Swift 6.3) would choose that second function, which sends
/// through the main actor and doesn't wait for the action to be processed.
@MainActor
public struct MainActorSend<Action>: Sendable {
    private let send: Send<Action>

    init(_ send: Send<Action>) {
        self.send = send
    }

    /// Sends an action to the store from the main actor, unless the task is cancelled.
    ///
    /// A store in another isolation processes it soon after, in sending order.
    public func callAsFunction(_ action: sending Action) {
        guard !Task.isCancelled else { return }
        send.deliver(fromMainActor: UncheckedBox(value: action))
    }
}

/// Receives the actions that an effect sends.
protocol SendTarget<Action>: Sendable {
    associatedtype Action

    /// Returns a function that returns once the action has been processed.
    func delivery(of action: UncheckedBox<Action>) -> @Sendable () async -> Void

    /// Delivers an action from the main actor.
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

/// Sends actions to a closure instead of a store.
private struct ClosureTarget<Action>: SendTarget {
    let send: @Sendable (Action) async -> Void

    func delivery(of action: UncheckedBox<Action>) -> @Sendable () async -> Void {
        { await send(action.value) }
    }

    func deliver(fromMainActor action: UncheckedBox<Action>) {
        Task { await send(action.value) }
    }
}
