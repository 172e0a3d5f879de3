import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Passes a body from a writer to one reader. The writer waits while `room` or more bytes are
/// unread.
final class BodyPipe: Sendable {
    static let room = 64 * 1024

    /// The error for a writer whose reader has gone.
    struct Closed: Error {}

    private struct State {
        var chunks: [Data] = []
        var size = 0
        var isClosed = false
        var isFinished = false
        var error: (any Error)?
        var reader: CheckedContinuation<Data?, any Error>?
        var writer: CheckedContinuation<Void, any Error>?
    }

    private let state = Mutex(State())

    var waiting: Int { state.withLock { $0.size } }
    var isHeldBack: Bool { state.withLock { $0.writer != nil } }

    func write(_ data: Data) async throws {
        try await withTaskCancellationHandler {
            let (reader, mustWait) = try state.withLock {
                state -> (CheckedContinuation<Data?, any Error>?, Bool) in
                guard !state.isClosed else { throw Closed() }
                if let reader = state.reader.take() { return (reader, false) }
                state.chunks.append(data)
                state.size += data.count
                return (nil, state.size >= Self.room)
            }
            reader?.resume(returning: data)
            if mustWait { try await waitForRoom() }
        } onCancel: {
            close()
        }
    }

    private func waitForRoom() async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            let known = state.withLock { state -> Result<Void, any Error>? in
                if state.isClosed { return .failure(Closed()) }
                if state.size < Self.room { return .success(()) }
                state.writer = continuation
                return nil
            }
            if let known { continuation.resume(with: known) }
        }
    }

    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            let (known, writer) = state.withLock {
                state -> (Result<Data?, any Error>?, CheckedContinuation<Void, any Error>?) in
                if !state.chunks.isEmpty {
                    let chunk = state.chunks.removeFirst()
                    state.size -= chunk.count
                    return (.success(chunk), state.size < Self.room ? state.writer.take() : nil)
                }
                if state.isClosed { return (.failure(CancellationError()), nil) }
                if state.isFinished {
                    return (state.error.map { .failure($0) } ?? .success(nil), nil)
                }
                state.reader = continuation
                return (nil, nil)
            }
            writer?.resume()
            if let known { continuation.resume(with: known) }
        }
    }

    /// Ends the body. The error tells the reader that writing has failed.
    func finish(_ error: (any Error)?) {
        let reader = state.withLock { state in
            guard !state.isFinished else { return nil as CheckedContinuation<Data?, any Error>? }
            (state.isFinished, state.error) = (true, error)
            return state.reader.take()
        }
        if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    }

    /// Closes the pipe from the reader's side.
    func close() {
        let (reader, writer) = state.withLock { state in
            state.isClosed = true
            (state.chunks, state.size) = ([], 0)
            return (state.reader.take(), state.writer.take())
        }
        reader?.resume(throwing: CancellationError())
        writer?.resume(throwing: Closed())
    }

    struct Writer: ResponseBodyWriter {
        let pipe: BodyPipe

        func write(_ buffer: ByteBuffer) async throws {
            try await pipe.write(Data(buffer.readableBytesView))
        }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { pipe.finish(nil) }
    }

    /// The only owner of a body. Deallocating or cancelling the reader cancels the writer.
    final class Reader: Sendable {
        private let pipe = BodyPipe()
        private let writing: Task<Void, Never>

        init(_ write: (BodyPipe) -> Task<Void, Never>) { writing = write(pipe) }
        deinit { end() }

        private func end() {
            writing.cancel()
            pipe.close()
        }

        func next() async throws -> Data? {
            try await withTaskCancellationHandler(
                operation: { try await pipe.next() }, onCancel: { end() })
        }
    }
}

final class CollectedBody: ResponseBodyWriter {
    private let collected = Mutex(Data())

    var bytes: Data { collected.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws {
        collected.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
