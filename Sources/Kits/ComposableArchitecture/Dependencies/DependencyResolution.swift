import Foundation
import IssueReporting

/// A place in the source.
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

/// The process of making a default value: who asked for it, and what it used.
final class DependencyResolution: Sendable {
    @TaskLocal static var current: DependencyResolution?

    struct Findings {
        /// The keys that were read, including those read by other defaults.
        var reads: Set<ObjectIdentifier> = []
        /// True if an override was read.
        var usedOverrides = false
        /// True if the dependency has no value for the context, so that a placeholder was returned.
        var isUnimplemented = false
    }

    /// The name in `DependencyValues`, such as `date`; `nil` if the dependency was accessed by its
    /// key's type.
    private let name: StaticString?
    private let key: any SendableMetatype.Type
    let origin: SourceOrigin
    private let state = Guarded<(findings: Findings, isFinished: Bool)>((Findings(), false))

    /// The thread that makes the value, synchronously. A task that is started meanwhile inherits
    /// the resolution as a task local. It doesn't count, because it runs on another thread, or on
    /// this one after the value is made.
    private let thread = ObjectIdentifier(Thread.current)

    init(name: StaticString?, key: any SendableMetatype.Type, origin: SourceOrigin) {
        self.name = name
        self.key = key
        self.origin = origin
    }

    /// The dependency as the code accesses it: `@Dependency(\.date)`.
    var subject: String {
        self.name.map { "@Dependency(\\.\($0))" } ?? "@Dependency(\(self.key).self)"
    }

    /// Records a finding. Ignores findings of tasks that were started while the value is being
    /// made, even if they run at once.
    func find(_ finding: (inout Findings) -> Void) {
        guard self.isActive else { return }
        self.state.withLock { finding(&$0.findings) }
    }

    /// Adds the findings of a default that this one uses.
    func inherit(_ findings: Findings) {
        self.find {
            $0.reads.formUnion(findings.reads)
            $0.usedOverrides = $0.usedOverrides || findings.usedOverrides
        }
    }

    /// `false` once the value is made, and in tasks started while making it.
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

    /// Returns the lines of a report that identify the dependency.
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
