/// Does work in a child task, whose memory goes when it has ended.
///
/// A task keeps the memory of its deepest call until its own end. Tasks that wait as long as a
/// session lives leave deep calls to a child, which saves the session tens of kilobytes.
func inChildTask<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws
    -> Value
{
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await work() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
