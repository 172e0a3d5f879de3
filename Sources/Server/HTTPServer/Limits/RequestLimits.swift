import Domain
import Hummingbird

/// The rate limits that apply before all other work. They limit a network address, an IPv6 /48, and
/// the user of an open page.
struct RequestLimits: Sendable {
    /// The limit of a /48, as a multiple of an address's limit. Sign-in codes use the same factor.
    private static let addressesPerNetwork = 5

    private let addresses: RateLimiter<String>
    private let networks: RateLimiter<String>
    private let users: RateLimiter<UserID>
    private let pagesOverLimit: RateLimiter<Caller>
    private let pageCaller: @Sendable (Request) async -> Caller?

    /// - Parameters:
    ///   - perAddress: returns the requests a minute; 0 for no limit.
    ///   - pageCaller: returns the user and session of a page's request; nil for other requests.
    init(
        perAddress: @escaping @Sendable () -> Int,
        pageCaller: @escaping @Sendable (Request) async -> Caller?,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        addresses = RateLimiter(changingPerMinute: perAddress, now: now)
        networks = RateLimiter(
            changingPerMinute: { perAddress() * Self.addressesPerNetwork }, now: now)
        // One person may make all requests of an address, so users get the limit of an address.
        users = RateLimiter(changingPerMinute: perAddress, now: now)
        pagesOverLimit = RateLimiter(perMinute: LastResort.pageRequestsPerMinute, now: now)
        self.pageCaller = pageCaller
    }

    /// Throws `rateLimited` beyond a limit. A request of `LastResort` instead continues, one from
    /// outside of a page with the refusal in its context.
    func check(
        _ request: Request, _ context: LifeSignalContext
    ) async throws(CommandError) -> LifeSignalContext {
        guard !context.isInProcess else { return context }
        if let caller = await pageCaller(request) {
            do throws(CommandError) {
                try users.take(caller.userID)
            } catch {
                guard LastResort.includes(page: request) else { throw error }
                try pagesOverLimit.take(caller)
            }
            return context
        }
        let address = NetworkAddress(context.address)
        do throws(CommandError) {
            try addresses.take(address.key)
            if let network = address.network { try networks.take(network) }
            return context
        } catch {
            guard LastResort.includes(request) else { throw error }
            return context.refused(error)
        }
    }
}
