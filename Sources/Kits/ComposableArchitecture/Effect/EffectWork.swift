/// The work of one task of an effect, and the task-local values that hold during it.
@usableFromInline
struct EffectWork: Sendable {
    let operation: @Sendable () async -> Void
    /// Nil for the dependencies of the store.
    private let dependencies: DependencyValues?
    /// Makes the presented feature go away that the effect belongs to.
    var dismissal: DismissEffect.Dismissal?

    init(dependencies: DependencyValues, operation: @escaping @Sendable () async -> Void) {
        self.operation = operation
        let isCurrent = DependencyValues._current.isIdentical(to: dependencies)
        self.dependencies = isCurrent ? nil : dependencies
    }

    /// Makes a task that takes the values over: setting them within it takes a kilobyte of each
    /// task that waits.
    func makingTask<Result>(_ make: () -> Result) -> Result {
        guard let dismissal else { return withDependencies(make) }
        return DismissEffect.$dismissPresented.withValue(dismissal) { withDependencies(make) }
    }

    private func withDependencies<Result>(_ make: () -> Result) -> Result {
        guard let dependencies else { return make() }
        return DependencyValues.$_current.withValue(dependencies, operation: make)
    }

    /// Does the work in the present task.
    func run() async {
        guard let dismissal else { return await runWithDependencies() }
        await DismissEffect.$dismissPresented.withValue(dismissal) { await runWithDependencies() }
    }

    private func runWithDependencies() async {
        guard let dependencies else { return await operation() }
        await DependencyValues.$_current.withValue(dependencies) { await operation() }
    }
}
