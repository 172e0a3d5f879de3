/// Runs work in a child task, whose memory is freed when the child ends.
///
/// A task keeps the memory of its deepest call until the task ends. Long-lived tasks, such as those
/// of sessions and connections, therefore make deep calls in a child task, which saves tens of
/// kilobytes for each.
@inlinable
public func inChildTask<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await work() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
