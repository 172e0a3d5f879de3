/// Overrides dependencies for an operation and for the tasks that the operation starts.
///
/// - Parameters:
///   - updateValuesForOperation: Changes the current values.
///   - operation: Runs with the changed values.
@discardableResult
public func withDependencies<R>(
    _ updateValuesForOperation: (inout DependencyValues) throws -> Void,
    operation: () throws -> R
) rethrows -> R {
    var values = DependencyValues._current
    try DependencyValues.$isSetting.withValue(true) {
        try updateValuesForOperation(&values)
    }
    return try DependencyValues.$isSetting.withValue(false) {
        try DependencyValues.$_current.withValue(values, operation: operation)
    }
}

/// Overrides dependencies for an asynchronous operation, which runs in the caller's isolation.
@discardableResult
public func withDependencies<R>(
    isolation: isolated (any Actor)? = #isolation,
    _ updateValuesForOperation: (inout DependencyValues) async throws -> Void,
    operation: () async throws -> R
) async rethrows -> R {
    var values = DependencyValues._current
    try await DependencyValues.$isSetting.withValue(true) {
        try await updateValuesForOperation(&values)
    }
    return try await DependencyValues.$isSetting.withValue(false) {
        try await DependencyValues.$_current.withValue(values, operation: operation)
    }
}
