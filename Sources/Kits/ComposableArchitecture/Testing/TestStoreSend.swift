extension TestStore {
    /// Sends the action with a case without a value: `send(\.refreshButtonTapped)`.
    @discardableResult
    public func send(
        _ action: CaseKeyPath<Action, Void>,
        assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async -> TestStoreTask {
        await send(
            action(), assert: updateStateToExpectedResult,
            fileID: fileID, filePath: filePath, line: line, column: column
        )
    }

    /// Sends the action with a case and a value: `send(\.binding.name, "Blob")`.
    @discardableResult
    public func send<Value>(
        _ action: CaseKeyPath<Action, Value>,
        _ value: Value,
        assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async -> TestStoreTask {
        await send(
            action(value), assert: updateStateToExpectedResult,
            fileID: fileID, filePath: filePath, line: line, column: column
        )
    }
}

/// A handle to the effects of an action that the test sent.
public struct TestStoreTask: Sendable {
    private let task: StoreTask
    private let settling: EffectSettling
    private let defaultTimeout: Duration

    init(task: StoreTask, settling: EffectSettling, defaultTimeout: Duration) {
        self.task = task
        self.settling = settling
        self.defaultTimeout = defaultTimeout
    }

    /// Cancels the effects. Waits until all effects are suspended or have ended.
    public func cancel(isolation: isolated (any Actor)? = #isolation) async {
        task.cancel()
        await settling.settled()
    }

    /// Waits until the effects have ended. Fails if they are still running at the time limit.
    public func finish(
        timeout duration: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let timeout = duration ?? defaultTimeout
        let end = ContinuousClock.now.advanced(by: timeout)
        await settling.settled()
        while task.isRunning, ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(1))
            await settling.settled()
        }
        guard task.isRunning else { return }
        reportIssue(
            """
            The effects of this action are still running after \(timeout).

            Advance the clock that they sleep by, or 'cancel()' the task when they go on until \
            they are cancelled.
            """,
            at: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    /// True if the effects were cancelled through this handle, or if the action started none.
    public var isCancelled: Bool { task.isCancelled }
}
