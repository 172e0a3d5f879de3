import Domain
import Foundation
import Persistence
import Synchronization

/// Announces changes of a person's reachability to the people who rely on that person. Their pages
/// reload the contact, and a message tells of the loss of the last channel. The pages of the
/// person's responders reload the contact when the person's devices begin or cease to announce
/// pings. Changes are batched: turning a device off and on must not cost an event for each of 200
/// contacts.
///
/// A crash can lose the announcement of a removed endpoint; the next change of a channel then
/// announces both changes. A page opened in between is correct, because it loads the current state.
/// The failure of a person's last channel isn't lost: the first pass finds it.
///
/// Also passes on that messages about alerts have failed for good, and afterwards that one has
/// arrived.
public final class ReachNews: Sendable {
    private struct Told: Sendable {
        var known: Reach.Known
        var time: Date
        /// True if only checks for pings have found the person unreachable. Such a check announces
        /// no loss, so no contact was told.
        var isUntold = false
    }

    /// An alert that reached no responder at the last check.
    private struct Unheard: Sendable {
        let since: Date
        var nextCheck: Date

        init(since: Date) {
            self.since = since
            nextCheck = since.adding(ReachNews.pauseBetweenArrivals)
        }

        /// Checks become rare, as repeats do: such an alert may stay open for weeks.
        mutating func plan(at now: Date) {
            let pause = min(now.since(since) / 60, ReachNews.pauseBetweenPasses)
            nextCheck = now.adding(max(pause, ReachNews.pauseBetweenArrivals))
        }
    }

    private struct State {
        var waiting: Set<UserID> = []
        /// The people in `waiting` who have only muted or unmuted pings.
        var onlyPings: Set<UserID> = []
        /// The recipients of messages about alerts that may have failed for good.
        var failedMessages: Set<UserID> = []
        var unheard: [AlertKey: Unheard] = [:]
        var told: [UserID: Told] = [:]
        /// Endpoints that began to fail before this time were checked; nil before the first pass.
        var failuresUntil: Date?
    }

    /// The shortest time between two checks of one person.
    static let pause: Duration = .seconds(30)
    private static let pauseBetweenPasses: Duration = .minutes(1)
    /// The shortest time between two checks whether a message about an unheard alert has arrived.
    static let pauseBetweenArrivals: Duration = .seconds(5)
    /// How many people to remember. Forgetting a person costs one needless event, as does each
    /// check without a change on a shared database. Also limits the unheard alerts.
    private static let memory = 10_000
    /// How many people the first pass reads at once, and how many alerts a pass checks.
    private static let page = 500

    private let state = Mutex(State())

    public init() {}

    /// Call this after each commit. Returns true if a pass has work.
    public func note(_ outbox: Outbox) -> Bool {
        guard
            !outbox.changedReach.isEmpty || !outbox.changedPings.isEmpty
                || !outbox.failedMessages.isEmpty
        else { return false }
        state.withLock { state in
            state.failedMessages.formUnion(outbox.failedMessages)
            state.onlyPings.formUnion(outbox.changedPings.subtracting(state.waiting))
            state.onlyPings.subtract(outbox.changedReach)
            state.waiting.formUnion(outbox.changedPings.union(outbox.changedReach))
        }
        return true
    }

    /// Announces the due changes. Returns when the next pass is due.
    public func pass(_ network: SafetyNetwork) async throws -> Date {
        let now = network.now()
        let failed = await followFailedMessages(network, at: now)
        let arrived = await followArrivals(network, at: now)
        let failing = try await peopleWhoseEndpointsFail(network, at: now)
        let due = state.withLock { state in
            state.waiting.formUnion(failing)
            state.onlyPings.subtract(failing)
            return state.waiting.filter { person in
                state.told[person].map { $0.time.adding(Self.pause) <= now } ?? true
            }
        }
        for person in due.sorted() {
            let (told, mayBeLoss) = state.withLock { state in
                // Removes the person before the check, so that a change during the check causes
                // another one.
                state.waiting.remove(person)
                return (state.told[person], state.onlyPings.remove(person) == nil)
            }
            let wasUntold = told?.isUntold == true
            let own = wasUntold && mayBeLoss ? nil : told?.known
            // Another server may have announced a change since. An event that repeats the present
            // state is harmless, and `noteUnreachable` limits the messages.
            let known = network.database.isShared ? nil : own
            do {
                let present = try await network.reach.tellReach(
                    of: person, unless: known, own: own, mayBeLoss: mayBeLoss)
                state.withLock { state in
                    if state.told.count >= Self.memory { state.told = [:] }
                    state.told[person] = present.map { present in
                        let isUntold =
                            !mayBeLoss && present.reachability.state == .unreachable
                            && (wasUntold || own?.reachability.state != .unreachable)
                        return Told(known: present, time: now, isUntold: isUntold)
                    }
                }
            } catch {
                state.withLock { state in
                    let isAlone = state.waiting.insert(person).inserted
                    if mayBeLoss {
                        state.onlyPings.remove(person)
                    } else if isAlone {
                        state.onlyPings.insert(person)
                    }
                }
                throw error
            }
        }
        let next = state.withLock { state in
            state.waiting.map { state.told[$0]?.time.adding(Self.pause) ?? now }.min()
        }
        if let failure = failed ?? arrived { throw failure }
        let nextArrival = state.withLock { state in
            state.unheard.values.map(\.nextCheck).min()
        }
        let end = min(next ?? .distantFuture, now.adding(Self.pauseBetweenPasses))
        // An alert may be due at once if there are more than `page`.
        return min(end, max(nextArrival ?? end, now))
    }

