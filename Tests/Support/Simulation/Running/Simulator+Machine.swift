import Domain
import Foundation
import Persistence

/// Starts, kills, full disks, restores and wrong clocks.
extension Simulator {
    func start() async throws {
        watchClock()
        moments.downtime = moments.stoppedAt.map { now.since($0) } ?? .zero
        // After a long downtime, the machine has restarted, too.
        if moments.downtime >= .minutes(10) {
            moments.boot += 1
            moments.startedWrong = world.time.wall != now
        }
        let server = try Server(
            path: database, boot: moments.boot, keyNumber: truth.keyNumber, world: world)
        try await server.begin()
        self.server = server
        moments.runningSince = now
        lastPass = nil
        cleanUpDue = server.clock.now().adding(.minutes(7))
        chores = Chores(from: now)
        counts.starts += 1
        noteStart(of: server)
        noteWrongStart(of: server)
        try await mendRows()
        for phone in phones where !phone.queue.isEmpty { retry(phone.person) }
        try await checkDurability()
    }

    /// Accounts for a machine that starts with a wrong clock, unknown to the kernel. The server
    /// trusts that clock and shifts its stored times.
    private func noteWrongStart(of server: Server) {
        guard moments.startedWrong, !world.isSynchronised else { return }
        let error = Duration.milliseconds(abs(server.clock.now().since(now).milliseconds))
        guard error > .seconds(2) else { return }
        noteReceiptError(error)
    }

    /// The server may correct the recorded times of everyone by up to this.
    func noteReceiptError(_ error: Duration) {
        for person in truth.accounts.indices {
            guard let known = truth.accounts[person]?.receiptError else { continue }
            truth.accounts[person]?.receiptError = max(known, error)
        }
    }

    func stop(kill: Bool) async throws {
        guard let server else { return }
        noteMisled()
        watchClock()
        try? await giveSignOfLife(server)
        if kill {
            let next = folder.file("database-\(databases + 1)")
            databases += 1
            try folder.copy(database, to: next)
            server.disk.condition = .dead
            try server.disk.close()
            folder.remove(database)
            database = next
        } else {
            while let attempt = world.outside.takeTry(early: true) { await attempt.run() }
            digest()
            server.disk.condition = .dead
            try server.disk.close()
        }
        self.server = nil
        moments.stoppedAt = now
        world.notes.forget()
        digest()
    }

    func restart(kill: Bool, seconds: Int) async throws {
        guard server != nil else { return }
        try await stop(kill: kill)
        agenda.add(.startServer, at: now.adding(.seconds(seconds)))
    }

    /// A server does this every five seconds. Here it comes before each pass, stop and kill.
    func giveSignOfLife(_ server: Server) async throws {
        let (hadEvents, note) = (world.notes.hasEvents, server.disk.lifeNote)
        world.notes.hasEvents = false
        do {
            try await server.network.serverLife.giveCheapSignOfLife(isIdle: !hadEvents)
            if server.disk.lifeNote != note { sights.insert("life note") }
        } catch {
            if hadEvents { world.notes.hasEvents = true }
            throw error
        }
    }

    func fillDisk(atCommit: Bool, seconds: Int) {
        moments.diskFullUntil = max(moments.diskFullUntil, now.adding(.seconds(seconds)))
        server?.disk.condition = atCommit ? .fullAtCommit : .full
        agenda.add(.healDisk, at: moments.diskFullUntil)
    }

    /// Records that the server has adopted a wrong clock. After a correction, its time returns by
    /// only 5 % of the passing time, unless the kernel reports a synchronised clock.
    func noteMisled() {
        guard let server, world.time.wall != now, !world.isSynchronised else { return }
        if abs(server.clock.now().since(world.time.wall).milliseconds) < 2_000 {
            moments.isMisled = true
        }
    }

    /// Records that the clock is right and the server has noticed.
    func noteClock() {
        guard moments.isMisled, let server, world.time.wall == now, !world.time.isDrifting
        else { return }
        guard abs(server.clock.now().since(now).milliseconds) < 500 else { return }
        moments.isMisled = false
        moments.clockWrongUntil = now
    }

    func backUp() async throws {
        guard let server, server.disk.condition == .fine else { return }
        try await server.network.serverLife.giveSignOfLife()
        let path = folder.file("backup")
        try server.disk.backUp(to: path)
        backup = (path, truth, now)
        watchClock()
        clockWatch.boundOfBackup = clockWatch.bound
    }

