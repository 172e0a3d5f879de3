import Synchronization

/// Messages that are kept until a reader has received them.
final class NoticeBoard<Content: Sendable>: Sendable {
    private struct Notice {
        var content: Content
        var onRead: @Sendable () -> Void
    }

    private struct State {
        var unread: [Notice] = []
        var readers: [Int: AsyncStream<Content>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// - Parameter onRead: called once a reader has received the message.
    func put(_ content: Content, onRead: @escaping @Sendable () -> Void = {}) {
        let readers = state.withLock { state in
            if state.readers.isEmpty {
                state.unread.append(Notice(content: content, onRead: onRead))
            }
            return Array(state.readers.values)
        }
        // Readers are resumed outside the lock, as in `Broadcast`.
        for reader in readers { reader.yield(content) }
        if !readers.isEmpty { onRead() }
    }

    /// Returns a stream that begins with the unread messages. After `finish` it is empty, and they
    /// stay unread.
    func stream() -> AsyncStream<Content> {
        let (stream, reader) = AsyncStream.makeStream(
            of: Content.self, bufferingPolicy: .bufferingNewest(1_000))
        let (id, unread) = state.withLock { state in
            state.next += 1
            guard !state.isFinished else {
                reader.finish()
                return (state.next, [Notice]())
            }
            state.readers[state.next] = reader
            defer { state.unread = [] }
            return (state.next, state.unread)
        }
        for notice in unread {
            reader.yield(notice.content)
            notice.onRead()
        }
        reader.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
        }
        return stream
    }

    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
