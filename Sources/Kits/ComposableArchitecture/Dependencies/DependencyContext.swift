import Foundation
import IssueReporting

/// The environment of the running code. It selects the default values of dependencies.
public enum DependencyContext: Hashable, Sendable {
    /// A running program: ``DependencyKey/liveValue``.
    case live
    /// A preview of a user interface: ``TestDependencyKey/previewValue``.
    case preview
    /// A test: ``TestDependencyKey/testValue``.
    case test

    /// The context of this process. The environment variable `SWIFT_DEPENDENCIES_CONTEXT` (`live`,
    /// `preview` or `test`) sets it explicitly.
    static let ofProcess: DependencyContext = {
        let environment = ProcessInfo.processInfo.environment
        switch environment["SWIFT_DEPENDENCIES_CONTEXT"] {
        case "live": return .live
        case "preview": return .preview
        case "test": return .test
        case .some(let unknown):
            reportIssue(
                "SWIFT_DEPENDENCIES_CONTEXT is '\(unknown)', not one of 'live', 'preview', 'test'.")
        case .none: break
        }
        if environment["XCODE_RUNNING_FOR_PREVIEWS"] == "1" { return .preview }
        return isTesting ? .test : .live
    }()
}

extension DependencyValues {
    public static var live: Self { Self(context: .live) }

    public static var preview: Self { Self(context: .preview) }

    public static var test: Self { Self(context: .test) }
}
