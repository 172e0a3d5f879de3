struct Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func open() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}

/// Yields until `condition` returns true, but at most a million times.
func eventually(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async {
    for _ in 0..<1_000_000 where !condition() { await Task.yield() }
}
