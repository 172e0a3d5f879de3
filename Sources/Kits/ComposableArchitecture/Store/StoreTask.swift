import Synchronization

/// A handle to the effects of one action. Includes the effects of the actions that these effects
/// send.
public struct StoreTask: Sendable {
    private let effects: Effects?

    private final class Effects: Sendable {
        let registry: EffectRegistry
        let group: Int
        let isCancelled = Atomic(false)

        init(registry: EffectRegistry, group: Int) {
            self.registry = registry
            self.group = group
        }
    }

    init(registry: EffectRegistry, group: Int) {
        effects = registry.isRunning(group: group) ? Effects(registry: registry, group: group) : nil
    }

    public func cancel() {
        guard let effects else { return }
        effects.isCancelled.store(true, ordering: .relaxed)
        effects.registry.cancel(.group(effects.group))
    }

    /// Waits until the effects have ended. Cancelling the waiting task also cancels the effects.
    public func finish() async {
        guard let effects else { return }
        await withTaskCancellationHandler {
            await effects.registry.finish(group: effects.group)
        } onCancel: {
            cancel()
        }
    }

    /// True if the effects were cancelled through this handle, or if the action started none.
    public var isCancelled: Bool {
        effects?.isCancelled.load(ordering: .relaxed) ?? true
    }

    var isRunning: Bool {
        guard let effects else { return false }
        return effects.registry.isRunning(group: effects.group)
    }
}
