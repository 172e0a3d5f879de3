import IssueReporting

/// Reports that an action was sent to a child that doesn't exist, at the line of the operator.
func reportAbsent(
    _ subject: String, _ what: String, action: some Any, origin: SourceOrigin, reasons: [String]
) {
    reportIssue(
        """
        \(subject) at "\(origin.fileID):\(origin.line)" received \(what). …

          Action:
        \(dumped(action).indented(by: 4))

        This is generally considered an application logic error, and can happen for a few reasons:

        \(reasons.map { "• \($0)" }.joined(separator: "\n\n"))
        """,
        fileID: origin.fileID, filePath: origin.filePath, line: origin.line, column: origin.column
    )
}

extension Optional {
    /// Modifies the wrapped value in place; returns nil if there is none.
    @inlinable
    mutating func modifyIfPresent<Result>(_ body: (inout Wrapped) -> Result) -> Result? {
        // The value is removed during the modification, so that it isn't copied.
        guard var wrapped = take() else { return nil }
        defer { self = wrapped }
        return body(&wrapped)
    }
}
