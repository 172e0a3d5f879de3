import Domain
import Foundation
import SafetyNetwork

/// Schedules, pauses, the answers to last calls, and sources.
extension Simulator {
    func setInterval(_ person: Int, _ interval: Duration) async {
        let reminders = Reminder.allCases.filter { luck(person, $0.rawValue, below: 4) > 0 }
        guard let plan = truth.accounts[person]?.plan else { return }
        await save(person, plan.isInterval ? plan : .interval) {
            ($0.interval, $0.reminders) = (interval, Set(reminders))
        }
    }

    func setPlan(_ person: Int, _ plan: Truth.Plan) async { await save(person, plan) { _ in } }

    func setLastCall(_ person: Int, _ lastCall: LastCall) async {
        guard let plan = truth.accounts[person]?.plan else { return }
        await save(person, plan) { $0.lastCall = lastCall }
    }

    private func save(
        _ person: Int, _ plan: Truth.Plan, _ change: (inout Truth.Account) -> Void
    ) async {
        guard let server, let before = truth.accounts[person] else { return }
        var wanted = before
        change(&wanted)
        let settings = CheckInSettings(
            plan: plan.settings, intervalSeconds: Int(wanted.interval.components.seconds),
            remindTwoHoursBefore: wanted.reminders.contains(.twoHours),
            remindThirtyMinutesBefore: wanted.reminders.contains(.thirtyMinutes),
            lastCall: wanted.lastCall)
        guard
            let profile = await ask(
                person, { try await $0.checkIns.updateSettings(settings, of: $1) }
            ).value
        else { return }
        var account = before
        (account.reminders, account.lastCall) = (wanted.reminders, wanted.lastCall)
        let isNew = account.change(to: plan, wanted.interval, at: server.clock.now())
        account.shownSilence = profile.settings.longestSilence
        if isNew { noteChange(&account) }
        truth.accounts[person] = account
        hearing.reminderChange[person] = now
        if account.shownSilence != account.longestSilence {
            note(
                "silence",
                "the form shows \(name(person)) "
                    + "\(account.shownSilence.map { "\($0.components.seconds) s" } ?? "nothing")")
        }
        if let old = before.longestSilence,
            account.longestSilence.map({ $0 > old }) ?? true || account.isLater(than: before)
        {
            expectNews(.longerSilence, of: person)
        }
    }

    /// Records a deadline that depends on the server's time of the change.
    private func noteChange(_ account: inout Truth.Account) {
        account.deadlineSince = now
        guard let server, account.first != nil else { return }
        account.receiptError = max(account.receiptError, error(of: server))
    }

    /// The error of the server's clock. Until the machine's clock is right, it drifts by up to 5 %.
    func error(of server: Server) -> Duration {
        let drift = max(0, moments.clockWrongUntil.since(now).milliseconds) / 20
        return .milliseconds(abs(server.clock.now().since(now).milliseconds) + drift)
    }

    // MARK: Pauses

    func pause(_ person: Int, _ length: Duration) async {
        guard let server, let before = truth.accounts[person] else { return }
        let end = now.adding(length)
        guard await ask(person, { try await $0.pauses.pause(until: end, of: $1) }).value != nil
        else { return }
        let serverNow = server.clock.now()
        let wasPaused = before.isPaused(at: serverNow)
        if wasPaused, before.pause?.until == end { return }
        var account = before
        account.pause(until: end, at: serverNow)
        noteChange(&account)
        // The pause also moves what a wrong clock has recorded.
        if !wasPaused { account.receiptError = error(of: server) }
        truth.accounts[person] = account
        hearing.checkedIn[person] = now
        sights.insert(wasPaused ? "pause: changed" : "pause: begun")
        expectNews(wasPaused ? .pauseChanged : .pauseBegan, of: person)
        guard !wasPaused else { return }
        if truth.alarms.contains(where: { $0.owner == person }) {
            note("scheduleNews", "\(name(person)) paused during an alert")
        }
        await learnCheckIns(of: person)
    }

