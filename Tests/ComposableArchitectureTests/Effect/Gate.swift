/// A gate that an effect waits for. The test or another effect opens it.
struct Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func open() { continuation.finish() }

    /// Returns when the gate is open or the task is cancelled.
    func wait() async { for await _ in stream {} }
}

/// Yields until the condition is true, but only a limited number of times.
func eventually(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async {
    for _ in 0..<1_000_000 where !condition() { await Task.yield() }
}
