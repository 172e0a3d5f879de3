import CustomDump
import IssueReporting

extension TestStore {
    func expect(
        _ actual: State, from before: State, update: ((inout State) throws -> Void)?,
        origin: SourceOrigin
    ) {
        switch exhaustivity {
        case .on:
            guard let expected = updated(before, by: update, origin) else { return }
            if expected != actual {
                report(
                    mismatch(expected: expected, actual: actual, isChangeExpected: update != nil),
                    origin)
            } else if update != nil, expected == before {
                report(
                    """
                    The test expects the state to change, but it is as it was before.

                    The closure changed nothing. Leave it out when no change is expected.
                    """,
                    origin
                )
            }
        case .off(let showSkippedAssertions):
            guard let expected = updated(actual, by: update, origin) else { return }
            if expected != actual {
                report(mismatch(expected: expected, actual: actual, isChangeExpected: true), origin)
            } else if showSkippedAssertions {
                guard let whole = updated(before, by: update, origin), whole != actual else {
                    return
                }
                reportSkipped(
                    mismatch(expected: whole, actual: actual, isChangeExpected: update != nil),
                    origin)
            }
        }
    }

    /// Returns the state after `update` has changed it. Reports an error of `update`, and then
    /// returns nil.
    private func updated(
        _ state: State, by update: ((inout State) throws -> Void)?, _ origin: SourceOrigin
    ) -> State? {
        guard let update else { return state }
        var expected = state
        do {
            try DependencyValues.$_current.withValue(core.dependencies) { try update(&expected) }
        } catch {
            report("The closure that describes the expected state threw an error: \(error)", origin)
            return nil
        }
        return expected
    }

    private func mismatch(expected: State, actual: State, isChangeExpected: Bool) -> String {
        let heading =
            isChangeExpected
            ? "The state is not what the test expects"
            : "The state changed, and the test expects no change"
        guard let difference = diff(expected, actual, format: .proportional) else {
            let (expected, actual) = (
                dumped(expected).withPropertyNames, dumped(actual).withPropertyNames
            )
            return
                """
                \(heading):

                Expected:
                \(expected.indented(by: 2))

                Actual:
                \(actual.indented(by: 2))
                """
        }
        return
            """
            \(heading):

            \(difference.withPropertyNames.indented(by: 4))

            (−: expected, +: actual)
            """
    }

    func report(_ message: String, _ origin: SourceOrigin) {
        reportIssue(message, at: origin)
    }

    /// Records a skipped assertion if `showSkippedAssertions` is true.
    func reportSkipped(_ message: String, _ origin: SourceOrigin) {
        guard exhaustivity == .off(showSkippedAssertions: true) else { return }
        let message = "Not stated by the test:\n\n\(message)"
        #if !canImport(Darwin)
        // XCTest supports expected failures only on Apple platforms.
        if case .xcTest? = TestContext.current {
            return print("\(origin.filePath):\(origin.line): \(message)")
        }
        #endif
        withExpectedIssue(
            fileID: origin.fileID, filePath: origin.filePath, line: origin.line,
            column: origin.column
        ) {
            reportIssue(message, at: origin)
        }
    }

    func listed(_ actions: [Action]) -> String {
        actions.map {
            "  • "
                + dumped($0).split(separator: "\n", omittingEmptySubsequences: false).joined(
                    separator: "\n    ")
        }
        .joined(separator: "\n")
    }
}

extension String {
    /// Replaces the names of storage, such as `_count`, by the names of their properties, such as
    /// `count`.
    fileprivate var withPropertyNames: String {
        let storage = /^([−+]?[\s\u{2007}]*)_(?=\w+: )/.anchorsMatchLineEndings()
        return replacing(storage) { $0.output.1 }
    }
}
