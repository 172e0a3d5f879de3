/// The work of one task of an effect, with the task-local values that the work needs.
@usableFromInline
struct EffectWork: Sendable {
    let operation: @Sendable () async -> Void
    /// The work's dependencies, or `nil` if they are the store's.
    private let dependencies: DependencyValues?
    var dismissal: DismissEffect.Dismissal?

    init(dependencies: DependencyValues, operation: @escaping @Sendable () async -> Void) {
        self.operation = operation
        let isCurrent = DependencyValues._current.isIdentical(to: dependencies)
        self.dependencies = isCurrent ? nil : dependencies
    }

    /// Calls a closure that creates a task, so that the task inherits the work's task-local values.
    /// Setting the values inside each task would cost a kilobyte per waiting task.
    func makingTask<Result>(_ make: () -> Result) -> Result {
        guard let dismissal else { return withDependencies(make) }
        return DismissEffect.$dismissPresented.withValue(dismissal) { withDependencies(make) }
    }

    private func withDependencies<Result>(_ make: () -> Result) -> Result {
        guard let dependencies else { return make() }
        return DependencyValues.$_current.withValue(dependencies, operation: make)
    }

    func run() async {
        guard let dismissal else { return await runWithDependencies() }
        await DismissEffect.$dismissPresented.withValue(dismissal) { await runWithDependencies() }
    }

    private func runWithDependencies() async {
        guard let dependencies else { return await operation() }
        await DependencyValues.$_current.withValue(dependencies) { await operation() }
    }
}
