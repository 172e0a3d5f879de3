import API
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TaskWork
import Testing

@testable import HTTPServer

@Suite struct LoopBoundChannelTests {
    private struct Connection: ServerChildChannelValue { let channel: any Channel }

    private struct Handling: ServerChildChannel {
        let work: @Sendable (any EventLoop) async -> Void

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
            channel.eventLoop.makeSucceededFuture(Connection(channel: channel))
        }

        func handle(value: Connection, logger: Logger) async {
            await work(value.channel.eventLoop)
        }
    }

    /// Whether each step ran on the event loop.
    private final class Steps: Sendable {
        private let kept = Mutex<[Bool]>([])
        var all: [Bool] { kept.withLock { $0 } }
        func add(_ isOnLoop: Bool) { kept.withLock { $0.append(isOnLoop) } }
    }

    /// Notes whether it is encoded on an event loop.
    private struct Row: Payload {
        static let schema = Schema.none
        let steps: Steps?

        init(steps: Steps) { self.steps = steps }

        init(from decoder: any Decoder) throws { steps = nil }

        func encode(to encoder: any Encoder) throws {
            steps?.add(MultiThreadedEventLoopGroup.currentEventLoop != nil)
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }
    }

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs `work` as the task of a connection.
    private func handle(
        _ work: @escaping @Sendable (any EventLoop, LifeSignalContext) async -> Void
    ) async throws {
        let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let context = LifeSignalContext(
            source: ApplicationRequestContextSource(channel: channel, logger: logger))
        let bound = LoopBoundChannel(base: Handling { await work($0, context) })
        await bound.handle(value: Connection(channel: channel), logger: logger)
        try await channel.close()
    }

    @Test func longWorkLeavesTheLoopAndComesBack() async throws {
        let steps = Steps()
        try await handle { loop, context in
            steps.add(loop.inEventLoop)
            let isOnLoop = await withTaskExecutorPreference(context.longWork) { loop.inEventLoop }
            steps.add(isOnLoop)
            await Task.yield()
            steps.add(loop.inEventLoop)
        }
        #expect(steps.all == [true, false, true])
    }

    @Test(arguments: [(50, true), (51, false)])
    func longListIsEncodedOffTheLoop(count: Int, isOnLoop: Bool) async throws {
        let steps = Steps()
        try await handle { _, context in
            let list = List(items: (0..<count).map { _ in Row(steps: steps) })
            _ = try? await RouteBuilder.answer(list, 200, in: context)
        }
        #expect(steps.all == Array(repeating: isOnLoop, count: count))
    }

    @Test func childTasksStayOnTheLoop() async throws {
        let steps = Steps()
        try await handle { loop, _ in
            let isOnLoop = try? await inChildTask { loop.inEventLoop }
            steps.add(isOnLoop ?? false)
        }
        #expect(steps.all == [true])
    }

    @Test func requestsOfThisProcessStayOnTheirThreads() {
        let context = LifeSignalContext(inProcessFor: "192.0.2.1", requestID: "1", logger: logger)
        #expect(context.longWork == nil)
    }
}
