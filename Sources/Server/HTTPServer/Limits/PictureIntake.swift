import API
import Domain
import Foundation
import QRCode
import Synchronization

/// Limits the work on pictures, which is the most expensive work of a request. Each user may have
/// one picture in progress and a limited number of pictures per minute.
struct PictureIntake: Sendable {
    static let perMinute = 20

    let work: PictureWork
    let bodies: LargeBodies
    private let isLimited: Bool
    private let limiter: RateLimiter<UserID>
    private let busy = Busy()

    private final class Busy: Sendable {
        let users = Mutex<Set<UserID>>([])
    }

    /// - Parameter perMinute: the maximum per user. 0 removes this limit and the limit on
    ///   concurrent pictures.
    init(
        work: PictureWork, bodies: LargeBodies, perMinute: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.work = work
        self.bodies = bodies
        isLimited = perMinute > 0
        limiter = RateLimiter(perMinute: perMinute, now: now)
    }

    /// Reads and handles the picture in a request. Throws before reading: `rateLimited` if the user
    /// has another picture in progress or has sent too many, `LargeBodies.Full` if memory is short.
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
            // The web app has already counted its pictures in `LargeBodies`.
            guard !call.context.isInProcess else { return try await read() }
            return try await bodies.hold(
                call.request, limit: Endpoint.pictureLimit, for: user.description, read)
        }
    }

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
