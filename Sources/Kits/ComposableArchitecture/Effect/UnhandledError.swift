import CustomDump
import IssueReporting

func reportUnhandled(
    _ error: any Error, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
) {
    reportIssue(
        """
        An "Effect.run" returned from "\(fileID):\(line)" threw an unhandled error. …

        \(dumped(error).indented(by: 4))

        All non-cancellation errors must be explicitly handled via the "catch" parameter on \
        "Effect.run", or via a "do" block.
        """,
        fileID: fileID, filePath: filePath, line: line, column: column
    )
}

func dumped(_ value: some Any) -> String {
    var text = ""
    customDump(value, to: &text)
    return text
}

extension String {
    func indented(by count: Int) -> String {
        let indent = String(repeating: " ", count: count)
        return indent
            + split(separator: "\n", omittingEmptySubsequences: false).joined(
                separator: "\n\(indent)")
    }
}
