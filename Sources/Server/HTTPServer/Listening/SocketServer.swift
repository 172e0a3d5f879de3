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

/// Where a server listens.
enum ListeningPlace: Sendable {
    case address(String, port: Int)
    /// The path of a Unix socket.
    case path(String)
    /// A socket of the service manager. It outlives this process, so connections wait in its queue
    /// while the program restarts. The server closes the descriptor at its end.
    case inherited(Int32)
}

/// A server can't listen on its address.
public struct ListeningFailure: Error, CustomStringConvertible {
    public var port: Int
    public var reason: IOError

    public var description: String { "the server can't listen on port \(port): \(reason)" }
}

/// Serves HTTP. Hummingbird's `Application` can't use an inherited socket, and it wakes the process
/// each second to format the date.
struct SocketServer<Responder: HTTPResponder>: Service
where Responder.Context == LifeSignalContext {
    typealias Respond = HTTPChannelHandler.Responder

    /// The maximum number of waiting connections.
    private static var backlog: Int32 { 1_024 }
    /// NIO sets up a connection in four steps, alternately on its event loop and the server's.
    private static var setUpSteps: Int { 5 }

    let place: ListeningPlace
    let responder: Responder
    /// Returns what handles each connection.
    let handling: @Sendable (@escaping Respond) -> any ServerChildChannel
    /// The maximum number of open connections; nil for no limit.
    let mostConnections: Int?
    let reserve: AcceptGate.Reserve
    /// Called with the port, or 0 without one, once the server accepts requests.
    let onRunning: @Sendable (Int) async -> Void
    let logger: Logger
    let makeRequestID: @Sendable () -> String
    private let dates = HTTPDates()

    init(
        on place: ListeningPlace, _ responder: Responder, mostConnections: Int? = nil,
        reserve: AcceptGate.Reserve, logger: Logger,
        makeRequestID: @escaping @Sendable () -> String = { LifeSignalContext.newRequestID() },
        handling: @escaping @Sendable (@escaping Respond) -> any ServerChildChannel,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) {
        self.place = place
        self.responder = responder
        self.mostConnections = mostConnections
        self.reserve = reserve
        self.logger = logger
        self.makeRequestID = makeRequestID
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
        logger[metadataKey: LifeSignalContext.requestIDKey] = "\(makeRequestID())"
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
        let (logger, mostConnections, reserve) = (logger, mostConnections, reserve)
        let group = MultiThreadedEventLoopGroup.singleton
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(ChannelOptions.backlog, value: Self.backlog)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(AcceptGate(reserve, logger: logger))
                    if let mostConnections {
                        try pipeline.addHandler(
                            AvailableConnectionsChannelHandler(maxConnections: mostConnections))
                    }
                }
            }
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
        let setUp = { @Sendable (channel: any Channel) in
            handling.setup(channel: channel, logger: logger)
        }
        let server: NIOAsyncChannel<Handling.Value, Never>
        switch place {
        case .address(let host, let port):
            do {
                server = try await bootstrap.bind(
                    host: host, port: port, childChannelInitializer: setUp)
            } catch let error as IOError {
                throw ListeningFailure(port: port, reason: error)
            }
        case .path(let path):
            server = try await bootstrap.bind(
                unixDomainSocketPath: path, cleanupExistingSocketFile: true,
                childChannelInitializer: setUp)
        case .inherited(let socket):
            server = try await bootstrap.bind(socket, childChannelInitializer: setUp)
            // NIO ignores the option for such a socket.
            _ = listen(socket, Self.backlog)
        }
        await onRunning(server.channel.localAddress?.port ?? 0)
        let connections = OpenConnections()
        try await withGracefulShutdownHandler {
            // An error ends the connections, too. The service manager then starts another process,
            // which accepts again.
            try await withThrowingDiscardingTaskGroup { tasks in
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
                } catch is CancellationError {
                    // The whole server ends, and says why.
                } catch {
                    logger.error(
                        "the server accepts no more connections", metadata: ["reason": "\(error)"])
                    throw error
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
        try? await server.setOption(ChannelOptions.autoRead, value: false).get()
        // NIO drops a connection whose set-up ends after the server's channel has closed.
        for _ in 0..<Self.setUpSteps {
            for loop in group.makeIterator() { try? await loop.submit {}.get() }
        }
        connections.stop()
        try? await server.close()
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
