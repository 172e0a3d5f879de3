import ComposableArchitecture
import Testing

struct Failure: Equatable {
    var text: String
    /// The number of lines from `issues {` to the issue.
    var line: Int

    init(_ text: String, line: Int) {
        self.text = text
        self.line = line
    }
}

/// Runs `body`. Returns the issues that it records.
@MainActor
func issues(line: Int = #line, _ body: @MainActor () async -> Void) async -> [Failure] {
    let found = LockIsolated<[Failure]>([])
    await withKnownIssue(isIntermittent: true) {
        await body()
    } matching: { issue in
        // Differences between states contain figure spaces (U+2007) instead of spaces.
        let text = issue.comments.map(\.rawValue).joined().replacing("\u{2007}", with: " ")
        found.withValue { $0.append(Failure(text, line: (issue.sourceLocation?.line ?? 0) - line)) }
        return true
    }
    return found.value
}
