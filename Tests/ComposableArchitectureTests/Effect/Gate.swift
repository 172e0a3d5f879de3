/// Makes an effect wait until the test or another effect opens the gate.
struct Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func open() { continuation.finish() }

    /// Waits until the gate is open or the task is cancelled.
    func wait() async { for await _ in stream {} }
}

/// Yields until `condition` returns true. Gives up after a million yields.
func eventually(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async {
    for _ in 0..<1_000_000 where !condition() { await Task.yield() }
}
