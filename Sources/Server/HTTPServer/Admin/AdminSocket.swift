import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// The route of the local socket. It has a router of its own, so that no request from the network
/// can reach it.
enum AdminRoutes {
    static let otherUser = CommandError.permissionDenied(AdminSocket.otherUser)
    /// In bytes. An import has years of check-ins.
    private static let bodyLimit = 64 * 1024 * 1024

    /// - Parameter peer: returns the user at the other end of the socket; nil if the system doesn't
    ///   say it, and the permissions of the socket alone decide.
    static func router(
        _ desk: AdminDesk, owner: UInt32 = UInt32(geteuid()),
        peer: @escaping @Sendable (LifeSignalContext) async throws -> UInt32? = {
            try await $0.socketPeer()
        }
    ) -> Router<LifeSignalContext> {
        let router = Router(context: LifeSignalContext.self)
        router.on(RouterPath(AdminSocket.route), method: .post) { request, context -> Response in
            do {
                let user = try await peer(context) ?? owner
                guard user == owner || user == 0 else { throw otherUser }
                let bytes = try await Call(request: request, context: context).bytes(
                    of: ["application/json"], limit: bodyLimit)
                let answer = await desk.respond(
                    to: bytes, by: LocalUser.name(user), requestID: context.requestID)
                if let detail = answer.internalDetail {
                    context.logger.error(
                        "an administrator's command failed", metadata: ["reason": "\(detail)"])
                }
                return Response(
                    status: .init(code: answer.status),
                    headers: [.contentType: "application/json"],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
            } catch {
                return ProblemResponse.response(
                    ProblemResponse.refusal(for: error, requestID: context.requestID))
            }
        }
        return router
    }
}

/// Listens for `lifesignal admin` on a socket that only the server's user can open. If it can't
/// listen, the server runs without it.
public struct AdminSocket: Service {
    /// The longest path of a socket, in bytes (unix(7)).
    public static let longestPath = 107
    public static let route = "/admin"
    public static let otherUser =
        "Only root and the user who runs the server can administer it: sudo lifesignal admin …"

    private let path: String
    private let desk: AdminDesk
    private let logger: Logger

    public init(at path: String, _ desk: AdminDesk, logger: Logger) {
        self.path = path
        self.desk = desk
        self.logger = logger
    }

    public func run() async throws {
        guard path.utf8.count <= Self.longestPath else {
            logger.warning(
                "there is no admin socket, because its path is too long",
                metadata: ["longest": "\(Self.longestPath)"])
            return try await gracefulShutdown()
        }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let server = SocketServer(
            on: .path(path), AdminRoutes.router(desk).buildResponder(), reserve: .operators,
            logger: quiet, handling: { HTTP1Channel(responder: $0) },
            onRunning: { [path] _ in _ = chmod(path, 0o600) })
        do {
            try await server.run()
            unlink(path)
        } catch let error as CancellationError {
            throw error
        } catch {
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
            logger.error(
                "there is no admin socket: --admin-socket can't be opened",
                metadata: ["path": "\(path)", "reason": "\(reason ?? "\(error)")"])
            try await gracefulShutdown()
        }
    }
}

/// Users of this machine.
public enum LocalUser {
    /// Returns the user's name, or the number of a user without a name.
    public static func name(_ id: UInt32) -> String {
        let size = 16_384
        let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
        defer { buffer.deallocate() }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(uid_t(id), &entry, buffer, size, &found) == 0, found != nil,
            let name = entry.pw_name
        else { return "user \(id)" }
        return String(cString: name)
    }
}
