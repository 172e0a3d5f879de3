import HTTPTypes
import Hummingbird
import Synchronization

/// Limits the memory for the bodies of pictures, in total and for each holder. A slow sender holds
/// its memory for minutes.
public final class LargeBodies: Sendable {
    /// Bodies up to this size, in bytes, are not counted.
    public let smallBody = 64 * 1024

    private struct State {
        var free: Int
        var shares: [String: Int] = [:]
    }

    private let share: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limit: the total, in bytes.
    ///   - share: the maximum for one holder, in bytes. A picture of the largest size fits.
    public init(limit: Int = 64_000_000, share: Int = 8_000_000) {
        self.share = share
        state = Mutex(State(free: limit))
    }

    /// Reserves memory. Returns false if the total or the holder's share would be exceeded.
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

    /// Reserves memory while `work` reads a body of at most `limit` bytes. Throws `Full` if too
    /// little memory is left.
    func hold<Value>(
        _ request: Request, limit: Int, for holder: String, _ work: () async throws -> Value
    ) async throws -> Value {
        // The length of a chunked body is unknown before its end.
        let length = request.headers[.contentLength].flatMap { Int($0) }
        let bytes =
            request.headers[.transferEncoding] == nil ? min(length ?? limit, limit) : limit
        // `work` refuses such a large Content-Length without reading the body.
        guard bytes > smallBody, length ?? 0 <= limit else { return try await work() }
        guard take(bytes, for: holder) else { throw Full() }
        defer { giveBack(bytes, of: holder) }
        return try await work()
    }

    /// Too little memory is left. The client gets a 503 with `Retry-After`.
    public struct Full: Error {
        /// In seconds.
        static let retryAfter = 5
        static let words = "Too many pictures at the moment. Please try again."

        public init() {}
    }
}
