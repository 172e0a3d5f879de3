import Synchronization

/// Records that the feature of a test store has dismissed itself. The dismissal cancels the
/// feature's effects.
final class TestStoreDismissal: Sendable {
    private let dismissed = Atomic(false)
    private let registry = Guarded<EffectRegistry?>(nil)

    var effect: DismissEffect {
        DismissEffect(isPresented: false) { self.dismiss() }
    }

    var isDismissed: Bool { dismissed.load(ordering: .sequentiallyConsistent) }

    func attach(_ registry: EffectRegistry) {
        self.registry.withLock { $0 = registry }
    }

    private func dismiss() {
        dismissed.store(true, ordering: .sequentiallyConsistent)
        guard let registry = registry.withLock({ $0 }) else { return }
        for group in registry.runningGroups { registry.cancel(.group(group)) }
    }
}

extension TestStore {
    /// True after the feature has called `@Dependency(\.dismiss)`. The call cancels the feature's
    /// effects, and later actions fail the test.
    ///
    /// Stays false if the test sets its own `DismissEffect`.
    public var isDismissed: Bool { dismissal.isDismissed }

    func assertNotDismissed(_ origin: SourceOrigin) {
        guard isDismissed else { return }
        report(
            """
            An action was sent to a feature that has dismissed itself: nothing could send it one \
            any more.
            """,
            origin)
    }
}
