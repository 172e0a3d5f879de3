/// The work of one task of an effect, with its task-local values.
@usableFromInline
struct EffectWork: Sendable {
    let operation: @Sendable () async -> Void
    /// The dependencies of the work; nil if they are the same as the store's.
    private let dependencies: DependencyValues?
    /// Dismisses the presented feature that the effect belongs to.
    var dismissal: DismissEffect.Dismissal?

    init(dependencies: DependencyValues, operation: @escaping @Sendable () async -> Void) {
        self.operation = operation
        let isCurrent = DependencyValues._current.isIdentical(to: dependencies)
        self.dependencies = isCurrent ? nil : dependencies
    }

    /// Creates a task that inherits the work's task-local values. Setting them inside the task
    /// instead would cost a kilobyte for each waiting task.
    func makingTask<Result>(_ make: () -> Result) -> Result {
        guard let dismissal else { return withDependencies(make) }
        return DismissEffect.$dismissPresented.withValue(dismissal) { withDependencies(make) }
    }

    private func withDependencies<Result>(_ make: () -> Result) -> Result {
        guard let dependencies else { return make() }
        return DependencyValues.$_current.withValue(dependencies, operation: make)
    }

    /// Performs the work in the current task.
    func run() async {
        guard let dismissal else { return await runWithDependencies() }
        await DismissEffect.$dismissPresented.withValue(dismissal) { await runWithDependencies() }
    }

    private func runWithDependencies() async {
        guard let dependencies else { return await operation() }
        await DependencyValues.$_current.withValue(dependencies) { await operation() }
    }
}
