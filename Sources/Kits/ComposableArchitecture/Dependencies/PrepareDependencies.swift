/// Sets dependencies for the whole process, at startup: `prepareDependencies { $0.database = … }`.
///
/// In Swift Testing, the call affects only the current test. Reports an issue for a value that was
/// already read or prepared, and leaves that value unchanged.
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
