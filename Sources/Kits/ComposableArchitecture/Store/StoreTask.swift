import Synchronization

/// The life of the effects that came from one action: of its own, and of the actions that those
/// sent.
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

    /// Cancels the effects.
    public func cancel() {
        guard let effects else { return }
        effects.isCancelled.store(true, ordering: .relaxed)
        effects.registry.cancel(.group(effects.group))
    }

    /// Waits until the effects have ended. When the task that waits is cancelled, so are they.
    public func finish() async {
        guard let effects else { return }
        await withTaskCancellationHandler {
            await effects.registry.finish(group: effects.group)
        } onCancel: {
            cancel()
        }
    }

    /// True if the effects were cancelled through this value; true also if there were none.
    public var isCancelled: Bool {
        effects?.isCancelled.load(ordering: .relaxed) ?? true
    }

    /// True if some of the effects have not ended yet.
    var isRunning: Bool {
        guard let effects else { return false }
        return effects.registry.isRunning(group: effects.group)
    }
}
