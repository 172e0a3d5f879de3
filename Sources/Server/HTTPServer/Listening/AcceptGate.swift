import Foundation
import Logging
import NIOCore

/// Controls when a listening socket accepts connections.
///
/// Pauses while few file descriptors are free: without any, libdispatch ends the process, and NIO
/// tries to accept again without end. Shut, leaves the waiting connections to the next process.
final class AcceptGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never
    enum Order: Sendable { case shut }

    /// How many descriptors a socket leaves free.
    enum Reserve: Int {
        case people = 24
        /// For health, metrics and commands, which are needed most during a shortage.
        case operators = 12
    }

    static let pause: TimeAmount = .milliseconds(100)
    /// The errors that last until something is freed.
    private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let hasRoom: () -> Bool
    private let logger: Logger
    private let logLimit = LogLimit()
    private var isShut = false
    private var isWaiting = false

    /// - Parameter hasRoom: whether descriptors are free for a few connections.
    init(logger: Logger, hasRoom: @escaping () -> Bool) {
        self.logger = logger
        self.hasRoom = hasRoom
    }

    convenience init(_ reserve: Reserve, logger: Logger) {
        self.init(logger: logger, hasRoom: { Descriptors.areFree(above: reserve.rawValue) })
    }

    func read(context: ChannelHandlerContext) {
        guard !isShut, !isWaiting else { return }
        guard !hasRoom() else { return context.read() }
        report("too few file descriptors are free")
        isWaiting = true
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isWaiting = false
            self.read(context: context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError else { return context.fireErrorCaught(error) }
        // The client has left. Any error that is passed on ends the accepting.
        guard failure.errnoCode != ECONNABORTED else { return }
        guard Self.shortages.contains(failure.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        report("\(failure)")
        let channel = context.channel
        // While a read is pending, NIO watches the socket, unless `autoRead` is off.
        try? channel.syncOptions?.setOption(ChannelOptions.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            guard !self.isShut else { return }
            try? channel.syncOptions?.setOption(ChannelOptions.autoRead, value: true)
        }
    }

    private func report(_ reason: String) {
        guard logLimit.admit("shortage") != nil else { return }
        logger.error(
            "the server accepts no connections for now", metadata: ["reason": "\(reason)"])
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is Order else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        isShut = true
        promise?.succeed(())
    }
}

/// The file descriptors of this process.
enum Descriptors {
    #if canImport(Glibc)
    private static var openFiles: __rlimit_resource_t { .init(RLIMIT_NOFILE.rawValue) }
    #else
    private static var openFiles: Int32 { RLIMIT_NOFILE }
    #endif

    /// The most connections that NIO accepts between two checks.
    private static let batch = 4

    /// Returns whether a batch of connections leaves the last `reserve` descriptors free that the
    /// process may use.
    ///
    /// The system gives the lowest free descriptors, so this opens as many as a batch takes. The
    /// first alone may be a gap that a closed connection has left between used ones.
    static func areFree(above reserve: Int) -> Bool {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return true }
        let bound = Int(clamping: limit.rlim_cur) - reserve
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        while opened.count < batch {
            let lowest = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard lowest >= 0 else { return errno != EMFILE && errno != ENFILE }
            opened.append(lowest)
            guard Int(lowest) < bound else { return false }
        }
        return true
    }
}
