import Domain
import Foundation

/// How far the server's time may be from the true time (product.md, "The server's clock").
struct ClockWatch: Sendable {
    /// The true time of `bound`.
    var at: Date
    var bound: Duration = .zero
    var boundOfBackup: Duration = .zero
    /// Whether the machine's clock is wrong, or drifts.
    var isWrong = false
    /// When the machine's clock was last set.
    var changedAt: Date = .distantPast
    /// The time from which product.md promises the right time; nil if it promises only that the
    /// server's time approaches the right one.
    var rightFrom: Date?
    /// The people whose last check-in had the right time when the server started.
    var sure: Set<Int> = []
    /// Whether the server's time was ahead when the server started.
    var startedAhead = false

    init(at time: Date) { at = time }

    /// A restored database has the clock's state of the backup.
    mutating func adoptBackup() {
        (bound, rightFrom) = (max(bound, boundOfBackup), nil)
    }
}

extension Simulator {
    /// The part of the passing time by which the server's time may run fast or slow.
    private static let slew = 20
    /// The server closes larger gaps to a clock that it knows to be wrong only when that is right.
    private static let longestSlew: Duration = .minutes(10)

    /// Sets the machine's clock to a wrong time, and to the right one later.
    func setClock(error: Int, seconds: Int) {
        changeClock(for: seconds, reachedAfter: abs(error) * Self.slew + 2) {
            $0.setWallError(.seconds(error))
        }
    }

    /// Lets the machine's clock drift, and corrects it later.
    func letClockDrift(perMillion: Int, hours: Int) {
        changeClock(for: hours * 3_600, reachedAfter: nil) { $0.setDrift(perMillion: perMillion) }
    }

    /// Kills the server. Its machine, which restarts if it stays off for ten minutes, has a wrong
    /// clock until `seconds` after the start.
    func startWrong(error: Int, down: Int, seconds: Int) async throws {
        guard server != nil else { return }
        try await stop(kill: true)
        setClock(error: error, seconds: down + seconds)
        agenda.add(.startServer, at: now.adding(.seconds(down)))
    }

    /// Whether the server's time follows each step of the clock within this span after its start.
    private func followsSteps(for span: Duration) -> Bool {
        server != nil && moments.downtime >= .minutes(10)
            && now < moments.runningSince.adding(span)
    }

    /// - Parameter reachedAfter: the seconds after which the server's time has reached the wrong
    ///   time; nil if it follows at once. A real server looks often until then.
    private func changeClock(
        for seconds: Int, reachedAfter: Int?, _ change: (SimulatedTime) -> Void
    ) {
        // The server would follow a wrong step, too.
        guard !followsSteps(for: .seconds(62)) else { return }
        noteMisled()
        // A real server reads the clock every few seconds, and so just before and soon after a
        // change.
        let error = server.map { abs($0.clock.now().since(now).milliseconds) } ?? .max
        watchClock()
        // What earlier wrong clocks have recorded has its own error (`receiptError`).
        if isClockSound, error < 500 { moments.clockWrongFor = .zero }
        change(world.time)
        clockWatch.isWrong = true
        clockWatch.changedAt = now
        clockWatch.rightFrom = nil
        moments.clockWrongUntil = now.adding(.seconds(seconds))
        moments.clockWrongFor += .seconds(seconds)
        for delay in [1, seconds, seconds + 1, seconds + 60] + [reachedAfter].compactMap(\.self) {
            agenda.add(delay == seconds ? .correctClock : .look, at: now.adding(.seconds(delay)))
        }
    }

    /// Corrects the machine's clock.
    func setClockRight() {
        guard clockWatch.isWrong else { return }
        watchClock()
        if let server {
            let ahead = server.clock.now().since(now)
            if ahead > .seconds(2) { sights.insert("clock: was ahead") }
            if ahead < .seconds(-2) { sights.insert("clock: was behind") }
            // The server can't know when a drift began: its correction also moves older
            // times.
            if world.time.isDrifting { noteReceiptError(.milliseconds(abs(ahead.milliseconds))) }
        }
        world.time.setWallError(.zero)
        clockWatch.isWrong = false
        clockWatch.changedAt = now
        if world.isSynchronised || !moments.isMisled || followsSteps(for: .seconds(58)) {
            clockWatch.rightFrom = now.adding(.minutes(1))
        }
    }

    /// Brings the bound of the server's error up to date. Called before each change.
    func watchClock() {
        let elapsed = now.since(clockWatch.at)
        clockWatch.at = now
        if let from = clockWatch.rightFrom, server != nil,
            now >= max(from, moments.runningSince.adding(.minutes(1)))
        {
            clockWatch.bound = .zero
        } else if clockWatch.isWrong {
            clockWatch.bound += elapsed / Self.slew
        } else if server != nil, !moments.startedWrong, clockWatch.bound <= Self.longestSlew {
            clockWatch.bound = max(.zero, clockWatch.bound - elapsed / Self.slew)
        }
    }

    /// Accounts for what a server that has just started can't know: the error of a machine that
    /// starts with a wrong clock, and the time that a full disk didn't take.
    func noteStart(of server: Server) {
        let error = Duration.milliseconds(abs(server.clock.now().since(now).milliseconds))
        let wasFull = moments.stoppedAt.map { moments.diskFullUntil >= $0 } ?? false
        if moments.startedWrong || wasFull { clockWatch.bound = max(clockWatch.bound, error) }
        if moments.startedWrong { sights.insert("clock: wrong at the start") }
        if error > .milliseconds(500), !clockWatch.isWrong, !world.isSynchronised {
            moments.isMisled = true
        }
        clockWatch.startedAhead = server.clock.now() > now.adding(.seconds(2))
        clockWatch.sure = Set(
            truth.accounts.indices.filter { truth.accounts[$0]?.receiptError == .zero })
    }

    /// Checks that the operator is warned of a known error, and only then.
    func checkClockWarning(_ server: Server) {
        let settled = max(clockWatch.changedAt, moments.runningSince).adding(.seconds(2))
        guard now > settled else { return }
        let ahead = world.time.wall.since(server.clock.now()).milliseconds
        let warning = server.clock.warning
        if abs(ahead) > 6_000 {
            sights.insert("clock: warning")
            let words = ahead > 0 ? "s ahead of the server" : "s behind the server"
            if warning?.contains(words) != true {
                note(
                    "clock",
                    "the machine's clock is \(ahead) ms ahead of the server's time, and the "
                        + "operator reads: \(warning ?? "nothing")")
            }
        } else if abs(ahead) < 4_000, let warning {
            note("clock", "without a known error, the operator reads: \(warning)")
        }
        if !world.time.isDrifting, server.clock.isSynchronised != world.isSynchronised {
            note("clock", "the server does not know what the kernel says")
        }
    }
}