    /// Returns the last error. The next pass tries its person again. A person whose rows fail must
    /// not hold up the others.
    private func followFailedMessages(
        _ network: SafetyNetwork, at now: Date
    ) async -> (any Error)? {
        let people = state.withLock { state in
            defer { state.failedMessages = [] }
            return state.failedMessages.sorted()
        }
        var failure: (any Error)?
        for (index, person) in people.enumerated() {
            do {
                let unheard = try await network.reach.followFailedMessage(to: person)
                state.withLock { state in
                    for alert in unheard
                    where state.unheard[alert] == nil && state.unheard.count < Self.memory {
                        state.unheard[alert] = Unheard(since: now)
                    }
                }
            } catch {
                failure = error
                let isOfAll = (error as? DatabaseError)?.isOfTheDisk == true
                let left = isOfAll ? people[index...] : people[index...index]
                state.withLock { $0.failedMessages.formUnion(left) }
                guard !isOfAll else { break }
            }
        }
        return failure
    }

    /// Shows the owners that a message has arrived. Nothing announces this: a message may be
    /// accepted, a phone may ring, or a responder may open the app. Returns the last error.
    private func followArrivals(_ network: SafetyNetwork, at now: Date) async -> (any Error)? {
        let due = state.withLock { state in
            state.unheard.filter { $0.value.nextCheck <= now }
                .sorted { $0.value.nextCheck < $1.value.nextCheck }
                .prefix(Self.page).map(\.key)
        }
        var failure: (any Error)?
        for alert in due {
            _ = state.withLock { $0.unheard[alert]?.plan(at: now) }
            do {
                guard try await !network.reach.followArrival(of: alert) else { continue }
                state.withLock { $0.unheard[alert] = nil }
            } catch {
                failure = error
                guard (error as? DatabaseError)?.isOfTheDisk != true else { break }
            }
        }
        return failure
    }

    /// Returns the people with an endpoint that has begun to count as failing since the last check.
    private func peopleWhoseEndpointsFail(
        _ network: SafetyNetwork, at now: Date
    ) async throws -> Set<UserID> {
        guard try await network.isResponsible(for: .deviceTests) else { return [] }
        let end = now.adding(.zero - ReachabilityRules.failsAfter)
        let start = state.withLock { $0.failuresUntil }
        if let start, start >= end { return [] }
        let people: Set<UserID> =
            if let start {
                try await network.database.read {
                    try $0.people(failingSinceAfter: start, until: end)
                }
            } else {
                try await untoldPeople(network, until: end)
            }
        state.withLock { $0.failuresUntil = end }
        return people
    }

    /// Returns the unreachable people whose contacts haven't been told: the last server may have
    /// stopped before it told them. Skips people with another channel, because each check of a
    /// person is a write.
    private func untoldPeople(
        _ network: SafetyNetwork, until end: Date
    ) async throws -> Set<UserID> {
        let channels = network.reach.availableChannels
        var untold: Set<UserID> = []
        var last: UserID?
        while true {
            let after = last
            let (people, silent) = try await network.database.read {
                connection -> ([UserID], [UserID]) in
                let people = try connection.peopleFailingUntold(
                    until: end, after: after, limit: Self.page)
                let reach = try connection.reachability(of: people, by: channels)
                return (people, people.filter { reach[$0]?.state == .unreachable })
            }
            untold.formUnion(silent)
            guard people.count == Self.page else { return untold }
            last = people.last
        }
    }
}
