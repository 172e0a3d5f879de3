/// Runs work in a child task, whose memory is freed when it ends.
///
/// A task keeps the memory of its deepest call until the task ends. So tasks that live as long as a
/// session make their deep calls in a child task, which saves tens of kilobytes per session.
func inChildTask<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws
    -> Value
{
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await work() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
