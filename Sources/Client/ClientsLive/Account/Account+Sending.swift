import API
import Clients
import Domain
import Foundation

/// Stores a person's action before answering, sends it at once, and retries until the server has
/// accepted or refused it.
extension Account {
    enum SendResult: Sendable {
        case confirmed(ServerReply)
        case refused(UserFacingError)
        case postponed
        /// It is kept, and can't be sent before the person has signed in again.
        case sessionEnded
    }

    struct Waiter {
        var number: Int
        var showsRefusal: Bool
        var continuation: CheckedContinuation<SendResult, Never>
    }

    /// Does something. Returns what the server said, or nil when it waits. Throws
    /// `UserFacingError`.
    /// - Parameter moment: when the person did it; nil for now.
    func submit(_ action: QueuedAction, at moment: Date? = nil) async throws -> ServerReply? {
        guard !isStopped else {
            throw UserFacingError(ClientFailure.sessionEnded, during: action.operation)
        }
        let entry = QueuedEntry(
            id: environment.makeID(), position: nextPosition, action: action,
            createdAt: moment ?? environment.now())
        nextPosition += 1
        guard let storage else { return try await sendWithoutQueue(entry, retry: nil) }
        // One after the other, so that the file has them in the order in which they were done.
        let append = Task { [lastAppend] in
            _ = await lastAppend?.result
            try await storage.queue.append(entry)
        }
        lastAppend = append
        do {
            try await append.value
        } catch {
            // A disk that refuses must not keep anybody from calling for help.
            return try await sendWithoutQueue(entry, retry: .once)
        }
        // A look into the file may have found it there.
        if !entries.contains(where: { $0.id == entry.id }) { entries.append(entry) }
        if hasSessionEnded {
            // The session ended while the disk wrote: the alerts held before lack this one.
            await holdUnsentAlerts()
            throw UserFacingError.signedOut(with: [entry.waiting])
        }
        publish()
        // The rest waits for the alerts: it is theirs to be tried now.
        wakeups[.alerts]?.wake()
        if entry.action.lane == .rest { wakeups[.rest]?.wake() }
        switch await sendResult(on: entry.id, showsRefusal: true) {
        case .confirmed(let reply): return reply
        case .refused(let error): throw error
        case .postponed: return nil
        case .sessionEnded: throw UserFacingError.signedOut(with: [entry.waiting])
        }
    }

