extension AsyncStream {
    /// A stream that gives nothing and goes on until its task is cancelled.
    public static var never: Self { Self { _ in } }

    /// A stream that gives nothing and is at its end.
    public static var finished: Self { Self { $0.finish() } }
}

extension AsyncThrowingStream where Failure == any Error {
    /// A stream that gives nothing and goes on until its task is cancelled.
    public static var never: Self { Self { _ in } }

    /// A stream that gives nothing and is at its end, which may be an error.
    public static func finished(throwing error: Failure? = nil) -> Self {
        Self { $0.finish(throwing: error) }
    }
}

extension AsyncStream where Element: Sendable {
    /// The elements of a sequence. An error ends the stream.
    public init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
        self.init { continuation in
            let task = Task {
                do {
                    for try await element in sequence {
                        continuation.yield(element)
                    }
                } catch {}
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

extension AsyncThrowingStream where Element: Sendable, Failure == any Error {
    /// The elements of a sequence.
    public init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
        self.init { continuation in
            let task = Task {
                do {
                    for try await element in sequence {
                        continuation.yield(element)
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// The same elements as an `AsyncStream`. An error ends it.
    public func eraseToStream() -> AsyncStream<Element> {
        AsyncStream(self)
    }

    /// The same elements as an `AsyncThrowingStream`.
    public func eraseToThrowingStream() -> AsyncThrowingStream<Element, any Error> {
        AsyncThrowingStream(self)
    }
}
