import CustomDump
import IssueReporting

extension TestStore {
    /// Asserts that an effect has sent an action, and how the action changes the state.
    ///
    /// - Parameters:
    ///   - duration: The time limit.
    ///   - updateStateToExpectedResult: Changes the previous state to the expected state. Pass nil
    ///     if the state must stay the same.
    public func receive(
        _ expectedAction: Action,
        timeout duration: Duration? = nil,
        assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async where Action: Equatable {
        await receive(
            Expectation(description: "this action", matches: { $0 == expectedAction }) { received in
                guard let difference = diff(expectedAction, received, format: .proportional) else {
                    return nil
                }
                return "\(difference.indented(by: 4))\n\n(−: expected, +: received)"
            },
            timeout: duration,
            update: updateStateToExpectedResult,
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    /// Asserts that an effect has sent an action that satisfies a predicate.
    public func receive(
        _ isMatching: @escaping (_ action: Action) -> Bool,
        timeout duration: Duration? = nil,
        assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await receive(
            Expectation(description: "an action that meets the condition", matches: isMatching),
            timeout: duration,
            update: updateStateToExpectedResult,
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    /// Asserts that an effect has sent an action in a case: `receive(\.response.success)`.
    public func receive<Value>(
        _ actionCase: CaseKeyPath<Action, Value>,
        timeout duration: Duration? = nil,
        assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async where Action: CasePathable {
        let path = AnyCasePath(actionCase)
        await receive(
            Expectation(
                description: "an action of this case", matches: { path.extract(from: $0) != nil }),
            timeout: duration,
            update: updateStateToExpectedResult,
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    /// Asserts that an effect has sent an action with a case and a value:
    /// `receive(\.response.success, "Hello")`.
    public func receive<Value: Equatable>(
        _ actionCase: CaseKeyPath<Action, Value>,
        _ value: Value,
        timeout duration: Duration? = nil,
        assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async where Action: CasePathable {
        let path = AnyCasePath(actionCase)
        await receive(
            Expectation(
                description: "an action of this case", matches: { path.extract(from: $0) == value }
            ) { received in
                guard let difference = diff(path.embed(value), received, format: .proportional)
                else { return nil }
                return "\(difference.indented(by: 4))\n\n(−: expected, +: received)"
            },
            timeout: duration,
            update: updateStateToExpectedResult,
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    struct Expectation {
        let description: String
        let matches: (Action) -> Bool
        var difference: (Action) -> String? = { _ in nil }
    }

    private func receive(
        _ expectation: Expectation,
        timeout: Duration?,
        update: ((inout State) throws -> Void)?,
        origin: SourceOrigin,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        adopt(isolation)
        let timeout = timeout ?? self.timeout
        await wait(atMost: timeout) {
            exhaustivity == .on
                ? !received.isEmpty : received.contains { expectation.matches($0.action) }
        }
        if exhaustivity == .on, let action = received.first?.action {
            if !expectation.matches(action) {
                report(
                    """
                    The received action is not the expected \
                    one:\n\n\(expectation.difference(action) ?? dumped(action).indented(by: 4))
                    """,
                    origin)
            }
            assertReceived(0, update: update, origin: origin)
        } else if let index = received.firstIndex(where: { expectation.matches($0.action) }) {
            assertReceived(index, update: update, origin: origin)
        } else {
            reportMissing(expectation, timeout: timeout, origin)
        }
        await settling.settled()
    }

    private func reportMissing(
        _ expectation: Expectation, timeout: Duration, _ origin: SourceOrigin
    ) {
        let others = received.isEmpty ? "" : "\n\nReceived were:\n\(listed(received.map(\.action)))"
        guard !core.effects.runningGroups.isEmpty else {
            report(
                """
                The test expects \(expectation.description), but none was received.

                No effect is running that could bring it. It may have been cancelled, or never \
                started.\(others)
                """,
                origin
            )
            return
        }
        report(
            """
            The test expects \(expectation.description), but none was received within \(timeout).

            \(runningAdvice)\(others)
            """,
            origin
        )
    }
}
