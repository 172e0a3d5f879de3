/// Sets dependencies for the whole process; call it at startup:
/// `prepareDependencies { $0.database = … }`.
///
/// In Swift Testing, it affects only the current test. If a value was already read or prepared, it
/// doesn't change, and an issue is reported.
public func prepareDependencies(
    _ updateValues: (inout DependencyValues) throws -> Void,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) rethrows {
    try DependencyValues._current.prepare(
        updateValues,
        origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column))
}
