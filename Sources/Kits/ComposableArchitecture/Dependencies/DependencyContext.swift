import Foundation
import IssueReporting

/// The surroundings in which the code runs, which decide about the value of a dependency that
/// nobody has set.
public enum DependencyContext: Hashable, Sendable {
    /// A running program: ``DependencyKey/liveValue``.
    case live
    /// A preview of a user interface: ``TestDependencyKey/previewValue``.
    case preview
    /// A test: ``TestDependencyKey/testValue``.
    case test

    /// The context of this process. `SWIFT_DEPENDENCIES_CONTEXT` (`live`, `preview`, `test`) in the
    /// environment sets it.
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
    /// Values of the live context, none of them set.
    public static var live: Self { Self(context: .live) }

    /// Values of the preview context, none of them set.
    public static var preview: Self { Self(context: .preview) }

    /// Values of the test context, none of them set.
    public static var test: Self { Self(context: .test) }
}
