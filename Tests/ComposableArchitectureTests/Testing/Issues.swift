import ComposableArchitecture
import Testing

/// An issue that a test has recorded.
struct Failure: Equatable {
    var text: String
    /// How many lines below `issues {`.
    var line: Int

    init(_ text: String, line: Int) {
        self.text = text
        self.line = line
    }
}

/// Runs a test that has to fail, and returns what it said and where.
@MainActor
func issues(line: Int = #line, _ body: @MainActor () async -> Void) async -> [Failure] {
    let found = LockIsolated<[Failure]>([])
    await withKnownIssue(isIntermittent: true) {
        await body()
    } matching: { issue in
        // Differences are printed with figure spaces.
        let text = issue.comments.map(\.rawValue).joined().replacing("\u{2007}", with: " ")
        found.withValue { $0.append(Failure(text, line: (issue.sourceLocation?.line ?? 0) - line)) }
        return true
    }
    return found.value
}
