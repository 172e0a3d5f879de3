import Domain
import Hummingbird

/// How many requests are taken before anything else is looked at: of an address, of an IPv6 /48,
/// and of a user whose page is open.
struct RequestLimits: Sendable {
    /// A /48 has as much as this many addresses, as with sign-in codes.
    private static let addressesPerNetwork = 5

    private let addresses: RateLimiter<String>
    private let networks: RateLimiter<String>
    private let users: RateLimiter<UserID>
    private let trustsProxy: Bool
    private let pageUser: @Sendable (Request) async -> UserID?

    /// - Parameters:
    ///   - perAddress: a minute; 0 for no limit.
    ///   - pageUser: the user of a page's request; nil for every other request.
    init(
        perAddress: Int, trustsProxy: Bool,
        pageUser: @escaping @Sendable (Request) async -> UserID?,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        addresses = RateLimiter(perMinute: perAddress, now: now)
        networks = RateLimiter(perMinute: perAddress * Self.addressesPerNetwork, now: now)
        // One person may be all that asks from an address.
        users = RateLimiter(perMinute: perAddress, now: now)
        self.trustsProxy = trustsProxy
        self.pageUser = pageUser
    }

    /// Throws `rateLimited` for who asks too often; the requests of `LastResort` go on with the
    /// refusal.
    func check(
        _ request: Request, _ context: LifeSignalContext
    ) async throws(CommandError) -> LifeSignalContext {
        guard !context.isInProcess else { return context }
        if let user = await pageUser(request) {
            try users.take(user)
            return context
        }
        let address = NetworkAddress(context.address(of: request, trustsProxy: trustsProxy))
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
