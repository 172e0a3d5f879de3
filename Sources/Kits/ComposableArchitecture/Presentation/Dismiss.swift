import IssueReporting

/// Dismisses the presented feature that calls it: `@Dependency(\.dismiss) var dismiss`.
///
/// ```swift
/// case .cancelButtonTapped:
///     return .run { _ in await dismiss() }
/// ```
///
/// The parent receives `PresentationAction.dismiss`, and all effects of the feature are cancelled,
/// so actions after the call in the same effect are not sent.
public struct DismissEffect: Sendable {
    /// Sends the dismissal of the feature to which the running effect belongs.
    ///
    /// The closure is boxed, because a task-local function crashes in an optimised build (Swift
    /// 6.3.1 on Linux).
    @TaskLocal static var dismissPresented: Dismissal?

    final class Dismissal: Sendable {
        let send: @Sendable () async -> Void

        init(send: @escaping @Sendable () async -> Void) { self.send = send }
    }

    private let dismiss: (@Sendable () async -> Void)?
    /// True if a parent presents the feature.
    let isPresented: Bool

    /// Creates a custom dismissal, for testing a feature alone.
    public init(_ dismiss: @escaping @Sendable () async -> Void) {
        self.init(isPresented: true, dismiss)
    }

    init(isPresented: Bool, _ dismiss: (@Sendable () async -> Void)?) {
        self.dismiss = dismiss
        self.isPresented = isPresented
    }

    static let presented = DismissEffect { await dismissPresented?.send() }
    static let absent = DismissEffect(isPresented: false, nil)

    /// Dismisses the feature. Reports an issue if it is not presented.
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
    /// Dismisses the presented feature.
    public var dismiss: DismissEffect {
        get { self[DismissKey.self] }
        set { self[DismissKey.self] = newValue }
    }

    /// True if the feature is presented and can be dismissed.
    public var isPresented: Bool { dismiss.isPresented }

    /// The values for a presented feature.
    var ofPresented: Self { setting(DismissKey.presented, for: DismissKey.self) }
}
