import IssueReporting

/// Reports that a reducer received an action for a missing child. The issue appears at `origin`,
/// where the reducer is created.
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
    /// Modifies the wrapped value in place. Returns nil if the optional is nil.
    @inlinable
    mutating func modifyIfPresent<Result>(_ body: (inout Wrapped) -> Result) -> Result? {
        // Takes the value out of the optional, so that the modification doesn't copy the value.
        guard var wrapped = take() else { return nil }
        defer { self = wrapped }
        return body(&wrapped)
    }
}
