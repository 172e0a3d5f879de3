import Domain
import Foundation

extension Invariant {
    /// Tries come back after at most ten minutes, and a message about an end may wait ten more.
    private static let patience: Duration = .minutes(45)

    static let allClear: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        for debt in world.hearing.debts {
            let endpoint = debt.place.endpoint
            let edge = Edge(responder: endpoint.person, owner: debt.owner)
            let parted = world.truth.listeners[edge] == nil ? world.hearing.left[edge] : nil
            guard let end = [world.hearing.over[debt.place.alert], parted].compactMap(\.self).min()
            else { continue }
            let since = [
                end, sound, world.runningSince, world.lastTrouble(endpoint) ?? .distantPast,
            ].max()
            guard let since, world.now > since.adding(patience), isReachable(endpoint, world),
                !world.broken.contains(debt.owner), !world.broken.contains(endpoint.person)
            else { continue }
            return "\(endpoint) heard that \(world.name(debt.owner)) needs help, "
                + "and in \(span(world.now, since: end)) nothing of the end"
        }
        return nil
    }

    /// The account and the endpoint still exist.
    private static func isReachable(_ endpoint: Endpoint, _ world: Observation) -> Bool {
        guard let account = world.truth.accounts[endpoint.person] else { return false }
        return endpoint.isSMS || account.endpoints[endpoint.number] != nil
    }
}
