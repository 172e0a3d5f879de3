/// Sets dependencies for the whole process, where it starts: `prepareDependencies { $0.database = …
/// }`.
///
/// A test of Swift Testing sets them for itself only. A value that was read or prepared before
/// stays what it was, and an issue is reported.
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
