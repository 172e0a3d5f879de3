import Domain
import Synchronization

/// A token bucket for each key. Allows a burst and limits the average.
public final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var time: ContinuousClock.Instant
    }

    private struct State {
        var buckets: [Key: Bucket] = [:]
        var sweptAt: ContinuousClock.Instant
    }

    /// Above this number of keys, the limiter removes full buckets.
    private static var sweepAt: Int { 50_000 }

    private struct Rate {
        var perSecond: Double
        var burst: Double
    }

    private let rate: @Sendable () -> Rate
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    private init(
        rate: @escaping @Sendable () -> Rate,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.rate = rate
        self.now = now
        state = Mutex(State(sweptAt: now()))
    }

    /// - Parameter perMinute: the average; the burst is half of it. 0 means no limit.
    public convenience init(
        perMinute: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.init(changingPerMinute: { perMinute }, now: now)
    }

    /// - Parameters:
    ///   - perMinute: the average. 0 means no limit.
    ///   - burst: at least 1.
    public convenience init(
        perMinute: Int, burst: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        let rate = Rate(perSecond: Double(perMinute) / 60, burst: max(1, Double(burst)))
        self.init(rate: { rate }, now: now)
    }

    /// - Parameter perMinute: returns the average at the moment; see `init(perMinute:now:)`.
    convenience init(
        changingPerMinute perMinute: @escaping @Sendable () -> Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.init(
            rate: {
                let average = Double(perMinute())
                return Rate(perSecond: average / 60, burst: max(1, average / 2))
            }, now: now)
    }

    /// - Parameter perDay: the average and the burst. 0 means no limit.
    public convenience init(
        perDay: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        let rate = Rate(perSecond: Double(perDay) / 86_400, burst: max(1, Double(perDay)))
        self.init(rate: { rate }, now: now)
    }

    /// Takes a token. If none is left, throws `rateLimited` with the time until the next.
    public func take(_ key: Key) throws(CommandError) {
        let rate = self.rate()
        let (perSecond, burst) = (rate.perSecond, rate.burst)
        guard perSecond > 0 else { return }
        let now = now()
        let wait = state.withLock { state -> Duration? in
            if state.buckets.count > Self.sweepAt, state.sweptAt.duration(to: now) > .seconds(1) {
                state.sweptAt = now
                state.buckets = state.buckets.filter {
                    ($0.value.time.duration(to: now) / .seconds(1)) * perSecond + $0.value.tokens
                        < burst
                }
            }
            var bucket = state.buckets[key] ?? Bucket(tokens: burst, time: now)
            bucket.tokens = min(
                burst, bucket.tokens + (bucket.time.duration(to: now) / .seconds(1)) * perSecond)
            bucket.time = now
            defer { state.buckets[key] = bucket }
            guard bucket.tokens >= 1 else { return .seconds((1 - bucket.tokens) / perSecond) }
            bucket.tokens -= 1
            return nil
        }
        if let wait { throw .rateLimited(retryAfter: wait) }
    }
}
