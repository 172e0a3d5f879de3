import CustomDump
import IssueReporting

extension TestStore {
    /// Compares the state after an action with what the test expects.
    func expect(_ actual: State, from before: State, update: ((inout State) throws -> Void)?, origin: SourceOrigin) {
        switch exhaustivity {
        case .on:
            guard let expected = updated(before, by: update, origin) else { return }
            if expected != actual {
                report(mismatch(expected: expected, actual: actual, isChangeExpected: update != nil), origin)
            } else if update != nil, expected == before {
                report(
                    """
                    Expected state to change, but no change occurred.

                    The trailing closure made no observable modifications to state. If no change to state is expected, omit the trailing closure.
                    """,
                    origin
                )
            }
        case .off(let showSkippedAssertions):
            guard let expected = updated(actual, by: update, origin) else { return }
            if expected != actual {
                report(mismatch(expected: expected, actual: actual, isChangeExpected: true), origin)
            } else if showSkippedAssertions {
                guard let whole = updated(before, by: update, origin), whole != actual else { return }
                reportSkipped(mismatch(expected: whole, actual: actual, isChangeExpected: update != nil), origin)
            }
        }
    }

    /// Nil if the closure threw, which is reported.
    private func updated(_ state: State, by update: ((inout State) throws -> Void)?, _ origin: SourceOrigin) -> State? {
        guard let update else { return state }
        var expected = state
        do {
            try DependencyValues.$_current.withValue(core.dependencies) { try update(&expected) }
        } catch {
            report("Threw error: \(error)", origin)
            return nil
        }
        return expected
    }

    private func mismatch(expected: State, actual: State, isChangeExpected: Bool) -> String {
        let heading =
            isChangeExpected ? "A state change does not match expectation" : "State was not expected to change, but a change occurred"
        guard let difference = diff(expected, actual, format: .proportional) else {
            return "\(heading): …\n\nExpected:\n\(dumped(expected).indented(by: 2))\n\nActual:\n\(dumped(actual).indented(by: 2))"
        }
        return "\(heading): …\n\n\(difference.indented(by: 4))\n\n(Expected: −, Actual: +)"
    }

    func report(_ message: String, _ origin: SourceOrigin) {
        reportIssue(message, at: origin)
    }

    /// Records, if the store is to show it, what the test leaves out.
    func reportSkipped(_ message: String, _ origin: SourceOrigin) {
        guard exhaustivity == .off(showSkippedAssertions: true) else { return }
        withExpectedIssue(fileID: origin.fileID, filePath: origin.filePath, line: origin.line, column: origin.column) {
            reportIssue("Skipped assertions: …\n\n\(message)", at: origin)
        }
    }

    /// Actions, one on a line.
    func listed(_ actions: [Action]) -> String {
        actions.map { "  • " + dumped($0).split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n    ") }
            .joined(separator: "\n")
    }
}
