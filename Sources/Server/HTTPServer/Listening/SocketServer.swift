import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Serves HTTP on a listening socket of the service manager, which Hummingbird can't. The socket
/// outlives this process, so connections wait in its queue while the program restarts.
struct SocketServer<Responder: HTTPResponder>: Service
where Responder.Context == LifeSignalContext {
    typealias Respond = HTTPChannelHandler.Responder

    /// The maximum number of waiting connections.
    private static var backlog: Int32 { 1_024 }
    /// NIO sets up a connection in four steps, alternately on its event loop and the server's.
    private static var setUpSteps: Int { 5 }

    /// The descriptor, which this server closes at its end.
    let socket: Int32
    let responder: Responder
    /// Returns what handles each connection.
    let handling: @Sendable (@escaping Respond) -> any ServerChildChannel
    /// The maximum number of open connections; nil for no limit.
    let mostConnections: Int?
    let onRunning: @Sendable (Int) async -> Void
    let logger: Logger
    private let dates = HTTPDates()

    init(
        on socket: Int32, _ responder: Responder, mostConnections: Int?, logger: Logger,
        handling: @escaping @Sendable (@escaping Respond) -> any ServerChildChannel,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) {
        self.socket = socket
        self.responder = responder
        self.mostConnections = mostConnections
        self.logger = logger
        self.handling = handling
        self.onRunning = onRunning
    }

    func run() async throws {
        let answer: Respond = {
            (request: Request, writer: consuming ResponseWriter, channel: any Channel) in
            try await respond(to: request, writer, on: channel)
        }
        try await serve(handling(answer))
    }

    // MARK: Requests

    /// Answers as Hummingbird's `Application` does.
    private func respond(
        to request: Request, _ writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        var logger = logger
        logger[metadataKey: LifeSignalContext.requestIDKey] = "\(RequestID())"
        let source = ApplicationRequestContextSource(channel: channel, logger: logger)
        let context = LifeSignalContext(source: source)
        var response: Response
        do {
            response = try await responder.respond(to: request, context: context)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            response = Response(status: .internalServerError)
        }
        response.headers[.date] = dates.text(Date())
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
            // A parser's error would cause a second response.
            throw UnreadableBody()
        }
    }

    private struct UnreadableBody: Error {}

    // MARK: Connections

    private func serve<Handling: ServerChildChannel>(_ handling: Handling) async throws {
        let (logger, mostConnections) = (logger, mostConnections)
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(AcceptGate())
                    if let mostConnections {
                        try pipeline.addHandler(
                            AvailableConnectionsChannelHandler(maxConnections: mostConnections))
                    }
                }
            }
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .bind(socket) { channel in handling.setup(channel: channel, logger: logger) }
        // NIO has set a shorter queue.
        _ = listen(socket, Self.backlog)
        await onRunning(server.channel.localAddress?.port ?? 0)
        let connections = OpenConnections()
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { tasks in
                do {
                    try await server.executeThenClose { inbound in
                        for try await value in inbound {
                            tasks.addTask {
                                connections.add(value.channel)
                                await handling.handle(value: value, logger: logger)
                                connections.remove(value.channel)
                            }
                        }
                    }
                } catch {
                    logger.error(
                        "the server accepts no more connections", metadata: ["reason": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            Task { await Self.stop(server.channel, connections, group) }
        }
    }

    /// Stops accepting. Finishes connections that are open or being accepted.
    private static func stop(
        _ server: any Channel, _ connections: OpenConnections, _ group: any EventLoopGroup
    ) async {
        try? await server.triggerUserOutboundEvent(AcceptGate.Order.shut)
        try? await server.setOption(ChannelOptions.autoRead, value: false)
        // NIO drops a connection whose set-up ends after the server's channel has closed.
        for _ in 0..<Self.setUpSteps {
            for loop in group.makeIterator() { try? await loop.submit {}.get() }
        }
        connections.stop()
        try? await server.close()
    }
}

/// Lets the queue keep connections for the next process.
private final class AcceptGate: ChannelOutboundHandler {
    typealias OutboundIn = Never
    enum Order: Sendable { case shut }

    private var isOpen = true

    func read(context: ChannelHandlerContext) { if isOpen { context.read() } }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is Order else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        isOpen = false
        promise?.succeed(())
    }
}

/// The connections that a stop has to finish.
private final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isStopping = false
    }

    private let state = Mutex(State())

    func add(_ channel: any Channel) {
        let isStopping = state.withLock { state -> Bool in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.isStopping
        }
        if isStopping { Self.finish(channel) }
    }

    func remove(_ channel: any Channel) {
        state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
    }

    func stop() {
        let channels = state.withLock { state -> [any Channel] in
            state.isStopping = true
            return Array(state.channels.values)
        }
        for channel in channels { Self.finish(channel) }
    }

    private static func finish(_ channel: any Channel) {
        channel.eventLoop.execute {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }
}

/// Formats the time for the `Date` header (RFC 9110), once a second.
final class HTTPDates: Sendable {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private struct Last {
        var second: Int
        var text: String
    }

    private let last = Mutex<Last?>(nil)

    func text(_ date: Date) -> String {
        let second = Int(date.timeIntervalSince1970.rounded(.down))
        return last.withLock { last in
            if let last, last.second == second { return last.text }
            let text = Self.format(second)
            last = Last(second: second, text: text)
            return text
        }
    }

    private static func format(_ second: Int) -> String {
        var (time, parts) = (time_t(second), tm())
        gmtime_r(&time, &parts)
        func padded(_ number: Int32, _ width: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded($0) }
        return "\(days[Int(parts.tm_wday)]), \(padded(parts.tm_mday)) "
            + "\(months[Int(parts.tm_mon)]) \(padded(parts.tm_year + 1_900, 4)) "
            + "\(clock.joined(separator: ":")) GMT"
    }
}
