/// Something that an effect waits for, until the test or another effect opens it.
struct Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func open() { continuation.finish() }

    /// Returns when it is open, or the task is cancelled.
    func wait() async { for await _ in stream {} }
}

/// Gives way until something is so, and not for ever.
func eventually(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async {
    for _ in 0..<1_000_000 where !condition() { await Task.yield() }
}
