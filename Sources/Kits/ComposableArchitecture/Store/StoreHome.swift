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
    func deliver(_ action: UncheckedBox<Action>, group: Int) async {
        if isOfTask {
            await settling?.deliverToTask { [self] in core?.receive(action.value, group: group) }
            return
        }
        guard let isolation else { return }
        settling?.deliveryBegins()
        await deliver(action, group: group, in: isolation)
        settling?.deliveryEnds()
    }

    private func deliver(
        _ action: UncheckedBox<Action>, group: Int, in isolation: isolated any Actor
    ) async {
        // A cancellation that came on the way counts as well.
        guard !Task.isCancelled else { return }
        core?.receive(action.value, group: group)
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
        // So that who waits for the effect waits for this as well.
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

/// Sends the actions that came from one action, sent from outside, to a store.
struct StoreTarget<State, Action>: SendTarget {
    let home: StoreHome<State, Action>
    let group: Int

    func delivery(of action: UncheckedBox<Action>) -> @Sendable () async -> Void {
        { await home.deliver(action, group: group) }
    }

    @MainActor
    func deliver(fromMainActor action: UncheckedBox<Action>) {
        home.deliver(fromMainActor: action, group: group)
    }
}
