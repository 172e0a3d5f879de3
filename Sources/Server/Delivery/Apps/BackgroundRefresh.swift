import Domain
import Foundation
import Persistence
import Synchronization

/// After a check-in, wakes the apps on the person's other devices to update deadline, reminders and
/// widget. Skips the device that checked in, because iOS limits these messages.
///
/// Delivery is best effort. An app without a message updates itself when it next runs.
public final class BackgroundRefresh: Sendable {
    public typealias Send = @Sendable (AppToken) async -> DeliveryResult

    /// The minimum interval between two messages to one person. Apple advises at most two or three
    /// an hour.
    public static let pause: Duration = .minutes(20)
    static let pauseAfterFailure: Duration = .minutes(1)
    static let tries = 3
    /// The maximum number of messages in flight. Alarms need the remaining connections.
    private static let width = 32
    private static let peoplePerPass = 500

    private struct Waiting {
        /// The sessions that made the changes. nil means a change from elsewhere.
        var sessions: Set<SessionID?> = []
        var failures = 0
        var notBefore = Date.distantPast

        /// Whether to skip the session's device: it made all changes, so it knows them.
        func spares(_ session: SessionID) -> Bool { sessions == [session] }

        mutating func merge(_ newer: Waiting) {
            sessions.formUnion(newer.sessions)
            failures = max(failures, newer.failures)
            notBefore = max(notBefore, newer.notBefore)
        }
    }

    private struct State {
        var waiting: [UserID: Waiting] = [:]
        var sentAt: [UserID: Date] = [:]

        func due(_ person: UserID, _ waiting: Waiting) -> Date {
            let next = sentAt[person].map { $0.adding(BackgroundRefresh.pause) }
            return max(next ?? .distantPast, waiting.notBefore)
        }
    }

    private let state = Mutex(State())

    public init() {}

    /// Queues the changes of a commit. Returns true if there is something to send.
    public func note(_ outbox: Outbox) -> Bool {
        guard !outbox.staleDevices.isEmpty else { return false }
        state.withLock { state in
            for stale in outbox.staleDevices {
                state.waiting[stale.user, default: Waiting()].sessions.insert(stale.besides)
            }
        }
        return true
    }

    /// Sends the due messages. Returns the time of the next pass; nil if nothing is waiting.
    /// Everything stays queued after a `DatabaseError`.
    public func pass(_ database: any DatabaseEngine, send: @escaping Send) async throws -> Date? {
        let now = database.now()
        let due = take(at: now)
        do {
            let people = due.keys.sorted()
            let apps =
                people.isEmpty
                ? [] : try await database.read { try $0.apps(of: people, kind: .apns) }
            let stale = apps.filter { due[$0.userID]?.spares($0.session) == false }
            settle(await Self.send(to: stale, send), of: due, at: now)
        } catch {
            putBack(due)
            throw error
        }
        return state.withLock { state in
            state.waiting.map { state.due($0.key, $0.value) }.min()
        }
    }

    private func take(at now: Date) -> [UserID: Waiting] {
        state.withLock { state in
            // A corrected clock may have left times in the future.
            state.sentAt = state.sentAt.filter {
                $0.value <= now && $0.value.adding(Self.pause) > now
            }
            for (person, waiting) in state.waiting
            where waiting.notBefore > now.adding(DeliveryRules.longestWish) {
                state.waiting[person]?.notBefore = now
            }
            let due = state.waiting.filter { state.due($0.key, $0.value) <= now }
                .prefix(Self.peoplePerPass)
            for (person, _) in due { state.waiting[person] = nil }
            return Dictionary(uniqueKeysWithValues: due.map { ($0.key, $0.value) })
        }
    }

    private func putBack(_ people: [UserID: Waiting]) {
        state.withLock { state in
            for (person, waiting) in people {
                state.waiting[person, default: Waiting()].merge(waiting)
            }
        }
    }

    private func settle(
        _ results: [(person: UserID, result: DeliveryResult)], of due: [UserID: Waiting],
        at now: Date
    ) {
        var again: [UserID: Waiting] = [:]
        for (person, result) in results {
            guard case .failed(_, let pause, _) = result, var waiting = due[person]
            else { continue }
            waiting.failures += 1
            waiting.notBefore = now.adding(
                max(Self.pauseAfterFailure, min(pause, DeliveryRules.longestWish)))
            if waiting.failures < Self.tries { again[person] = waiting }
        }
        let told = Set(results.map(\.person)).subtracting(again.keys)
        state.withLock { state in for person in told { state.sentAt[person] = now } }
        putBack(again)
    }

    private static func send(
        to apps: [AppOfSession], _ send: @escaping Send
    ) async -> [(person: UserID, result: DeliveryResult)] {
        await withTaskGroup(of: (person: UserID, result: DeliveryResult)?.self) { group in
            var results: [(person: UserID, result: DeliveryResult)] = []
            for (index, app) in apps.enumerated() {
                if index >= width, let done = await group.next() {
                    results += [done].compactMap(\.self)
                }
                group.addTask {
                    guard let token = AppToken(url: app.url) else { return nil }
                    return (app.userID, await send(token))
                }
            }
            for await done in group { results += [done].compactMap(\.self) }
            return results
        }
    }
}
