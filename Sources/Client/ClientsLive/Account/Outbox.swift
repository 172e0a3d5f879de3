import API
import Clients
import Domain
import Foundation

/// The queue of unsent actions. Stores each action before answering the caller, then sends the
/// action, and retries until the server accepts or refuses it.
///
/// Belongs to one account, and runs in its isolation.
final class Outbox {
    enum SendResult: Sendable {
        case confirmed(ServerReply)
        case refused(UserFacingError)
        case postponed
        /// The entry is kept until the person signs in again.
        case sessionEnded
    }

    private struct Waiter {
        var number: Int
        var showsRefusal: Bool
        var continuation: CheckedContinuation<SendResult, Never>
    }

    private struct Write {
        var entry: QueuedEntry
        var task: Task<Void, any Error>
    }

    private struct Leftover {
        var entry: QueuedEntry
        var alias: Alias?
        /// True if the person has discarded the entry.
        var isDiscarded: Bool
    }

    /// The file of the queue; nil for a web session on the server.
    private let file: (any QueueStore)?
    let wakeups: [QueuedAction.Lane: TaskWakeup] = [.alerts: TaskWakeup(), .rest: TaskWakeup()]

    /// The queued actions, in the order of queueing.
    private(set) var entries: [QueuedEntry] = []
    private(set) var aliases: [UUID: UUID] = [:]
    private var nextPosition: Int64 = 0
    /// Ids of alerts that were queued when another device ended the session. The app asks whether
    /// to send them.
    private var held: Set<UUID> = []
    /// When the held alerts are sent if the person hasn't answered.
    private(set) var heldUntil: Date?
    /// Ids of entries that the server has refused since this process started.
    private(set) var refusedIDs: Set<UUID> = []
    /// Ids of entries that the person has discarded since this process started.
    private(set) var discardedIDs: Set<UUID> = []
    /// The appends to the file whose entries are not in `entries` yet, in the order of queueing.
    private var writes: [Write] = []
    /// Ids of failed entries that other entries may overtake, because the failure may concern only
    /// that entry.
    private var stuck: Set<UUID> = []
    private var failures: [QueuedAction.Lane: Int] = [:]
    /// Ids of entries that left the queue during a read of its file. The result of that read must
    /// not bring them back.
    private var left: Set<UUID> = []
    /// Entries that have left the queue, but which the disk failed to remove. Reads skip these
    /// entries and retry the removal.
    private var leftovers: [UUID: Leftover] = [:]
    /// The number of running reads of the file, and of removals of discarded alerts from it.
    private var readings = 0
    private var waiters: [UUID: [Waiter]] = [:]
    private var lastWaiter = 0
    /// True if another device ended the session: nothing is sent before the next sign-in.
    private var hasSessionEnded = false
    /// True if the server answered the last attempt to send, and asked to wait.
    private(set) var isRateLimited = false

    init(file: (any QueueStore)?) { self.file = file }

    func restore(_ queue: QueueContents) {
        entries = queue.entries
        aliases = queue.aliases
        nextPosition =
            ((queue.entries + queue.refused.map(\.entry)).map(\.position).max() ?? -1) + 1
    }

    var active: [QueuedEntry] { held.isEmpty ? entries : entries.filter { !held.contains($0.id) } }

    /// Returns whether the entry waits for the person's answer.
    func isHeld(_ id: UUID) -> Bool { held.contains(id) }

    var waitingCallers: Int { waiters.values.joined().count }

    func wakeAll() { for wakeup in wakeups.values { wakeup.wake() } }

    // MARK: Submitting

    func submit(
        _ action: QueuedAction, at moment: Date?, for account: isolated Account
    ) async throws -> ServerReply? {
        let pressed = moment ?? account.environment.now()
        let entry = QueuedEntry(
            id: account.environment.makeID(), position: nextPosition, action: action,
            createdAt: pressed, uptime: uptime(at: pressed, for: account))
        nextPosition += 1
        guard let file else { return try await sendWithoutQueue(entry, retry: nil, for: account) }
        // Each append waits for the previous one, so that the file keeps the order of the actions.
        let append = Task { [previous = writes.last?.task] in
            _ = await previous?.result
            try await file.append(entry)
        }
        writes.append(Write(entry: entry, task: append))
        let result = await append.result
        writes.removeAll { $0.entry.id == entry.id }
        if case .failure = result {
            // A failing disk must not block a call for help.
            return try await sendWithoutQueue(entry, retry: .once, for: account)
        }
        // The newest press counts. An arrival that is being sent may still end the journey.
        if case .extendJourney(let journey, _, _) = action {
            let arrivals = entries.filter { $0.action == .endJourney(journey) }
            if !arrivals.isEmpty { await discard(Set(arrivals.map(\.id)), for: account) }
        }
        list(entry)
        if hasSessionEnded {
            // The session ended during the write, so this alert is not held yet.
            await holdUnsentAlerts(for: account)
            throw signedOut
        }
        account.publish()
        // Always wakes the lane of alerts, because the other lane waits for that lane.
        wakeups[.alerts]?.wake()
        if entry.action.lane == .rest { wakeups[.rest]?.wake() }
        switch await sendResult(on: entry.id, showsRefusal: true, for: account) {
        case .confirmed(let reply): return reply
        case .refused(let error): throw error
        case .postponed: return nil
        case .sessionEnded: throw signedOut
        }
    }

