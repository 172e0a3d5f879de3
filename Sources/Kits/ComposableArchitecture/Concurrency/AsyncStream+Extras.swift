extension AsyncStream {
    /// A stream that yields nothing and ends when its task is cancelled.
    public static var never: Self { Self { _ in } }

    /// A stream that has ended without a value.
    public static var finished: Self { Self { $0.finish() } }
}
