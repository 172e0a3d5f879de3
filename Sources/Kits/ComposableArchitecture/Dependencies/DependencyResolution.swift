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

/// The making of one default value: who asked, and what was found on the way.
final class DependencyResolution: Sendable {
    @TaskLocal static var current: DependencyResolution?

    struct Findings {
        /// The keys that were read, also by other defaults.
        var reads: Set<ObjectIdentifier> = []
        /// True if an override was read.
        var usedOverrides = false
        /// True if there is no value for the context, so that the value is a stand-in.
        var isUnimplemented = false
    }

    /// The name in `DependencyValues`, such as `date`; `nil` when the dependency was asked for by
    /// its key's type.
    private let name: StaticString?
    private let key: any SendableMetatype.Type
    let origin: SourceOrigin
    private let state = Guarded<(findings: Findings, isFinished: Bool)>((Findings(), false))

    /// The thread of the making, which is synchronous. A task that the making starts has the
    /// resolution in its task locals as well, and runs on another thread, or later.
    private let thread = ObjectIdentifier(Thread.current)

    init(name: StaticString?, key: any SendableMetatype.Type, origin: SourceOrigin) {
        self.name = name
        self.key = key
        self.origin = origin
    }

    /// The dependency as it was asked for: `@Dependency(\.date)`.
    var subject: String {
        self.name.map { "@Dependency(\\.\($0))" } ?? "@Dependency(\(self.key).self)"
    }

    /// Adds a finding of the making. Those of tasks that it started don't count, however soon they
    /// run.
    func find(_ finding: (inout Findings) -> Void) {
        guard self.isActive else { return }
        self.state.withLock { finding(&$0.findings) }
    }

    /// Adds the findings of a default that this one needs.
    func inherit(_ findings: Findings) {
        self.find {
            $0.reads.formUnion(findings.reads)
            $0.usedOverrides = $0.usedOverrides || findings.usedOverrides
        }
    }

    /// `false` once the value is made, and in the tasks that its making started.
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

    /// The lines of a report that say which dependency it is about.
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
