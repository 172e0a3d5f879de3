/// Delivers the actions of effects to their store.
///
/// Retains neither the store nor the actor, because the actor usually retains the store. Unchecked
/// because the core isn't Sendable; the core is used only in its own isolation.
final class StoreHome<State, Action>: @unchecked Sendable {
    private weak let core: StoreCore<State, Action>?
    private weak let isolation: (any Actor)?
    /// True for a test store outside an actor. The test's task then processes the actions.
    private let isOfTask: Bool
    private let settling: EffectSettling?
    private let registry: EffectRegistry
    /// Actions that were sent on the main actor and wait for delivery.
    private let mailbox = Guarded<[(action: UncheckedBox<Action>, group: Int)]>([])

    init(_ core: StoreCore<State, Action>, isolation: (any Actor)?, settling: EffectSettling?) {
        self.core = core
        self.isolation = isolation
        isOfTask = isolation == nil
        self.settling = settling
        registry = core.effects
    }

    /// Processes an action in the store's isolation. Does nothing if the store was deallocated.
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

    /// Not inlined, so that the action's copy is on the thread's stack and not in the task's
    /// memory.
    @inline(never)
    private func receive(_ delivery: Delivery<Action>) {
        core?.receive(delivery.action, group: delivery.group)
    }

    /// Delivers an action from the main actor. Delivers at once if the store belongs to the main
    /// actor.
    @MainActor
    func deliver(fromMainActor action: UncheckedBox<Action>, group: Int) {
        guard isOfTask || isolation != nil else { return }
        if let isolation, isolation === MainActor.shared {
            core?.receive(action.value, group: group)
            return
        }
        mailbox.withLock { $0.append((action, group)) }
        // Registers the delivery, so that waiting for the effect also waits for the delivery.
        let token = registry.register(scope: EffectScope(), ids: [], group: group)
        if isOfTask {
            // Delivers in a new task. Otherwise the test's task would wait for itself.
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

    /// Delivers all waiting actions in sending order, even if the scheduled tasks run in another
    /// order.
    private func deliverMail(in isolation: isolated (any Actor)?) {
        let mail = mailbox.withLock { mailbox in
            defer { mailbox = [] }
            return mailbox
        }
        for (action, group) in mail { core?.receive(action.value, group: group) }
    }
}

/// An action on its way to a store. A class, so that suspended calls hold a reference and not a
/// copy.
///
/// Unchecked because the effect gives up the action, and only the store reads it.
final class Delivery<Action>: @unchecked Sendable {
    let action: Action
    let group: Int

    init(action: Action, group: Int) {
        self.action = action
        self.group = group
    }
}

/// Sends the actions of one group's effects to a store.
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
