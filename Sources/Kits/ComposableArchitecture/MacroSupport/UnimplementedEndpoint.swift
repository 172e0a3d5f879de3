import IssueReporting

public struct _UnimplementedEndpoint: Error, Equatable, CustomStringConvertible {
    /// The client's type and the endpoint's name, such as `Client.endpoint`.
    public let endpoint: String

    public init(_ endpoint: String) {
        self.endpoint = endpoint
    }

    public var description: String { "Unimplemented: '\(endpoint)'" }
}

public func _reportUnimplemented(
    _ endpoint: String,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) {
    reportIssue(
        "Unimplemented: '\(endpoint)'", fileID: fileID, filePath: filePath, line: line,
        column: column)
}
