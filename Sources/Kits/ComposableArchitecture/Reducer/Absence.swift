import IssueReporting

/// Reports an action of a child that is not there, at the line of the operator.
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
    /// Works on the wrapped value in place; nil if there is none.
    @inlinable
    mutating func modifyIfPresent<Result>(_ body: (inout Wrapped) -> Result) -> Result? {
        // Taken out meanwhile, so that the value is not copied.
        guard var wrapped = take() else { return nil }
        defer { self = wrapped }
        return body(&wrapped)
    }
}
