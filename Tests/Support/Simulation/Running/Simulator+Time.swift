import Domain
import Foundation
import SafetyNetwork

/// The server's loops, with time that skips to the next event.
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
            digest()
            if !didErrands, !didTries, !looked, !worked, !cleaned { break }
        }
        await flushStreams()
        try await check()
    }

    private func nextWake() -> Date {
        var moments = [agenda.next, world.outside.nextTry, expectation].compactMap(\.self)
        if server != nil {
            moments.append(
                max(trueTime(of: isMonitorWanted ? .distantPast : monitorDue), monitorRetryAt))
            moments += (laneDue + [cleanUpDue]).map(trueTime)
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
        let isRight = abs(world.time.wall.since(serverNow).milliseconds) < 2
        return now.adding(
            isRight ? remaining : .milliseconds(max(1, remaining.milliseconds * 94 / 100)))
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
        guard let server, now >= monitorRetryAt else { return false }
        let serverNow = server.clock.now()
        guard isMonitorWanted || monitorDue <= serverNow else { return false }
        isMonitorWanted = false
        do {
            try await server.network.serverLife.giveSignOfLife()
            monitorDue = try await server.deadlineMonitor.handleDueDeadlines() ?? .distantFuture
            lastPass = serverNow
            if monitorDue <= serverNow { note("watch", "what is due stays due after a pass") }
        } catch {
            monitorRetryAt = now.adding(.seconds(5))
            isMonitorWanted = true
            if server.disk.condition == .fine { note("watch", "a pass failed: \(error)") }
        }
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
        return true
    }

    private func runWorkers() async -> Bool {
        guard let server else { return false }
        var did = false
        for (lane, worker) in server.workers.enumerated() {
            let serverNow = server.clock.now()
            guard world.notes.wants(lane) || laneDue[lane] <= serverNow else { continue }
            world.notes.takeWant(lane)
            did = true
            do {
                laneDue[lane] = try await worker.work() ?? .distantFuture
            } catch {
                laneDue[lane] = serverNow.adding(.seconds(5))
                if server.disk.condition == .fine {
                    note("unexpected", "a worker failed: \(error)")
                }
            }
        }
        return did
    }

    private func flushStreams() async {
        guard let server, !streamed.isEmpty else { return }
        let items = streamed
        streamed = []
        try? await server.network.events.markStreamed(items)
    }
}
