/// Hands the current dependencies to a closure that runs outside of the task: `continuation.yield { … }`.
public func withEscapedDependencies<R>(
    _ operation: (DependencyValues.Continuation) throws -> R
) rethrows -> R {
    try operation(DependencyValues.Continuation())
}

/// Hands the current dependencies to a closure that runs outside of the task: `await continuation.yield { … }`.
public func withEscapedDependencies<R>(
    isolation: isolated (any Actor)? = #isolation,
    _ operation: (DependencyValues.Continuation) async throws -> R
) async rethrows -> R {
    try await operation(DependencyValues.Continuation())
}

extension DependencyValues {
    /// The dependencies of a task, to be used outside of it.
    public struct Continuation: Sendable {
        private let dependencies = DependencyValues._current

        /// Runs an operation with the dependencies.
        public func yield<R>(_ operation: () throws -> R) rethrows -> R {
            try withDependencies {
                $0 = self.dependencies
            } operation: {
                try operation()
            }
        }

        /// Runs an asynchronous operation with the dependencies.
        public func yield<R>(
            isolation: isolated (any Actor)? = #isolation,
            _ operation: () async throws -> R
        ) async rethrows -> R {
            try await withDependencies(isolation: isolation) {
                $0 = self.dependencies
            } operation: {
                try await operation()
            }
        }
    }
}
