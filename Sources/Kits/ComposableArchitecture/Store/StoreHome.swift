/// The way of effects back to their store.
///
/// It keeps neither the store nor its actor alive, since the actor usually keeps the store.
/// Unchecked because a reference to the core is in it: it is followed in the core's isolation only.
final class StoreHome<State, Action>: @unchecked Sendable {
    private weak let core: StoreCore<State, Action>?
    private weak let isolation: (any Actor)?
    /// The store of a test that is on no actor: the test's task takes the actions.
    private let isOfTask: Bool
    private let settling: EffectSettling?
    private let registry: EffectRegistry
    /// Actions that were sent on the main actor without waiting.
    private let mailbox = Guarded<[(action: UncheckedBox<Action>, group: Int)]>([])

    init(_ core: StoreCore<State, Action>, isolation: (any Actor)?, settling: EffectSettling?) {
        self.core = core
        self.isolation = isolation
        isOfTask = isolation == nil
        self.settling = settling
        registry = core.effects
    }

    /// Has the store process an action, in its isolation. Does nothing when the store is gone.
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
        // A cancellation that came on the way counts as well.
        guard !Task.isCancelled else { return }
        receive(delivery)
    }

    /// Kept in a function of its own, so that the copy of the action is on the thread's stack: a
    /// task keeps the memory of its deepest call.
    @inline(never)
    private func receive(_ delivery: Delivery<Action>) {
        core?.receive(delivery.action, group: delivery.group)
    }

    /// The same from the main actor, without a wait if that is where the store is.
    @MainActor
    func deliver(fromMainActor action: UncheckedBox<Action>, group: Int) {
        guard isOfTask || isolation != nil else { return }
        if let isolation, isolation === MainActor.shared {
            core?.receive(action.value, group: group)
            return
        }
        mailbox.withLock { $0.append((action, group)) }
        // Waiting for the effect includes this delivery.
        let token = registry.register(scope: EffectScope(), ids: [], group: group)
        if isOfTask {
            // Not a delivery that a test waits for: its task would wait for itself.
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

    /// Each delivery takes all that is there, so the order is kept whichever comes first.
    private func deliverMail(in isolation: isolated (any Actor)?) {
        let mail = mailbox.withLock { mailbox in
            defer { mailbox = [] }
            return mailbox
        }
        for (action, group) in mail { core?.receive(action.value, group: group) }
    }
}

/// An action on its way to a store. In an object of its own, so that the calls that wait for it
/// hold a reference and no copy.
///
/// Unchecked because the effect that sent the action gave it up, and only the store takes it.
final class Delivery<Action>: @unchecked Sendable {
    let action: Action
    let group: Int

    init(action: Action, group: Int) {
        self.action = action
        self.group = group
    }
}

/// Sends the actions that came from one action, sent from outside, to a store.
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