    func endPause(_ person: Int) async {
        guard let server, let before = truth.accounts[person],
            await ask(person, { try await $0.pauses.endPause(of: $1) }).value != nil
        else { return }
        let serverNow = server.clock.now()
        guard before.isPaused(at: serverNow) else { return }
        var account = before
        account.endPause(at: serverNow)
        noteChange(&account)
        account.receiptError = max(account.receiptError, error(of: server))
        truth.accounts[person] = account
        sights.insert("pause: ended early")
        expectNews(.pauseEnded, of: person)
    }

    /// Expects that accepted responders with an account are told at once.
    /// - Parameter chosen: those who are told; nil for all.
    func expectNews(_ news: ScheduleNews, of owner: Int, _ chosen: Set<Int>? = nil) {
        for edge in truth.roles.keys
        where edge.owner == owner && truth.accounts[edge.responder] != nil
            && chosen?.contains(edge.responder) ?? true
        {
            hearing.untold.append(.init(edge: edge, news: news))
        }
    }

    // MARK: Answers to last calls

    /// Adopts check-ins that the person didn't make in the app. Returns how many there are.
    @discardableResult
    func learnCheckIns(of person: Int) async -> Int {
        guard let server, let caller = truth.accounts[person]?.caller, let page = try? Page(),
            let records = try? await server.network.checkIns.checkIns(of: caller, page: page)
        else { return 0 }
        let known = truth.accounts[person]?.checkIns ?? []
        let new = records.filter { !known.contains($0.id) }
        for record in new.sorted(by: { $0.receivedAt < $1.receivedAt }) {
            await enter(record, record.id, of: person)
        }
        return new.count
    }

    /// Enters a key that was pressed in a last call, or its absence.
    func answerLastCall(_ report: Outside.Report, _ person: Int) async {
        guard let server, let outcome = report.outcome else { return }
        if outcome == .declines {
            truth.accounts[person]?.raises.insert(AlertID(report.delivery.uuid))
            truth.accounts[person]?.raisedByKey.insert(AlertID(report.delivery.uuid))
            sights.insert("last call: key 2")
        }
        let subject = await server.enter(report)
        guard outcome == .takesOn else { return }
        sights.insert("last call: key 1")
        let count = await learnCheckIns(of: person)
        if case .lastCall = subject, server.disk.condition == .fine, count == 0,
            !brokenPeople.contains(person), isClockSound
        {
            note("lastCall", "\(name(person)) pressed 1 in a last call, and has not checked in")
        }
    }

    /// Looks for a check-in by SMS. Returns true if there is one.
    func checkedInByText(_ person: Int, _ reply: String?) async -> Bool {
        let mayAnswer = truth.accounts[person]?.lastCall.takesAnswers ?? false
        let last = truth.accounts[person]?.lastCheckIn
        let count = await learnCheckIns(of: person)
        noteStale(person, since: last)
        if count > 0 {
            sights.insert("last call: SMS answered")
            if !mayAnswer {
                note("lastCall", "\(name(person)) checked in by SMS and hasn't allowed it")
            }
        }
        return count > 0 || reply?.contains("checked in") == true
            || reply?.contains("Recorded.") == true
    }

    // MARK: Sources

    func addSource(_ person: Int) async {
        guard let account = truth.accounts[person], account.sources.count < SourceRules.limit
        else { return }
        let label = "Button \(account.sources.count + account.removedSources.count + 1)"
        let answer = await ask(person, .addSource) { try await $0.sources.add(label, of: $1) }
        if case .refused(let error) = answer, error != .accountLocked {
            note("source", "\(name(person)) could not add a source: \(error)")
        }
        guard let new = answer.value else { return }
        truth.accounts[person]?.sources.append(
            Truth.Source(id: new.source.id, name: label, secret: new.address.lastPathComponent))
    }

    func removeSource(_ person: Int) async {
        guard let source = truth.accounts[person]?.sources.first,
            await ask(person, { try await $0.sources.remove(source.id, of: $1) }).value != nil
        else { return }
        truth.accounts[person]?.sources.removeFirst()
        truth.accounts[person]?.removedSources.append(source)
    }

