import IssueReporting

/// Dismisses the presented feature that calls it: `@Dependency(\.dismiss) var dismiss` and
/// `return .run { _ in await dismiss() }`.
///
/// The parent receives `PresentationAction.dismiss`, and the feature's effects are cancelled. An
/// effect therefore can't send actions after it has called `dismiss()`.
public struct DismissEffect: Sendable {
    /// Dismisses the feature of the running effect.
    ///
    /// A class wraps the closure, because a task-local closure crashes in an optimised build (Swift
    /// 6.3.1 on Linux).
    @TaskLocal static var dismissPresented: Dismissal?

    final class Dismissal: Sendable {
        let send: @Sendable () async -> Void

        init(send: @escaping @Sendable () async -> Void) { self.send = send }
    }

    private let dismiss: (@Sendable () async -> Void)?
    let isPresented: Bool

    /// Creates a dismissal that calls a closure, for testing a feature alone.
    public init(_ dismiss: @escaping @Sendable () async -> Void) {
        self.init(isPresented: true, dismiss)
    }

    init(isPresented: Bool, _ dismiss: (@Sendable () async -> Void)?) {
        self.dismiss = dismiss
        self.isPresented = isPresented
    }

    static let presented = DismissEffect { await dismissPresented?.send() }
    static let absent = DismissEffect(isPresented: false, nil)

    /// Dismisses the feature. Reports an issue if no parent presents the feature.
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
    public var dismiss: DismissEffect {
        get { self[DismissKey.self] }
        set { self[DismissKey.self] = newValue }
    }

    /// True if a parent presents the feature.
    public var isPresented: Bool { dismiss.isPresented }

    var ofPresented: Self { setting(DismissKey.presented, for: DismissKey.self) }
}
