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
    private let pageUser: @Sendable (Request) async -> UserID?

    /// - Parameters:
    ///   - perAddress: returns the requests a minute; 0 for no limit.
    ///   - pageUser: returns the user of a page's request; nil for other requests.
    init(
        perAddress: @escaping @Sendable () -> Int,
        pageUser: @escaping @Sendable (Request) async -> UserID?,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        addresses = RateLimiter(changingPerMinute: perAddress, now: now)
        networks = RateLimiter(
            changingPerMinute: { perAddress() * Self.addressesPerNetwork }, now: now)
        // One person may make all requests of an address, so users get the limit of an address.
        users = RateLimiter(changingPerMinute: perAddress, now: now)
        self.pageUser = pageUser
    }

    /// Throws `rateLimited` beyond a limit. A request of `LastResort` instead continues with the
    /// refusal in its context.
    func check(
        _ request: Request, _ context: LifeSignalContext
    ) async throws(CommandError) -> LifeSignalContext {
        guard !context.isInProcess else { return context }
        if let user = await pageUser(request) {
            try users.take(user)
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