    /// Does several things that have nothing to do with each other. Throws the first refusal when
    /// all have been tried.
    func submitAll(_ actions: [QueuedAction]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for action in actions { group.addTask { _ = try await self.submit(action) } }
            var failure: (any Error)?
            while let result = await group.nextResult() {
                if case .failure(let error) = result { failure = failure ?? error }
            }
            if let failure { throw failure }
        }
    }

    private func sendWithoutQueue(_ entry: QueuedEntry, retry: RetryPolicy?) async throws
        -> ServerReply
    {
        do {
            let reply = try await connection.send(entry, aliases: aliases, retry: retry)
            note(reply, of: entry)
            return reply
        } catch let failure as ClientFailure
            where failure.code == .notFound && entry.action.isDoneWhenGone
        {
            note(.done, of: entry)
            return .done
        } catch {
            throw UserFacingError(error, during: entry.action.operation)
        }
    }

    private func note(_ reply: ServerReply, of entry: QueuedEntry) {
        if let alias = reply.alias(for: entry) { aliases[alias.own] = alias.server }
        receive(reply == .done ? .done(entry) : .reply(reply))
    }

    // MARK: One after the other

    /// Tries what is first in this lane.
    func sendNext(_ lane: QueuedAction.Lane) async -> Next {
        guard let storage, !isStopped, let entry = first(of: lane) else { return .rest }
        do {
            let reply = try await connection.send(entry, aliases: aliases, retry: .once)
            await confirm(entry, reply, storage)
            return .more
        } catch let failure as ClientFailure {
            if failure.code == .notFound, entry.action.isDoneWhenGone {
                await confirm(entry, .done, storage)
                return .more
            }
            if failure.isFinal {
                await refuse(
                    entry, UserFacingError(failure, during: entry.action.operation), storage)
                return .more
            }
            return await postpone(entry, failure, lane)
        } catch {
            return await postpone(entry, nil, lane)
        }
    }

    /// The rest waits for the alerts, but not for one on which only the server fails.
    private func first(of lane: QueuedAction.Lane) -> QueuedEntry? {
        let order = active.inSendingOrder
        if lane == .rest,
            order.contains(where: { $0.action.lane == .alerts && !stuck.contains($0.id) })
        {
            return nil
        }
        let ours = order.filter { $0.action.lane == lane }
        let stuckSeries = Set(ours.filter { stuck.contains($0.id) }.map(\.action.series))
        return ours.first { !stuckSeries.contains($0.action.series) } ?? ours.first
    }

    private func confirm(_ entry: QueuedEntry, _ reply: ServerReply, _ storage: Storage) async {
        note(reply, of: entry)
        // One that can't be taken off the disk is sent again after the next start, without effect.
        try? await storage.queue.remove(entry.id, noting: reply.alias(for: entry))
        leave(entry, .confirmed(reply))
    }

    private func refuse(_ entry: QueuedEntry, _ error: UserFacingError, _ storage: Storage) async {
        if isRefusalShown(of: entry.id) {
            try? await storage.queue.remove(entry.id, noting: nil)
        } else {
            try? await storage.queue.refuse(entry.id, error)
        }
        if !isRefusalShown(of: entry.id) { reportRefusal(error, of: entry) }
        refusedIDs.insert(entry.id)
        leave(entry, .refused(error))
        want(Set(AccountModel.Slice.allCases))
    }

    private func leave(_ entry: QueuedEntry, _ sendResult: SendResult) {
        failures[entry.action.lane] = 0
        entries.removeAll { $0.id == entry.id }
        stuck.remove(entry.id)
        if readings > 0 { left.insert(entry.id) }
        publish()
        settle(entry.id, sendResult)
        wakeups[.rest]?.wake()
    }

    private func postpone(
        _ entry: QueuedEntry, _ failure: ClientFailure?, _ lane: QueuedAction.Lane
    ) async -> Next {
        if failure == .sessionEnded {
            hasSessionEnded = true
            await holdUnsentAlerts()
            for other in entries { settle(other.id, .sessionEnded) }
            return .rest
        }
        for other in entries where other.action.lane == lane || lane == .alerts {
            settle(other.id, .postponed)
        }
        if failure?.isOfThisRequest == true {
            stuck.insert(entry.id)
            wakeups[.rest]?.wake()
        }
        failures[lane, default: 0] += 1
        var backoff = options.backoff
        // Help does not wait longer, whoever asks for it: a server that is overloaded, or what
        // stands in front of it.
        if lane == .alerts { backoff.longest = min(backoff.longest, options.longestWaitOfAlerts) }
        let pause = backoff.pause(after: failures[lane, default: 1], random: environment.random())
        return .pause(
            max(min(failure?.retryAfter ?? .zero, backoff.longest), pause), environment.clock)
    }

    /// Sends everything that waits. Throws `UserFacingError` at the first try that comes to
    /// nothing.
    func sendAll() async throws {
        while let entry = active.inSendingOrder.first {
            for wakeup in wakeups.values { wakeup.wake() }
            switch await sendResult(on: entry.id, showsRefusal: false) {
            case .confirmed, .refused: continue
            case .postponed: throw UserFacingError.stillWaiting(active.count)
            case .sessionEnded: throw UserFacingError.signedOut(with: entries.map(\.waiting))
            }
        }
    }

    func retryNow() {
        events?.wake()
        for wakeup in wakeups.values { wakeup.wake() }
        if !wanted.isEmpty { loadWakeup.wake() }
    }

    /// Takes up what another process of this user has left in the file: nobody else may be there to
    /// send it.
    func takeUpWhatOthersLeft() async {
        guard let storage, !isStopped else { return }
        readings += 1
        defer {
            readings -= 1
            if readings == 0 { left = [] }
        }
        guard let queue = try? await storage.queue.load(), !isStopped else { return }
        let known = left.union(entries.map(\.id))
        let others = queue.entries.filter { !known.contains($0.id) }
        aliases.merge(queue.aliases) { $1 }
        guard !others.isEmpty else { return }
        held.formUnion(others.map(\.id).filter { queue.held[$0] != nil })
        entries += others
        nextPosition = max(nextPosition, (others.map(\.position).max() ?? -1) + 1)
        publish()
        for wakeup in wakeups.values { wakeup.wake() }
    }
}

extension ClientFailure {
    /// The server understood, and will not say anything else next time.
    fileprivate var isFinal: Bool {
        switch code {
        case .permissionDenied, .notFound, .methodNotAllowed, .alreadyExists, .payloadTooLarge,
            .unsupportedMediaType, .invalidArgument,
            .unknown:
            true
        case .unauthenticated, .rateLimited, .internal, .unavailable, nil: false
        }
    }

    /// The server fails on this request, and maybe on no other.
    fileprivate var isOfThisRequest: Bool { code == .internal }
}
