extension TestStore {
    /// States an action that an effect brings.
    ///
    /// - Parameter nanoseconds: How long to wait for it at most.
    public func receive(
        _ expectedAction: Action,
        timeout nanoseconds: UInt64,
        assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async where Action: Equatable {
        await receive(
            expectedAction, timeout: Duration(nanoseconds: nanoseconds), assert: updateStateToExpectedResult,
            fileID: fileID, filePath: filePath, line: line, column: column
        )
    }

    /// States an action that an effect brings by what it has to be like.
    ///
    /// - Parameter nanoseconds: How long to wait for it at most.
    public func receive(
        _ isMatching: @escaping (_ action: Action) -> Bool,
        timeout nanoseconds: UInt64,
        assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await receive(
            isMatching, timeout: Duration(nanoseconds: nanoseconds), assert: updateStateToExpectedResult,
            fileID: fileID, filePath: filePath, line: line, column: column
        )
    }

    /// States an action that an effect brings by its case.
    ///
    /// - Parameter nanoseconds: How long to wait for it at most.
    public func receive<Value>(
        _ actionCase: CaseKeyPath<Action, Value>,
        timeout nanoseconds: UInt64,
        assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async where Action: CasePathable {
        await receive(
            actionCase, timeout: Duration(nanoseconds: nanoseconds), assert: updateStateToExpectedResult,
            fileID: fileID, filePath: filePath, line: line, column: column
        )
    }

    /// States an action that an effect brings by its case and value.
    ///
    /// - Parameter nanoseconds: How long to wait for it at most.
    public func receive<Value: Equatable>(
        _ actionCase: CaseKeyPath<Action, Value>,
        _ value: Value,
        timeout nanoseconds: UInt64,
        assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async where Action: CasePathable {
        await receive(
            actionCase, value, timeout: Duration(nanoseconds: nanoseconds), assert: updateStateToExpectedResult,
            fileID: fileID, filePath: filePath, line: line, column: column
        )
    }

    /// Waits until all effects have ended, and fails if they do not, or if they brought actions that the test has not received.
    ///
    /// - Parameter nanoseconds: How long to wait at most.
    public func finish(
        timeout nanoseconds: UInt64,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await finish(timeout: Duration(nanoseconds: nanoseconds), fileID: fileID, filePath: filePath, line: line, column: column)
    }
}

extension TestStoreTask {
    /// Waits until the effects have ended, and fails if they do not.
    ///
    /// - Parameter nanoseconds: How long to wait at most.
    public func finish(
        timeout nanoseconds: UInt64,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await finish(timeout: Duration(nanoseconds: nanoseconds), fileID: fileID, filePath: filePath, line: line, column: column)
    }
}

extension Duration {
    /// A duration as the test store's `timeout` has it.
    init(nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }
}
