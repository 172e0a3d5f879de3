import API
import Domain
import Foundation
import QRCode
import Synchronization

/// The pictures of users on their way through the server. Working on them is what a request can
/// cost most, so a user has one at a time and only so many a minute.
struct PictureIntake: Sendable {
    /// Of one user.
    static let perMinute = 20

    let work: PictureWork
    let bodies: LargeBodies
    private let isLimited: Bool
    private let limiter: RateLimiter<UserID>
    private let busy = Busy()

    private final class Busy: Sendable {
        let users = Mutex<Set<UserID>>([])
    }

    /// - Parameter perMinute: of one user; 0 for no limit, also at a time.
    init(
        work: PictureWork, bodies: LargeBodies, perMinute: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.work = work
        self.bodies = bodies
        isLimited = perMinute > 0
        limiter = RateLimiter(perMinute: perMinute, now: now)
    }

    /// Reads the picture in a request and works on it. Throws `rateLimited` for a user who has
    /// another under way or had too many, and `LargeBodies.Full`, before anything is read.
    func read<Value: Sendable>(
        _ call: SignedInCall, _ handle: @escaping @Sendable (Data) throws -> Value
    ) async throws -> Value {
        let user = call.caller.userID
        return try await alone(user) {
            try limiter.take(user)
            let read: () async throws -> Value = {
                let bytes = try await call.call.bytes(
                    of: ["image/png", "image/jpeg"], limit: Endpoint.pictureLimit)
                return try await work.run { () throws(any Error) in try handle(bytes) }
            }
            // The pictures of the web app are in the memory of its sessions already.
            guard !call.call.context.isInProcess else { return try await read() }
            return try await bodies.hold(
                call.call.request, limit: Endpoint.pictureLimit, for: user.description, read)
        }
    }

    /// Draws a picture for a user.
    func draw<Value: Sendable>(
        for user: UserID, _ draw: @escaping @Sendable () throws(QRCodeError) -> Value
    ) async throws -> Value {
        try await alone(user) { try await work.run(draw) }
    }

    private func alone<Value>(_ user: UserID, _ run: () async throws -> Value) async throws -> Value
    {
        guard isLimited else { return try await run() }
        guard busy.users.withLock({ $0.insert(user).inserted }) else {
            throw CommandError.rateLimited(retryAfter: .seconds(1))
        }
        defer { busy.users.withLock { _ = $0.remove(user) } }
        return try await run()
    }
}
