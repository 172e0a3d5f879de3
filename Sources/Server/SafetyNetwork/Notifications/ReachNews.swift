import Domain
import Foundation
import Persistence
import Synchronization

/// Tells the people who rely on a person when that person's reachability changes: their pages
/// reload the contact, and a message tells of the loss of the last channel. Changes are batched,
/// because turning a device on and off must not cost 200 contacts an event each time.
///
/// If a crash of the server loses a change, it is announced with the person's next change. Pages
/// that are opened in between are correct.
public final class ReachNews: Sendable {
    private struct Told: Sendable {
        var reachability: Reachability
        var time: Date
    }

    private struct State {
        var waiting: Set<UserID> = []
        var told: [UserID: Told] = [:]
        /// Endpoints that began to fail before this time have been checked.
        var failuresUntil: Date?
    }

    /// The time between two checks of one person.
    static let pause: Duration = .seconds(30)
    private static let pauseBetweenPasses: Duration = .minutes(1)
    /// The number of people to remember. Forgetting one costs one needless event.
    private static let memory = 10_000

    private let state = Mutex(State())

    public init() {}

    /// Called after each commit. Returns true if the commit may have changed anyone's reachability.
    public func note(_ outbox: Outbox) -> Bool {
        guard !outbox.changedReach.isEmpty else { return false }
        state.withLock { $0.waiting.formUnion(outbox.changedReach) }
        return true
    }

    /// Announces the changes that are due. Returns when the next pass is due.
    public func pass(_ network: SafetyNetwork) async throws -> Date {
        let now = network.now()
        let failing = try await peopleWhoseEndpointsFail(network, at: now)
        let due = state.withLock { state in
            state.waiting.formUnion(failing)
            return state.waiting.filter { person in
                state.told[person].map { $0.time.adding(Self.pause) <= now } ?? true
            }
        }
        for person in due.sorted() {
            let known = state.withLock { state in
                // Removed before the check, so that a change during the check causes another one.
                state.waiting.remove(person)
                return state.told[person]?.reachability
            }
            do {
                let present = try await network.reach.tellReach(of: person, unless: known)
                state.withLock { state in
                    if state.told.count >= Self.memory { state.told = [:] }
                    state.told[person] = present.map { Told(reachability: $0, time: now) }
                }
            } catch {
                state.withLock { _ = $0.waiting.insert(person) }
                throw error
            }
        }
        let next = state.withLock { state in
            state.waiting.map { state.told[$0]?.time.adding(Self.pause) ?? now }.min()
        }
        return min(next ?? .distantFuture, now.adding(Self.pauseBetweenPasses))
    }

    /// Returns people with an endpoint that has now failed long enough to count as unreachable, but
    /// hadn't at the last check.
    private func peopleWhoseEndpointsFail(
        _ network: SafetyNetwork, at now: Date
    ) async throws -> Set<UserID> {
        guard try await network.isResponsible(for: .deviceTests) else { return [] }
        let end = now.adding(.zero - ReachabilityRules.failsAfter)
        let start =
            state.withLock { $0.failuresUntil } ?? end.adding(.zero - Self.pauseBetweenPasses)
        guard start < end else { return [] }
        let people = try await network.database.read {
            try $0.people(failingSinceAfter: start, until: end)
        }
        state.withLock { $0.failuresUntil = end }
        return people
    }
}