    /// Returns the device's uptime at a time of its clock; nil if unknown.
    private func uptime(at time: Date, for account: isolated Account) -> Uptime? {
        let now = account.environment.now()
        return account.environment.uptime().map { present in
            Uptime(start: present.start, time: present.time + time.since(now))
        }
    }

    private func list(_ entry: QueuedEntry) {
        // `takeUpWhatOthersLeft` may already have read this entry from the file.
        if !entries.contains(where: { $0.id == entry.id }) { entries.append(entry) }
    }

    private func sendWithoutQueue(
        _ entry: QueuedEntry, retry: RetryPolicy?, for account: isolated Account
    ) async throws -> ServerReply {
        do {
            let reply = try await account.connection.send(entry, aliases: aliases, retry: retry)
            note(reply, of: entry, for: account)
            return reply
        } catch let failure as ClientFailure
            where failure.code == .notFound && entry.action.isDoneWhenGone
        {
            note(.done, of: entry, for: account)
            return .done
        } catch {
            throw UserFacingError(error, during: entry.action.operation)
        }
    }

    private func note(_ reply: ServerReply, of entry: QueuedEntry, for account: isolated Account) {
        if let alias = reply.alias(for: entry) { aliases[alias.own] = alias.server }
        account.receive(reply == .done ? .done(account.onServerClock(entry)) : .reply(reply))
    }

    /// Queues actions again. Ends go first: the person raised the waiting alerts after these ends.
    /// - Parameter actions: with their times by the server's clock.
    func sendAgain(_ actions: [(QueuedAction, Date)], for account: isolated Account) async throws {
        guard let file else { return }
        let offset = account.connection.serverClock.offset
        for (action, time) in actions where !isQueued(action) {
            // The server corrects the times of a device's clock.
            var entry = QueuedEntry(
                id: account.environment.makeID(), position: nextPosition, action: action,
                createdAt: time
            ).moved(by: .zero - offset)
            entry.uptime = uptime(at: entry.createdAt, for: account)
            if case .endAlert = action {
                entry.position = (entries.map(\.position).min() ?? nextPosition) - 1
                try await file.prepend(entry)
            } else {
                nextPosition += 1
                try await file.append(entry)
            }
            entries.append(entry)
        }
        account.publish()
        wakeAll()
    }

    /// True if the queue has the action. A check-in's time may be by another clock.
    private func isQueued(_ action: QueuedAction) -> Bool {
        entries.contains { entry in
            if case .checkIn(let id, _) = action, case .checkIn(id, _) = entry.action {
                true
            } else {
                entry.action == action
            }
        }
    }

    // MARK: Sending one after the other

    func sendNext(_ lane: QueuedAction.Lane, for account: isolated Account) async -> Account.Next {
        guard let file, !account.isStopped, let entry = first(of: lane) else { return .rest }
        do {
            let environment = account.environment
            let timed = entry.timed(at: environment.now(), environment.uptime())
            let reply = try await account.connection.send(timed, aliases: aliases, retry: .once)
            isRateLimited = false
            if let alias = reply.alias(for: entry), stoodForEndedAlert(entry, alias) {
                await raiseAnew(entry, file, for: account)
            } else if let error = reply.refusal(of: entry), !isRefusalShown(of: entry.id) {
                await refuse(entry, error, file, for: account)
            } else {
                await confirm(entry, reply, for: account)
            }
            return .more
        } catch let failure as ClientFailure {
            isRateLimited = failure.code == .rateLimited
            if failure.code == .notFound, entry.action.isDoneWhenGone {
                await confirm(entry, .done, for: account)
                return .more
            }
            // A person who is shown the wait may decide otherwise. A queued pause is kept.
            let isShownPause = entry.action.kind == .pause && isRefusalShown(of: entry.id)
            if failure.isFinal(for: entry.action.operation) || isRateLimited && isShownPause {
                await refuse(
                    entry, UserFacingError(failure, during: entry.action.operation), file,
                    for: account)
                return .more
            }
            return await postpone(entry, failure, lane, for: account)
        } catch {
            isRateLimited = false
            return await postpone(entry, nil, lane, for: account)
        }
    }

