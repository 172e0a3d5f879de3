import API
import Domain
import Foundation
import QRCode
import Synchronization

/// Limits the work on users' pictures, which is the most expensive work of a request: each user may
/// have one picture in progress, and a limited number of pictures per minute.
struct PictureIntake: Sendable {
    /// The maximum number of pictures per minute of one user.
    static let perMinute = 20

    let work: PictureWork
    let bodies: LargeBodies
    private let isLimited: Bool
    private let limiter: RateLimiter<UserID>
    private let busy = Busy()

    private final class Busy: Sendable {
        let users = Mutex<Set<UserID>>([])
    }

    /// - Parameter perMinute: the maximum of one user. 0 means no limit, neither on this number nor
    ///   on concurrent pictures.
    init(
        work: PictureWork, bodies: LargeBodies, perMinute: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.work = work
        self.bodies = bodies
        isLimited = perMinute > 0
        limiter = RateLimiter(perMinute: perMinute, now: now)
    }

    /// Reads the picture in a request and works on it. Before it reads anything, it throws
    /// `rateLimited` if the user has another picture in progress or has sent too many, and
    /// `LargeBodies.Full` if too little memory is left.
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
            // The web app's sessions have already counted their pictures in `LargeBodies`.
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
