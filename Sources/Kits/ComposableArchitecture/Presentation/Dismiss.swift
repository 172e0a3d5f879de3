import IssueReporting

/// Makes the presented feature that calls it go away: `@Dependency(\.dismiss) var dismiss`.
///
/// ```swift
/// case .cancelButtonTapped:
///     return .run { _ in await dismiss() }
/// ```
///
/// The parent receives `PresentationAction.dismiss`, and all effects of the feature are cancelled,
/// so that what comes after the call in the effect is not sent any more.
public struct DismissEffect: Sendable {
    /// Sends the dismissal for the feature whose effect is running.
    ///
    /// The closure is boxed: a task-local value that is a function crashes in an optimised build
    /// (Swift 6.3.1 on Linux).
    @TaskLocal static var dismissPresented: Dismissal?

    final class Dismissal: Sendable {
        let send: @Sendable () async -> Void

        init(send: @escaping @Sendable () async -> Void) { self.send = send }
    }

    private let dismiss: (@Sendable () async -> Void)?
    /// True if there is a parent that presents the feature.
    let isPresented: Bool

    /// A dismissal of one's own, for tests of a feature alone.
    public init(_ dismiss: @escaping @Sendable () async -> Void) {
        self.init(isPresented: true, dismiss)
    }

    init(isPresented: Bool, _ dismiss: (@Sendable () async -> Void)?) {
        self.dismiss = dismiss
        self.isPresented = isPresented
    }

    static let presented = DismissEffect { await dismissPresented?.send() }
    static let absent = DismissEffect(isPresented: false, nil)

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
                A feature asked to be dismissed at "\(fileID):\(line)", but nothing presents it.

                '@Dependency(\\.dismiss)' works in a feature that its parent presents by 'ifLet' \
                and '@Presents'. A feature that is also used without being \
                presented can ask '@Dependency(\\.isPresented)' first.
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
    static let presented = TypedDependencyBox(DismissEffect.presented)
}

extension DependencyValues {
    /// Makes the presented feature go away.
    public var dismiss: DismissEffect {
        get { self[DismissKey.self] }
        set { self[DismissKey.self] = newValue }
    }

    /// True if the feature is presented, so that it can be dismissed.
    public var isPresented: Bool { dismiss.isPresented }

    /// The same for a feature that is presented.
    var ofPresented: Self { setting(DismissKey.presented, for: DismissKey.self) }
}