    /// True if the server merged this alert into one whose end is queued earlier. The end was
    /// queued while the entry was being sent. False if the alert's own end is queued as well: that
    /// end would reach the server before a new alert.
    private func stoodForEndedAlert(_ entry: QueuedEntry, _ alias: Alias) -> Bool {
        let hasOwnEnd = entries.contains { $0.action == .endAlert(AlertID(alias.own)) }
        return !hasOwnEnd
            && entries.contains {
                $0.action == .endAlert(AlertID(alias.server)) && $0.position < entry.position
            }
    }

    /// Replaces a call for help by one with a new id. The server would answer the old id with the
    /// ended alert again.
    private func raiseAnew(
        _ entry: QueuedEntry, _ file: any QueueStore, for account: isolated Account
    ) async {
        guard case .raiseAlert(let old) = entry.action else { return }
        var anew = entry
        let new = AlertID(account.environment.makeID())
        (anew.id, anew.action) = (account.environment.makeID(), .raiseAlert(new))
        anew.position = nextPosition
        nextPosition += 1
        let alias = Alias(own: old.uuid, server: new.uuid)
        do {
            try await file.append(anew)
            await remove(entry, noting: alias, for: account)
        } catch {
            // A failing disk must not block a call for help.
        }
        aliases[alias.own] = alias.server
        entries.append(anew)
        leave(entry, .postponed, for: account)
    }

    /// Returns the next entry of the lane. The lane `rest` waits until every alert is either sent
    /// or stuck.
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

    private func confirm(
        _ entry: QueuedEntry, _ reply: ServerReply, for account: isolated Account
    ) async {
        note(reply, of: entry, for: account)
        // If the removal fails, the next start sends the entry again, without effect.
        await remove(entry, noting: reply.alias(for: entry), for: account)
        leave(entry, .confirmed(reply), for: account)
    }

    private func refuse(
        _ entry: QueuedEntry, _ error: UserFacingError, _ file: any QueueStore,
        for account: isolated Account
    ) async {
        if isRefusalShown(of: entry.id) {
            await remove(entry, for: account)
        } else {
            // If this fails, the next start sends the entry again, and the server refuses it again.
            try? await file.refuse(entry.id, error)
        }
        if !isRefusalShown(of: entry.id) { account.reportRefusal(error, of: entry) }
        refusedIDs.insert(entry.id)
        leave(entry, .refused(error), for: account)
        account.sync.want(Set(AccountModel.Slice.allCases))
    }

    private func leave(
        _ entry: QueuedEntry, _ sendResult: SendResult, for account: isolated Account
    ) {
        failures[entry.action.lane] = 0
        entries.removeAll { $0.id == entry.id }
        stuck.remove(entry.id)
        if readings > 0 { left.insert(entry.id) }
        account.publish()
        settle(entry.id, sendResult)
        wakeups[.rest]?.wake()
    }

    private func postpone(
        _ entry: QueuedEntry, _ failure: ClientFailure?, _ lane: QueuedAction.Lane,
        for account: isolated Account
    ) async -> Account.Next {
        if failure == .sessionEnded {
            hasSessionEnded = true
            await holdUnsentAlerts(for: account)
            for other in entries { settle(other.id, .sessionEnded) }
            return .rest
        }
        for other in entries where other.action.lane == lane || lane == .alerts {
            settle(other.id, .postponed)
        }
        // The server limits how often a pause begins.
        if failure?.isOfThisRequest == true || isRateLimited && entry.action.kind == .pause {
            stuck.insert(entry.id)
            if lane == .alerts {
                wakeups[.rest]?.wake()
            } else if let next = first(of: lane), !stuck.contains(next.id) {
                // A wake-up of this lane itself would end its next pause at once.
                return .more
            }
        }
        failures[lane, default: 0] += 1
        let (options, environment) = (account.options, account.environment)
        var backoff = options.backoff
        // An overloaded server or a proxy may ask for a longer wait than alerts allow.
        if lane == .alerts { backoff.longest = min(backoff.longest, options.longestWaitOfAlerts) }
        let pause = backoff.pause(after: failures[lane, default: 1], random: environment.random())
        return .pause(
            max(min(failure?.retryAfter ?? .zero, backoff.longest), pause), environment.clock)
    }