    func restore(seconds: Int) async throws {
        guard let backup, server != nil else { return }
        try await stop(kill: true)
        clockWatch.adoptBackup()
        _ = try SQLiteFile.restore(backup.path, to: database)
        try folder.removeOld(database)
        let keyNumber = truth.keyNumber
        truth = backup.truth
        for (person, guest) in truth.guests { identities[guest] = person }
        // The former key can't read the links of the newer one.
        if truth.keyNumber != keyNumber { hearing.forgetLinks() }
        // The backup may have been incomplete, too.
        let earlier = truth.restore.flatMap { now.since($0.at) < .days(8) ? $0.to : nil }
        truth.restore = Truth.Restore(at: now, to: min(backup.at, earlier ?? backup.at))
        let open = Set(truth.alarms.map(\.id))
        hearing.goBack(to: open, Set(truth.listeners.keys))
        for index in phones.indices { phones[index].answers = [:] }
        counts.restores += 1
        restartWaits(at: now.adding(.seconds(seconds)))
        agenda.add(.startServer, at: now.adding(.seconds(seconds)))
        for phone in phones {
            agenda.add(
                .resend(phone.person),
                at: now.adding(.seconds(seconds + 2 + luck(phone.person, below: 20))))
        }
    }

    /// Records what the first start after a restore does with waiting changes and sign-ins, and
    /// with unused tokens for a number.
    private func restartWaits(at start: Date) {
        for (index, ticket) in truth.tickets.enumerated()
        where ticket.number != nil && ticket.used < ticket.uses {
            truth.tickets[index].isRevoked = true
        }
        for person in truth.accounts.indices {
            if let move = truth.accounts[person]?.move {
                let wait = move.isOwn ? Truth.SignInLock.week : Truth.Move.wait
                truth.accounts[person]?.move?.dueAt = start.adding(wait)
                // The loop finds it within a minute.
                chores.plan(.moves, at: start.adding(wait + .minutes(1)))
            }
            if truth.accounts[person]?.signInLock?.wait?.stoppedAt == nil {
                truth.accounts[person]?.signInLock?.wait = nil
            }
        }
    }

    // MARK: Broken rows

    func breakRow(_ table: Step.Table, of person: Int, seconds: Int) async throws {
        guard let server, server.disk.condition == .fine, let account = truth.accounts[person]
        else { return }
        let id = account.caller.userID.description.replacing("-", with: "")
        let (columns, owner) =
            switch table {
            case .schedules: ("missed_told", "user_id")
            case .alerts: ("repeats", "user_id")
            case .pings: ("state", "dependent_id")
            }
        broken.append((table, person, now.adding(.seconds(seconds))))
        let name = Self.trigger(table, person)
        try await server.disk.write(about: .none) { transaction in
            try transaction.execute("DROP TRIGGER IF EXISTS \(name)", [])
            try transaction.execute(
                """
                CREATE TRIGGER \(name) BEFORE UPDATE OF \(columns) ON \(table.rawValue)
                WHEN OLD.\(owner) = x'\(id)' BEGIN SELECT RAISE(ABORT, 'simulated'); END
                """, [])
        }
        agenda.add(.mendRows, at: now.adding(.seconds(seconds)))
    }

    /// Drops the triggers of all rows that were ever broken. A restored backup may contain the
    /// trigger of a mended row.
    func mendRows() async throws {
        guard let server, server.disk.condition == .fine, !broken.isEmpty else { return }
        let time = now
        let names = broken.filter { $0.until <= time }.map { Self.trigger($0.table, $0.person) }
        let still = Set(broken.filter { $0.until > time }.map { Self.trigger($0.table, $0.person) })
        try await server.disk.write(about: .none) { transaction in
            for name in names where !still.contains(name) {
                try transaction.execute("DROP TRIGGER IF EXISTS \(name)", [])
            }
        }
        server.loops.wake(.deadlines)
    }

    private static func trigger(_ table: Step.Table, _ person: Int) -> String {
        "broken_\(table.rawValue)_\(person)"
    }

    /// People with a broken row. The server may handle a mended row a minute later.
    var brokenPeople: Set<Int> {
        Set(broken.filter { now < $0.until.adding(.seconds(90)) }.map(\.person))
    }

    // MARK: Errands

    func run(_ errand: Errand) async throws {
        switch errand {
        case .startServer:
            if now < moments.diskFullUntil {
                agenda.add(.startServer, at: moments.diskFullUntil)
            } else if server == nil {
                try await start()
            }
        case .healDisk:
            guard now >= moments.diskFullUntil, let server else { return }
            server.disk.condition = .fine
            server.loops.wakeAll()
            try await mendRows()
        case .correctClock:
            noteMisled()
            if now >= moments.clockWrongUntil { setClockRight() }
            server?.loops.wakeAll()
        case .mendRows: try await mendRows()
        case .look:
            server?.loops.wakeAll()
            hasNews = true
        case .check: hasNews = true
        case .flush(let person): await flush(person)
        case .resend(let person): await resend(person)
        case .report(let report): try await enter(report)
        case .checkReport(let report): try await checkReport(report)
        case .raiseAgain(let person, let times): await raiseAgain(person, times: times)
        case .endAgain(let person, let times): await endAgain(person, times: times)
        }
    }
}
