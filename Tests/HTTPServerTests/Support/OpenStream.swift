import Domain
import Foundation
import Hummingbird
import NIOCore
import NIOEmbedded
import SchemaValidation
import Synchronization
import Testing

@testable import HTTPServer

struct Frame: Equatable, Sendable {
    var id: Int64?
    var event: String?
    var data: String?
    var isComment: Bool { event == nil && data == nil }
}

/// A client with an open event stream. A test waits for its frames instead of sleeping.
final class OpenStream: Sendable {
    let answer: Answer
    let channel: NIOAsyncTestingChannel
    private let writer: GatedWriter
    private let running: Task<Void, any Error>

    /// - Parameter whenSeen: runs actions once a page has confirmed what it shows. Only for the web
    ///   app's streams.
    init(
        _ server: TestServer, _ person: Person, lastEventID: String? = nil,
        whenSeen: LifeSignalContext.WhenSeen? = nil
    ) async throws {
        channel = try server.channel()
        let headers = lastEventID.map { ["Last-Event-ID": $0] } ?? [:]
        let response = try await server.respond(
            try server.request("GET", "/v1/events", token: person.token, headers: headers),
            whenSeen.map {
                LifeSignalContext(
                    inProcessFor: "192.0.2.1", requestID: "1", logger: LogBook().logger,
                    whenSeen: $0)
            } ?? server.context(on: channel)
        )
        let writer = GatedWriter()
        self.writer = writer
        let isOpen = response.status == .ok
        answer = Answer(status: response.status.code, headers: response.headers, body: Data())
        running = Task {
            defer { writer.end() }
            if isOpen { try await response.body.write(writer) }
        }
    }

    deinit { running.cancel() }

    /// Returns the next frame; nil if the stream has ended.
    func next() async -> Frame? { await writer.next() }

    func frames(_ count: Int) async -> [Frame] {
        var frames: [Frame] = []
        while frames.count < count, let frame = await next() { frames.append(frame) }
        return frames
    }

    func rest() async -> [Frame] {
        var frames: [Frame] = []
        while let frame = await next() { frames.append(frame) }
        return frames
    }

    func stopReading() { writer.gate.close() }
    func goOnReading() { writer.gate.open() }
    /// Waits until a write is blocked because the client does not read.
    func isStuck() async { await writer.gate.someoneWaits() }

    func end() async throws {
        running.cancel()
        _ = await running.result
    }
}

/// Makes `pass` wait while the gate is closed.
final class Gate: Sendable {
    private struct State {
        var isOpen = true
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func close() { state.withLock { $0.isOpen = false } }

    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let watchers = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
                guard !state.isOpen else { return nil }
                state.waiting.append(continuation)
                defer { state.watchers = [] }
                return state.watchers
            }
            guard let watchers else { return continuation.resume() }
            for watcher in watchers { watcher.resume() }
        }
    }

    func someoneWaits() async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                if state.waiting.isEmpty { state.watchers.append(continuation) }
                return !state.waiting.isEmpty
            }
            if isWaiting { continuation.resume() }
        }
    }
}

private struct GatedWriter: ResponseBodyWriter {
    let gate = Gate()
    private let frames: AsyncStream<Frame>
    private let continuation: AsyncStream<Frame>.Continuation
    private let reader: Reader

    /// Unchecked, because a test reads the frames sequentially.
    private final class Reader: @unchecked Sendable {
        var iterator: AsyncStream<Frame>.Iterator
        init(_ frames: AsyncStream<Frame>) { iterator = frames.makeAsyncIterator() }
    }

    init() {
        (frames, continuation) = AsyncStream.makeStream()
        reader = Reader(frames)
    }

    func next() async -> Frame? { await reader.iterator.next() }
    func end() { continuation.finish() }

    func write(_ buffer: ByteBuffer) async throws {
        await gate.pass()
        for block in String(buffer: buffer).components(separatedBy: "\n\n").dropLast() {
            continuation.yield(Frame(block))
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { continuation.finish() }
}

extension Frame {
    init(_ block: String) {
        for line in block.split(separator: "\n") {
            if line.hasPrefix("id: ") { id = Int64(line.dropFirst(4)) }
            if line.hasPrefix("event: ") { event = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
        }
    }
}