    /// Sends everything in the queue. Throws `UserFacingError` at the first entry that can't be
    /// sent now.
    func sendAll(for account: isolated Account) async throws {
        while let entry = active.inSendingOrder.first {
            wakeAll()
            switch await sendResult(on: entry.id, showsRefusal: false, for: account) {
            case .confirmed, .refused: continue
            case .postponed:
                throw UserFacingError.stillWaiting(active.count, isReached: isRateLimited)
            case .sessionEnded: throw signedOut
            }
        }
    }

    /// Removes entries that the person has given up. An entry that is being sent may still arrive.
    /// - Parameter ids: the entries; nil for all that are queued now.
    func discard(_ ids: Set<UUID>?, for account: isolated Account) async {
        for entry in entries where ids?.contains(entry.id) ?? true {
            await remove(entry, isDiscarded: true, for: account)
            discardedIDs.insert(entry.id)
            held.remove(entry.id)
            leave(entry, .postponed, for: account)
        }
    }

    /// Removes an entry from the file. If the disk fails, the entry becomes a leftover.
    private func remove(
        _ entry: QueuedEntry, noting alias: Alias? = nil, isDiscarded: Bool = false,
        for account: isolated Account
    ) async {
        do {
            try await file?.remove(entry.id, noting: alias)
            leftovers[entry.id] = nil
        } catch {
            leftovers[entry.id] = Leftover(entry: entry, alias: alias, isDiscarded: isDiscarded)
        }
    }

    /// Retries the removals that have failed. Stops at the first failure.
    func removeLeftovers(for account: isolated Account) async {
        for (id, leftover) in leftovers {
            guard (try? await file?.remove(id, noting: leftover.alias)) != nil else { return }
            leftovers[id] = nil
            // A running read may have found the entry before its removal.
            if readings > 0 { left.insert(id) }
        }
    }

    /// The discarded actions that the disk failed to remove. The next process sends them.
    var undiscarded: [WaitingAction] {
        leftovers.values.filter(\.isDiscarded).map(\.entry).inSendingOrder.map(\.waiting)
    }

    /// Takes up entries that another process of this user has queued. That process may have ended
    /// before sending them.
    func takeUpWhatOthersLeft(for account: isolated Account) async {
        guard let file, !account.isStopped else { return }
        readings += 1
        defer { endReading() }
        await removeLeftovers(for: account)
        guard let queue = try? await file.load(), !account.isStopped else { return }
        // The disk may have failed to note a refusal.
        let known = left.union(entries.map(\.id)).union(leftovers.keys).union(refusedIDs)
        let others = queue.entries.filter { !known.contains($0.id) }
        aliases.merge(queue.aliases) { $1 }
        guard !others.isEmpty else { return }
        held.formUnion(others.map(\.id).filter { queue.held[$0] != nil })
        entries += others
        nextPosition = max(nextPosition, (others.map(\.position).max() ?? -1) + 1)
        account.publish()
        wakeAll()
    }

    private func endReading() {
        readings -= 1
        if readings == 0 { left = [] }
    }

    // MARK: Callers that wait for a reply

