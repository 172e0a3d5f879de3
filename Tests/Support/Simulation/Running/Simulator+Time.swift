import Domain
import Foundation
import SafetyNetwork

/// The passes of the server's loops, with time that skips to the next event.
extension Simulator {
    func pass(to target: Date) async throws {
        while violation == nil {
            let next = min(target, nextWake())
            world.time.advance(to: next)
            try await settle()
            if next >= target { return }
        }
    }

    /// Performs everything that is due now, then checks the invariants.
    func settle() async throws {
        server?.disk.beginMoment()
        var rounds = 0
        while violation == nil, rounds < 1_000 {
            rounds += 1
            let didErrands = try await runErrands()
            let didTries = await runTries()
            let looked = await runDeadlineMonitor()
            let worked = await runWorkers()
            let cleaned = await runCleanUp()
            let didChore = await runChores()
            digest()
            if didErrands || didTries || looked || worked || cleaned || didChore { continue }
            if await !flushStreams() { break }
        }
        if let server { await readRows(server) }
        try await check()
    }

    private func nextWake() -> Date {
        var moments = [agenda.next, world.outside.nextTry, expectation].compactMap(\.self)
        if let server {
            moments += [server.loops.nextEnd, trueTime(of: cleanUpDue), chores.next]
        }
        return max(moments.min() ?? .distantFuture, now.adding(.milliseconds(1)))
    }

    /// Returns the true time when the server's clock will show `time`. During a correction of that
    /// clock, the result is slightly early, and the caller asks once more.
    private func trueTime(of time: Date) -> Date {
        guard let server, time < .distantFuture else { return .distantFuture }
        let serverNow = server.clock.now()
        let remaining = time.since(serverNow)
        guard remaining > .zero else { return now }
        return now.adding(
            isEven(at: serverNow)
                ? remaining : .milliseconds(max(1, remaining.milliseconds * 94 / 100)))
    }

    /// Whether the server's clock runs as the true time does.
    private func isEven(at serverNow: Date) -> Bool {
        abs(world.time.wall.since(serverNow).milliseconds) < 2
    }

    /// The next event that the observer expects. The server may have failed to plan it.
    private var expectation: Date? {
        guard server != nil else { return nil }
        var moments: [Date] = []
        for (person, account) in truth.accounts.enumerated() {
            guard let deadline = account?.deadline, truth.alarm(of: person, .missedCheckIn) == nil
            else { continue }
            moments.append(deadline.adding(.milliseconds(1_001)))
        }
        for (person, account) in truth.accounts.enumerated() {
            guard let journey = account?.journey, journey.isRunning,
                truth.alarm(of: person, .journey) == nil
            else { continue }
            moments.append(journey.deadline.adding(.milliseconds(1_001)))
        }
        if !truth.alarms.isEmpty || !hearing.debts.isEmpty {
            moments.append(lastCheck.adding(.hours(1)))
        }
        return moments.filter { $0 > now }.min()
    }

    private func runErrands() async throws -> Bool {
        var did = false
        while let errand = agenda.take(by: now) {
            did = true
            try await run(errand)
        }
        return did
    }

    private func runTries() async -> Bool {
        var did = false
        while let attempt = world.outside.takeTry() {
            did = true
            await attempt.run()
            digest()
        }
        return did
    }

    private func runDeadlineMonitor() async -> Bool {
        guard let server else { return false }
        let serverNow = server.clock.now()
        guard await mustWork(.deadlines, server, at: serverNow) else { return false }
        do {
            try await giveSignOfLife(server)
            let due = try await server.deadlineMonitor.handleDueDeadlines()
            lastPass = serverNow
            if let due, due <= serverNow { note("watch", "what is due stays due after a pass") }
            server.loops.rest(.deadlines, until: due, at: serverNow, isEven: isEven(at: serverNow))
        } catch {
            server.loops.restAfterFailure(.deadlines, at: serverNow)
            if server.disk.condition == .fine { note("watch", "a pass failed: \(error)") }
        }
        return true
    }

    /// Returns whether a loop is awake and has to make a pass.
    private func mustWork(
        _ loop: ServerLoops.Loop, _ server: Server, at serverNow: Date
    ) async -> Bool {
        guard server.loops.isAwake(loop) else { return false }
        await readRows(server)
        guard server.loops.mustWork(loop, at: serverNow, isEven: isEven(at: serverNow)) else {
            return false
        }
        checkDelay(of: loop, server, at: serverNow)
        return true
    }

    /// Runs the clean-up every six hours. No expiry is shorter, and each pass costs several writes.
    private func runCleanUp() async -> Bool {
        guard let server, cleanUpDue <= server.clock.now() else { return false }
        let serverNow = server.clock.now()
        do {
            let due = try await server.retention.pass()
            let isOver = due.since(serverNow) > .minutes(1)
            cleanUpDue = isOver ? serverNow.adding(.hours(6)) : due
        } catch {
            cleanUpDue = serverNow.adding(.minutes(1))
            if server.disk.condition == .fine { note("unexpected", "clean-up failed: \(error)") }
        }
        await noticeForgotten(server)
        return true
    }

    private func runWorkers() async -> Bool {
        guard let server else { return false }
        var did = false
        for (lane, worker) in server.workers.enumerated() {
            let serverNow = server.clock.now()
            guard await mustWork(.lane(lane), server, at: serverNow) else { continue }
            did = true
            do {
                let due = try await worker.work()
                server.loops.rest(
                    .lane(lane), until: due, at: serverNow, isEven: isEven(at: serverNow),
                    isHeldUp: world.outside.isBusy)
            } catch {
                server.loops.restAfterFailure(.lane(lane), at: serverNow)
                if server.disk.condition == .fine {
                    note("unexpected", "a worker failed: \(error)")
                }
            }
        }
        return did
    }

    /// Returns whether there was something to store.
    private func flushStreams() async -> Bool {
        guard let server, !streamed.isEmpty else { return false }
        let items = streamed
        streamed = []
        try? await server.network.events.markStreamed(items)
        return true
    }
}
