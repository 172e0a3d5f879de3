extension AsyncStream {
    /// A stream that gives nothing and goes on until its task is cancelled.
    public static var never: Self { Self { _ in } }

    /// A stream that gives nothing and is at its end.
    public static var finished: Self { Self { $0.finish() } }
}
