import Foundation
import IssueReporting

struct SourceOrigin: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt
}

func reportIssue(_ message: String, at origin: SourceOrigin?) {
    if let origin {
        reportIssue(
            message,
            fileID: origin.fileID, filePath: origin.filePath, line: origin.line,
            column: origin.column
        )
    } else {
        reportIssue(message)
    }
}

/// Tracks how a default value is made: which access requested the value, and what the value used.
final class DependencyResolution: Sendable {
    @TaskLocal static var current: DependencyResolution?

    struct Findings {
        /// The keys that were read while making the value, directly or through other defaults.
        var reads: Set<ObjectIdentifier> = []
        var usedOverrides = false
        /// True if the key lacks a value for the context and a placeholder was returned.
        var isUnimplemented = false
    }

    /// The property's name in `DependencyValues`, such as `date`. `nil` for an access by the key's
    /// type.
    private let name: StaticString?
    private let key: any SendableMetatype.Type
    let origin: SourceOrigin
    private let state = Guarded<(findings: Findings, isFinished: Bool)>((Findings(), false))

    /// The thread that makes the value, synchronously. Tasks started meanwhile inherit the
    /// resolution as a task local. Comparing threads excludes those tasks.
    private let thread = ObjectIdentifier(Thread.current)

    init(name: StaticString?, key: any SendableMetatype.Type, origin: SourceOrigin) {
        self.name = name
        self.key = key
        self.origin = origin
    }

    /// The access as it appears in code, such as `@Dependency(\.date)`.
    var subject: String {
        self.name.map { "@Dependency(\\.\($0))" } ?? "@Dependency(\(self.key).self)"
    }

    /// Records a finding. Ignores tasks that were started while the value is being made.
    func find(_ finding: (inout Findings) -> Void) {
        guard self.isActive else { return }
        self.state.withLock { finding(&$0.findings) }
    }

    /// Adds the findings of another default that this default uses.
    func inherit(_ findings: Findings) {
        self.find {
            $0.reads.formUnion(findings.reads)
            $0.usedOverrides = $0.usedOverrides || findings.usedOverrides
        }
    }

    /// True on the thread that makes the value, until the value is made.
    var isActive: Bool {
        ObjectIdentifier(Thread.current) == self.thread
            && self.state.withLock { !$0.isFinished }
    }

    func finish() -> Findings {
        self.state.withLock {
            $0.isFinished = true
            return $0.findings
        }
    }

    static func facts(key: Any.Type, value: Any.Type, origin: SourceOrigin?) -> String {
        var lines: [String] = []
        if let origin {
            lines.append("  Location:\n    \(origin.fileID):\(origin.line)")
        }
        lines.append(
            key == value
                ? "  Dependency:\n    \(String(reflecting: value))"
                : """
                  Key:\n    \(String(reflecting: key))\n  Value:\n    \
                \(String(reflecting: value))
                """
        )
        return lines.joined(separator: "\n")
    }
}
