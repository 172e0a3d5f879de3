/// Sets dependencies for an operation, and for the tasks that it starts.
///
/// - Parameters:
///   - updateValuesForOperation: Changes the current values.
///   - operation: Runs with the changed values.
/// - Returns: What the operation returns.
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

/// Sets dependencies for an asynchronous operation, which stays in the caller's isolation.
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

/// Runs an operation with the dependencies of an object, found in its `@Dependency` properties.
///
/// For a model that makes another one: the child has what the parent has. Reports an issue when the object has no
/// `@Dependency` property.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
    from model: Model,
    operation: () throws -> R,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) rethrows -> R {
    try withDependencies(
        from: model, { _ in }, operation: operation,
        fileID: fileID, filePath: filePath, line: line, column: column
    )
}

/// Runs an operation with the dependencies of an object, changed.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
    from model: Model,
    _ updateValuesForOperation: (inout DependencyValues) throws -> Void,
    operation: () throws -> R,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) rethrows -> R {
    let values = keptDependencies(
        of: model,
        origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
    )
    return try withDependencies {
        if let values { $0 = values.merging($0) }
        try updateValuesForOperation(&$0)
    } operation: {
        try operation()
    }
}

/// Runs an asynchronous operation with the dependencies of an object, found in its `@Dependency` properties.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
    from model: Model,
    isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> R,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) async rethrows -> R {
    try await withDependencies(
        from: model, isolation: isolation, { _ in }, operation: operation,
        fileID: fileID, filePath: filePath, line: line, column: column
    )
}

/// Runs an asynchronous operation with the dependencies of an object, changed.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
    from model: Model,
    isolation: isolated (any Actor)? = #isolation,
    _ updateValuesForOperation: (inout DependencyValues) async throws -> Void,
    operation: () async throws -> R,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) async rethrows -> R {
    let values = keptDependencies(
        of: model,
        origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
    )
    return try await withDependencies(isolation: isolation) {
        if let values { $0 = values.merging($0) }
        try await updateValuesForOperation(&$0)
    } operation: {
        try await operation()
    }
}

private func keptDependencies(of model: AnyObject, origin: SourceOrigin) -> DependencyValues? {
    var mirror: Mirror? = Mirror(reflecting: model)
    while let current = mirror {
        for child in current.children {
            if let keeper = child.value as? any DependencyKeeper { return keeper.keptDependencies }
        }
        mirror = current.superclassMirror
    }
    reportIssue(
        "'withDependencies(from:)' was given a '\(type(of: model))', which has no '@Dependency' property to take them from.",
        at: origin
    )
    return nil
}
