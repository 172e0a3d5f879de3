import IssueReporting

/// Makes the presented feature that calls it go away: `@Dependency(\.dismiss) var dismiss`.
///
/// ```swift
/// case .cancelButtonTapped:
///     return .run { _ in await dismiss() }
/// ```
///
/// The parent receives `PresentationAction.dismiss`, and all effects of the feature are cancelled, so that what comes after the call in the effect is not
/// sent any more.
public struct DismissEffect: Sendable {
    /// Sends the dismissal for the feature whose effect is running.
    @TaskLocal static var dismissPresented: (@Sendable () async -> Void)?

    private let dismiss: (@Sendable () async -> Void)?

    /// A dismissal of one's own, for tests of a feature alone.
    public init(_ dismiss: @escaping @Sendable () async -> Void) {
        self.dismiss = dismiss
    }

    private init() {
        dismiss = nil
    }

    static let presented = DismissEffect { await dismissPresented?() }
    static let absent = DismissEffect()

    var isPresented: Bool { dismiss != nil }

    /// Makes the feature go away. Reports an issue when it is not presented.
    public func callAsFunction(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        guard let dismiss else {
            reportIssue(
                """
                A reducer requested dismissal at "\(fileID):\(line)", but couldn't be dismissed. …

                This is generally considered an application logic error, and can happen when a reducer assumes it runs in a presentation context. If a \
                reducer can run at both the root level of an application, as well as in a presentation destination, use @Dependency(\\.isPresented) to \
                determine if the reducer is being presented before calling @Dependency(\\.dismiss).
                """,
                fileID: fileID, filePath: filePath, line: line, column: column
            )
            return
        }
        await dismiss()
    }
}

private enum DismissKey: DependencyKey {
    static let liveValue = DismissEffect.absent
    static let testValue = DismissEffect.absent
}

extension DependencyValues {
    /// Makes the presented feature go away.
    public var dismiss: DismissEffect {
        get { self[DismissKey.self] }
        set { self[DismissKey.self] = newValue }
    }

    /// Whether the feature is presented, so that it can be dismissed.
    public var isPresented: Bool { dismiss.isPresented }
}
