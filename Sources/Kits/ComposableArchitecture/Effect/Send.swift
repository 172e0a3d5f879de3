/// Sends actions from an effect back to its store.
///
/// `await send(.response(value))` returns when the store has processed the action. It does nothing
/// once the effect's task is cancelled.
///
/// Upstream's is of the main actor, and needs no `await` there. Here `MainActorSend` needs none.
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

    /// The same for an action that another `Send` was given up, and that is now in another
    /// wrapping.
    func forward(_ action: Action) async {
        guard !Task.isCancelled else { return }
        await delivery(of: action)()
    }

    /// Kept in a function of its own, so that the copy of the action is on the thread's stack: a
    /// task keeps the memory of its deepest call.
    @inline(never)
    private func delivery(of action: Action) -> @Sendable () async -> Void {
        target.delivery(of: UncheckedBox(value: action))
    }

    /// Sends the actions of another type, each turned into one of these.
    func mapping<Other>(_ transform: @escaping @Sendable (Other) -> Action) -> Send<Other> {
        Send<Other>(target: MappingTarget(send: self, transform: transform))
    }

    @MainActor
    fileprivate func deliver(fromMainActor action: UncheckedBox<Action>) {
        target.deliver(fromMainActor: action)
    }
}

/// Sends actions from an effect on the main actor that awaits nothing:
///
/// ```swift
/// return .run { @MainActor send in send(.response(value)) }
/// ```
///
/// A type of its own, because a second `callAsFunction` in `Send` would be taken for
/// `await send(…)` as well where that is all of a closure (Swift 6.3): over the main actor, and
/// without waiting.
@MainActor
public struct MainActorSend<Action>: Sendable {
    private let send: Send<Action>

    init(_ send: Send<Action>) {
        self.send = send
    }

    /// Sends an action to the store from the main actor, unless the task is cancelled.
    ///
    /// A store that belongs to another isolation processes it soon after, in the order in which the
    /// actions were sent.
    public func callAsFunction(_ action: sending Action) {
        guard !Task.isCancelled else { return }
        send.deliver(fromMainActor: UncheckedBox(value: action))
    }
}

/// Takes the actions that an effect sends.
protocol SendTarget<Action>: Sendable {
    associatedtype Action

    /// A function that returns when the action has been processed.
    func delivery(of action: UncheckedBox<Action>) -> @Sendable () async -> Void

    /// Called on the main actor.
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
