import HTTPTypes
import Hummingbird
import Synchronization

/// The memory for the bodies of pictures that are in the process at once, whoever sends them. A
/// slow sender holds it for minutes, so each has a share.
public final class LargeBodies: Sendable {
    /// Bodies up to this many bytes are not counted.
    public let smallBody = 64 * 1024

    private struct State {
        var free: Int
        var shares: [String: Int] = [:]
    }

    private let share: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limit: bytes in all.
    ///   - share: bytes of one holder: room for one picture of the largest size.
    public init(limit: Int = 64_000_000, share: Int = 8_000_000) {
        self.share = share
        state = Mutex(State(free: limit))
    }

    /// False when there is not so much left, or the holder has its share.
    public func take(_ bytes: Int, for holder: String) -> Bool {
        state.withLock { state in
            let held = state.shares[holder] ?? 0
            guard bytes <= state.free, held + bytes <= share else { return false }
            state.free -= bytes
            state.shares[holder] = held + bytes
            return true
        }
    }

    public func giveBack(_ bytes: Int, of holder: String) {
        state.withLock { state in
            state.free += bytes
            let held = (state.shares[holder] ?? 0) - bytes
            state.shares[holder] = held > 0 ? held : nil
        }
    }

    /// Runs `work`, which reads a body of at most `limit` bytes. Throws `Full` when there is no
    /// room for it.
    func hold<Value>(
        _ request: Request, limit: Int, for holder: String, _ work: () async throws -> Value
    ) async throws -> Value {
        // A body in pieces tells no length before it ends.
        let length = request.headers[.contentLength].flatMap { Int($0) }
        let bytes =
            request.headers[.transferEncoding] == nil ? min(length ?? limit, limit) : limit
        // One that is announced as too large is refused unread.
        guard bytes > smallBody, length ?? 0 <= limit else { return try await work() }
        guard take(bytes, for: holder) else { throw Full() }
        defer { giveBack(bytes, of: holder) }
        return try await work()
    }

    /// No room at the moment: 503 with `Retry-After`.
    public struct Full: Error {
        /// In seconds.
        static let retryAfter = 5
        static let words = "Too many pictures at the moment. Please try again."

        public init() {}
    }
}
