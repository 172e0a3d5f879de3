import ComposableArchitecture
import Testing

/// An issue that a test has recorded.
struct Failure: Equatable {
    var text: String
    /// The number of lines between the issue and `issues {`.
    var line: Int

    init(_ text: String, line: Int) {
        self.text = text
        self.line = line
    }
}

/// Runs a test that must fail. Returns its issues and their lines.
@MainActor
func issues(line: Int = #line, _ body: @MainActor () async -> Void) async -> [Failure] {
    let found = LockIsolated<[Failure]>([])
    await withKnownIssue(isIntermittent: true) {
        await body()
    } matching: { issue in
        // Differences are printed with figure spaces instead of spaces.
        let text = issue.comments.map(\.rawValue).joined().replacing("\u{2007}", with: " ")
        found.withValue { $0.append(Failure(text, line: (issue.sourceLocation?.line ?? 0) - line)) }
        return true
    }
    return found.value
}