    /// Presses the button, which needs no phone.
    func useSource(_ person: Int, isRemoved: Bool) async {
        await learnCheckIns(of: person)
        guard let server, let account = truth.accounts[person], let page = try? Page(),
            let source = isRemoved ? account.removedSources.last : account.sources.last
        else { return }
        let refusal: CommandError?
        do {
            _ = try await server.network.sources.checkIn(bySource: source.secret)
            refusal = nil
        } catch let error as CommandError {
            refusal = error
        } catch {
            if server.disk.condition == .fine, brokenPeople.isEmpty {
                note("unexpected", "a source of \(name(person)) failed: \(error)")
            }
            return
        }
        let history = try? await server.network.checkIns.checkIns(of: account.caller, page: page)
        let new = history?.filter { !account.checkIns.contains($0.id) }.map(\.source)
        await learnCheckIns(of: person)
        noteStale(person, since: account.lastCheckIn)
        if isRemoved { sights.insert("source: removed") }
        if refusal == nil ? isRemoved : new?.isEmpty == false {
            note("source", "\(name(person)) checked in by a source that may not")
        } else if refusal == nil, let new, new != [source.name] {
            note("source", "\(name(person)) used \(source.name), and the history has \(new)")
        }
        if !isRemoved { checkUse(of: source, by: person, refusal, server) }
    }

    /// Checks the limit of once a minute.
    private func checkUse(
        of source: Truth.Source, by person: Int, _ refusal: CommandError?, _ server: Server
    ) {
        let serverNow = server.clock.now()
        let isSure = isClockSound && source.isTimeSure
        let isTooSoon =
            source.usedAt.map { serverNow.since($0) < SourceRules.betweenUses } ?? false
        if let refusal {
            if isTooSoon { sights.insert("source: too soon") }
            // The limit of all check-ins lets those pass that are 10 seconds apart.
            let heardAt = truth.accounts[person]?.heardAt ?? .distantPast
            let isOften =
                if case .rateLimited = refusal { now.since(heardAt) < .seconds(15) } else { false }
            if !isTooSoon, !isOften, isSure, server.disk.condition == .fine,
                brokenPeople.isEmpty
            {
                note("source", "\(name(person))'s source was refused: \(refusal)")
            }
            return
        }
        sights.insert("source: used")
        if isTooSoon, isSure {
            note("source", "\(name(person))'s source checked in twice in a minute")
        }
        guard let sources = truth.accounts[person]?.sources,
            let index = sources.firstIndex(where: { $0.id == source.id })
        else { return }
        truth.accounts[person]?.sources[index].usedAt = serverNow
        truth.accounts[person]?.sources[index].isTimeSure = isClockSound
    }
}

/// What responders are told of a schedule or a journey.
enum ScheduleNews: Sendable {
    case longerSilence, pauseBegan, pauseChanged, pauseEnded
    case journeyStarted, journeyLater, journeyEnded
}

extension Truth.Plan {
    fileprivate var settings: CheckInPlan {
        switch self {
        case .interval: .interval
        case .none: .none
        case .intervalWithSleep(let sleep):
            CheckInPlan(
                intervalWith: TimeOfDay(minutes: sleep.from).flatMap { from in
                    TimeOfDay(minutes: sleep.until).map {
                        SleepHours(from: from, until: $0, timeZone: sleep.place.rawValue)
                    }
                })
        case .times(let times):
            .times(
                CheckInTimes(
                    timeZone: times.place.rawValue,
                    windows: times.windows.compactMap { window in
                        guard let deadline = TimeOfDay(minutes: window.deadline) else {
                            return nil
                        }
                        return CheckInWindow(
                            days: Set(times.days.sorted().map { Weekday.allCases[$0] }),
                            opens: window.lead.flatMap {
                                TimeOfDay(minutes: (window.deadline - $0 + 1_440) % 1_440)
                            },
                            deadline: deadline)
                    }))
        }
    }
}