    /// Waits until the entry is confirmed, refused or postponed, at most for `patience`.
    /// - Parameter showsRefusal: true if the caller shows a refusal to the person.
    private func sendResult(
        on id: UUID, showsRefusal: Bool, for account: isolated Account
    ) async -> SendResult {
        let timer = account.options.patience.map { patience in
            Task { [weak account, clock = account.environment.clock] in
                try await clock.sleep(patience)
                await account?.settle(id, .postponed)
            }
        }
        defer { timer?.cancel() }
        lastWaiter += 1
        let number = lastWaiter
        // A cancelled caller shows no refusal, so its waiter is removed.
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !account.isStopped, !Task.isCancelled,
                    entries.contains(where: { $0.id == id })
                else {
                    return continuation.resume(returning: .postponed)
                }
                waiters[id, default: []].append(
                    Waiter(number: number, showsRefusal: showsRefusal, continuation: continuation))
            }
        } onCancel: {
            Task { [weak account] in await account?.stopWaiting(number, on: id) }
        }
    }

    func stopWaiting(_ number: Int, on id: UUID) {
        guard let index = waiters[id]?.firstIndex(where: { $0.number == number }) else { return }
        waiters[id]?.remove(at: index).continuation.resume(returning: .postponed)
    }

    private func isRefusalShown(of id: UUID) -> Bool {
        waiters[id]?.contains(where: \.showsRefusal) == true
    }

    func settle(_ id: UUID, _ sendResult: SendResult) {
        for waiter in waiters.removeValue(forKey: id) ?? [] {
            waiter.continuation.resume(returning: sendResult)
        }
    }

    /// Answers all waiting callers when the account stops.
    func settleAll(sessionHasEnded: Bool) {
        hasSessionEnded = hasSessionEnded || sessionHasEnded
        for id in waiters.keys { settle(id, sessionHasEnded ? .sessionEnded : .postponed) }
    }

    // MARK: Held alerts

    // Held alerts were queued when another device ended the session. After the next sign-in, the
    // app asks whether to send them. Without an answer they are sent (product.md, "Offline").

    /// Holds the unsent alerts, and returns the queue. Nothing is sent before the next sign-in.
    /// Waits for the running writes, because the caller deletes the file if the queue is empty.
    func sessionHasEnded(for account: isolated Account) async -> [WaitingAction] {
        hasSessionEnded = true
        // Comes first, because a write may begin meanwhile.
        await removeLeftovers(for: account)
        repeat {
            await finishWrites(for: account)
            await holdUnsentAlerts(for: account)
        } while !writes.isEmpty
        return entries.inSendingOrder.map(\.waiting)
    }

    /// Waits for the running writes, and lists their entries.
    private func finishWrites(for account: isolated Account) async {
        while let write = writes.first {
            let result = await write.task.result
            // `submit` may have listed the entry meanwhile.
            guard let index = writes.firstIndex(where: { $0.entry.id == write.entry.id }) else {
                continue
            }
            writes.remove(at: index)
            if case .success = result { list(write.entry) }
        }
    }

    /// The error for a caller after the session has ended. It names an unsent alert even if the
    /// caller sent something else.
    private var signedOut: UserFacingError {
        let alerts = entries.unsentAlerts
        let others = entries.filter { $0.action.kind != .raiseAlert }
        return .signedOut(with: (alerts + others).map(\.waiting))
    }

    /// Holds the queued alerts, except those whose end is queued as well.
    private func holdUnsentAlerts(for account: isolated Account) async {
        let unsent = entries.unsentAlerts
        guard !unsent.isEmpty else { return }
        // If the disk fails, the next sign-in sends these alerts without asking.
        try? await file?.hold(Set(unsent.map(\.id)), until: nil)
    }

    /// Restores the held alerts from the file.
    /// - Parameter isSignIn: true if the person has just signed in, which restarts the time to
    ///   answer.
    func takeUpHeld(
        _ found: [UUID: Date?], isSignIn: Bool, for account: isolated Account
    ) async {
        held = Set(found.keys)
        guard !held.isEmpty else { return }
        let latest = account.environment.now().adding(UnsentAlert.timeToAnswer)
        // A restarted process keeps the stored time. `latest` limits the wait if the clock was set
        // back.
        let known = isSignIn ? nil : found.values.compactMap(\.self).min()
        if let known, known <= account.environment.now() {
            return await answerHeldAlerts(isToBeSent: true, for: account)
        }
        heldUntil = min(known ?? latest, latest)
        // If the disk fails, a restarted process uses the former time.
        if known == nil { try? await file?.hold(held, until: heldUntil) }
    }

    var unsentAlert: UnsentAlert? {
        guard let heldUntil else { return nil }
        let times = entries.filter { held.contains($0.id) }.map(\.createdAt)
        return times.min().map { UnsentAlert(raisedAt: $0, sendsAt: heldUntil) }
    }

    func answerHeldAlerts(isToBeSent: Bool, for account: isolated Account) async {
        guard !held.isEmpty, !account.isStopped else { return }
        let ids = held
        held = []
        heldUntil = nil
        if isToBeSent {
            // If the process is killed before this write, the next start asks the person again.
            try? await file?.release(ids)
        } else {
            let discarded = entries.filter { ids.contains($0.id) }
            entries.removeAll { ids.contains($0.id) }
            // Until the file lacks these entries, any read finds them.
            readings += 1
            left.formUnion(ids)
            for entry in discarded { await remove(entry, isDiscarded: true, for: account) }
            endReading()
        }
        account.publish()
        wakeAll()
    }
}

extension ClientFailure {
    /// True if the failure may concern only this request. Meaningless for final failures.
    fileprivate var isOfThisRequest: Bool {
        switch code {
        case .unauthenticated, .rateLimited, .unavailable, nil: false
        default: true
        }
    }
}
