/// Connects effects with their store.
///
/// It retains neither the store nor its actor, because the actor usually retains the store.
/// Unchecked because it references the core, which it uses only in the core's isolation.
final class StoreHome<State, Action>: @unchecked Sendable {
    private weak let core: StoreCore<State, Action>?
    private weak let isolation: (any Actor)?
    /// True for the store of a test without an actor. In that case, the test's task receives the
    /// actions.
    private let isOfTask: Bool
    private let settling: EffectSettling?
    private let registry: EffectRegistry
    /// Actions sent on the main actor without waiting.
    private let mailbox = Guarded<[(action: UncheckedBox<Action>, group: Int)]>([])

    init(_ core: StoreCore<State, Action>, isolation: (any Actor)?, settling: EffectSettling?) {
        self.core = core
        self.isolation = isolation
        isOfTask = isolation == nil
        self.settling = settling
        registry = core.effects
    }

    /// Lets the store process an action in its isolation. Does nothing if the store was
    /// deallocated.
    func deliver(_ delivery: Delivery<Action>) async {
        if isOfTask {
            await settling?.deliverToTask { [self] in receive(delivery) }
            return
        }
        guard let isolation else { return }
        settling?.deliveryBegins()
        await deliver(delivery, in: isolation)
        settling?.deliveryEnds()
    }

    private func deliver(_ delivery: Delivery<Action>, in isolation: isolated any Actor) async {
        // The task may have been cancelled while it waited for the isolation.
        guard !Task.isCancelled else { return }
        receive(delivery)
    }

    /// A separate function, so that the copy of the action is on the thread's stack and not in the
    /// task's memory: a task keeps the memory of its deepest call.
    @inline(never)
    private func receive(_ delivery: Delivery<Action>) {
        core?.receive(delivery.action, group: delivery.group)
    }

    /// Delivers an action from the main actor. If the store belongs to the main actor, delivers it
    /// immediately.
    @MainActor
    func deliver(fromMainActor action: UncheckedBox<Action>, group: Int) {
        guard isOfTask || isolation != nil else { return }
        if let isolation, isolation === MainActor.shared {
            core?.receive(action.value, group: group)
            return
        }
        mailbox.withLock { $0.append((action, group)) }
        // The delivery is registered, so that waiting for the effect includes waiting for the
        // delivery.
        let token = registry.register(scope: EffectScope(), ids: [], group: group)
        if isOfTask {
            // The delivery has a task of its own, because otherwise the test's task would wait for
            // itself.
            let task = Task(executorPreference: settling) { [self] in
                await settling?.deliverToTask { [self] in deliverMail(in: nil) }
                registry.remove(token)
            }
            registry.attach(token, task)
            return
        }
        settling?.deliveryBegins()
        Task(executorPreference: settling) { [self] in
            if let isolation { await deliverMail(in: isolation) }
            registry.remove(token)
            settling?.deliveryEnds()
        }
    }

    /// Delivers all waiting actions, so that the order is kept no matter which call runs first.
    private func deliverMail(in isolation: isolated (any Actor)?) {
        let mail = mailbox.withLock { mailbox in
            defer { mailbox = [] }
            return mailbox
        }
        for (action, group) in mail { core?.receive(action.value, group: group) }
    }
}

/// An action on its way to a store. A separate object, so that the waiting calls hold a reference
/// instead of a copy.
///
/// Unchecked because the sending effect gave the action up, and only the store takes it.
final class Delivery<Action>: @unchecked Sendable {
    let action: Action
    let group: Int

    init(action: Action, group: Int) {
        self.action = action
        self.group = group
    }
}

/// Sends the actions caused by one external action to a store.
struct StoreTarget<State, Action>: SendTarget {
    let home: StoreHome<State, Action>
    let group: Int

    func delivery(of action: UncheckedBox<Action>) -> @Sendable () async -> Void {
        let delivery = Delivery(action: action.value, group: group)
        return { [home] in await home.deliver(delivery) }
    }

    @MainActor
    func deliver(fromMainActor action: UncheckedBox<Action>) {
        home.deliver(fromMainActor: action, group: group)
    }
}
