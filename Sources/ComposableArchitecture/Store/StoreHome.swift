/// The way of effects back to their store.
///
/// It keeps neither the store nor its actor alive, since the actor usually keeps the store. Unchecked because a reference to the core is in it: it is
/// followed in the core's isolation only.
final class StoreHome<State, Action>: @unchecked Sendable {
    private weak let core: StoreCore<State, Action>?
    private weak let isolation: (any Actor)?
    private let settling: EffectSettling?

    init(_ core: StoreCore<State, Action>, isolation: any Actor, settling: EffectSettling?) {
        self.core = core
        self.isolation = isolation
        self.settling = settling
    }

    /// Has the store process an action, in its isolation. Does nothing when the store is gone.
    func deliver(_ action: Action, group: Int) async {
        guard let isolation else { return }
        settling?.deliveryBegins()
        await deliver(UncheckedBox(value: action), group: group, in: isolation)
        settling?.deliveryEnds()
    }

    private func deliver(_ action: UncheckedBox<Action>, group: Int, in isolation: isolated any Actor) async {
        // A cancellation that came on the way counts as well.
        guard !Task.isCancelled else { return }
        core?.receive(action.value, group: group)
    }
}
