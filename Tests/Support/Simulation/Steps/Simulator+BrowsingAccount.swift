import Domain
import Foundation
import SafetyNetwork

/// What an app shows of the person's own account: profile, devices, sources and the month.
extension Simulator {
    // MARK: Profile, schedule and journey

    func browseProfile(_ person: Int) async {
        guard let profile = await ask(person, { try await $0.profiles.profile(of: $1) }).value,
            let account = truth.accounts[person], let serverNow = server?.clock.now()
        else { return }
        if profile.id != account.caller.userID || profile.name != name(person)
            || profile.emergencyNote != account.reading.note
        {
            misread(person, "sees another name or emergency note in the profile")
        }
        if account.move == nil, profile.phoneNumber != (try? phoneNumber(of: person)) {
            misread(person, "sees the number \(profile.phoneNumber) in the profile")
        }
        if (profile.lockedAt != nil) != account.isLocked
            || (profile.numberMove != nil) != (account.move != nil)
        {
            misread(person, "does not see what administrators have begun")
        }
        if profile.timeZone == Step.Zone.nowhere.rawValue {
            misread(person, "is in a zone that doesn't exist")
        }
        checkSchedule(profile, account, of: person, serverNow)
        checkStatus(profile.status, of: person, as: person)
        checkJourney(profile.journey, account.journey, of: person)
    }

    private func checkSchedule(
        _ profile: UserProfile, _ account: Truth.Account, of person: Int, _ serverNow: Date
    ) {
        let settings = profile.settings
        let reminders = Set(Reminder.allCases.filter(settings.isOn))
        if settings.interval != account.interval || settings.plan.kind != account.plan.kind
            || (settings.plan.sleep != nil) != account.plan.hasSleep
            || reminders != account.reminders || settings.lastCall != account.lastCall
        {
            misread(person, "sees another schedule than the saved one")
        }
        // The shown silence is that of the last save.
        if settings.longestSilence != account.longestSilence {
            misread(person, "sees another longest silence than that of the schedule")
        }
        if account.receiptError == .zero, isTimeSure, !brokenPeople.contains(person) {
            let mayDiffer = account.deadline == nil && account.plan != .none
            if profile.lastCheckInTime != account.lastCheckIn
                || !mayDiffer && profile.nextCheckInTime != account.deadline
                || !mayDiffer && profile.schedule.deadline != account.deadline
            {
                misread(person, "sees another check-in or deadline than the own one")
            }
        }
        let isPaused = account.isPaused(at: serverNow)
        let isSure = account.pause.map { abs($0.until.since(serverNow).milliseconds) > 2_000 }
        if isSure ?? true, profile.pause?.until != (isPaused ? account.pause?.until : nil) {
            misread(person, "sees another pause than the own one")
        }
    }

    private func checkJourney(
        _ shown: JourneyRecord?, _ journey: Truth.Journey?, of person: Int
    ) {
        guard let journey, journey.isRunning else {
            if shown != nil { misread(person, "sees a journey after the arrival") }
            return
        }
        guard let shown else { return misread(person, "does not see the own journey") }
        if shown.id != journey.id || shown.expectedReturn != journey.expectedReturn
            || shown.deadline != journey.deadline
        {
            misread(person, "sees another journey or return than the own one")
        }
        if shown.name != Truth.Journey.name || shown.note != Truth.Journey.note
            || shown.tellsResponders != journey.tells
        {
            misread(person, "sees other words about the own journey")
        }
        let chosen = shown.responderIds.map { ids in Set(ids.compactMap { identities[$0] }) }
        if (chosen == nil) != (journey.chosen == nil) {
            misread(person, "sees wrongly whether all are told of the journey")
        }
        if let chosen, let known = journey.chosen, !chosen.isSubset(of: known) {
            misread(person, "sees people chosen for the journey who were not")
        }
        let alarm = truth.alarm(of: person, .journey)
        if let alarm, !mayHaveEnded(alarm), shown.alertId != alarm.id {
            misread(person, "does not see the alert of the own journey")
        }
    }

    // MARK: Devices and sources

    func browseEndpoints(_ person: Int) async {
        guard let list = await ask(person, { try await $0.endpoints.pushEndpoints(of: $1) }).value,
            let sessions = await ask(person, { try await $0.signIn.sessions(of: $1) }).value,
            let account = truth.accounts[person]
        else { return }
        let known = account.endpoints.merging(account.endings) { own, _ in own }
        let numbers = Dictionary(
            known.map { ($0.value, $0.key) }, uniquingKeysWith: { one, _ in one })
        if Set(list.map(\.id)).count != list.count { misread(person, "sees an endpoint twice") }
        for endpoint in list {
            guard let number = numbers[endpoint.id] else {
                misread(person, "sees an endpoint that was removed or never added")
                continue
            }
            let place = Endpoint(person: person, number: number)
            if endpoint.kind != place.kind.shown || Endpoint(url: endpoint.url) != place {
                misread(person, "sees \(place) as a \(endpoint.kind.rawValue)")
            }
            let isWebhook = place.kind == .webhook
            let shown = endpoint.name(among: sessions)
            if isWebhook != (shown == "endpoint.example") || shown.isEmpty {
                misread(person, "sees \(place) under the name \(shown)")
            }
            let isFailing = endpoint.failingSince != nil || endpoint.lastFailure != nil
            if (endpoint.failureWords != nil) != isFailing {
                misread(person, "reads of \(place): \(endpoint.failureWords ?? "nothing")")
            }
            if isFailing, world.outside.lastTrouble(place) == nil, moments.boot == 1,
                counts.starts == 1
            {
                misread(person, "reads that \(place) fails, which always worked")
            }
        }
    }

    func browseSources(_ person: Int) async {
        await learnCheckIns(of: person)
        guard let list = await ask(person, { try await $0.sources.sources(of: $1) }).value,
            let sources = truth.accounts[person]?.sources
        else { return }
        if Set(list.map(\.id)) != Set(sources.map(\.id)) || list.count != sources.count {
            misread(person, "sees \(list.count) sources, and has \(sources.count)")
        }
        for source in list {
            guard let known = sources.first(where: { $0.id == source.id }) else { continue }
            if source.name != known.name {
                misread(person, "sees the source \(known.name) as \(source.name)")
            }
            if areTimesUntouched, source.lastUsedAt != known.usedAt {
                misread(person, "sees another last use of \(known.name)")
            }
        }
    }

    func browseSessions(_ person: Int) async {
        guard let list = await ask(person, { try await $0.signIn.sessions(of: $1) }).value,
            let caller = truth.accounts[person]?.caller
        else { return }
        // A session that somebody has ended by a link may not be replaced yet.
        for session in list where session.isCurrent != (session.id == caller.sessionID) {
            misread(person, "sees \(session.deviceName) wrongly as this device, or not as it")
        }
        if Set(list.map(\.id)).count != list.count { misread(person, "sees a session twice") }
        if list.map(\.lastUsedAt) != list.map(\.lastUsedAt).sorted(by: >) {
            misread(person, "does not see the session that was used last first")
        }
        for session in list where session.lastUsedAt < session.createdAt && areTimesUntouched {
            misread(person, "sees that \(session.deviceName) was used before its sign-in")
        }
        let other = another(than: person, 139)
        guard other != person, let foreign = truth.accounts[other]?.caller.sessionID else { return }
        let answer = await ask(person) { try await $0.signIn.endSession(foreign, of: $1) }
        if answer.value != nil { pries(person, "ended the session of \(name(other))") }
    }

    // MARK: The month

    func browseMonth(_ person: Int) async {
        await learnCheckIns(of: person)
        let limit = 4 + luck(person, 149, below: 40)
        let records = await readPages(
            person, limit: limit,
            { try await $0.checkIns.checkIns(of: $1, page: $2) },
            { (record: CheckInRecord) in
                Page.Cursor(time: record.occurredAt, id: record.id.uuid)
            })
        let alerts = await readPages(
            person, limit: 50,
            { try await $0.alerts.alerts(visibleTo: $1, page: $2) },
            { (record: AlertRecord) in
                AlertID(record.id).map { Page.Cursor(time: record.startTime, id: $0.uuid) }
            })
        guard let records, let alerts,
            let profile = await ask(person, { try await $0.profiles.profile(of: $1) }).value,
            let account = truth.accounts[person], let serverNow = server?.clock.now()
        else { return }
        checkHistory(records, account, of: person)
        let own = alerts.filter { $0.userId == profile.id.description }
        let zone = CheckInMonth.zone(of: profile.settings, device: profile.timeZone)
        if case .times(let times) = account.plan, zone.identifier != times.place.rawValue {
            misread(person, "sees the days of \(zone.identifier), not of the schedule")
        }
        let present = CalendarMonth(containing: serverNow, in: zone)
        checkNames(of: present, person)
        for month in [present, present.previous] {
            let shown = CheckInMonth(
                month, checkIns: records, alerts: own, pause: profile.pause,
                knownSince: CheckInMonth.startOfDay(profile.createdAt, in: zone), in: zone,
                at: serverNow)
            check(shown, own, account, zone, serverNow, of: person)
        }
        sights.insert("shelf: month")
    }

    private func checkHistory(
        _ records: [CheckInRecord], _ account: Truth.Account, of person: Int
    ) {
        for (newer, older) in zip(records, records.dropFirst())
        where (newer.occurredAt, newer.id) <= (older.occurredAt, older.id) {
            misread(person, "sees an older check-in before a newer one")
        }
        let lost = account.checkIns.subtracting(records.map(\.id))
        if !lost.isEmpty { misread(person, "does not see \(lost.count) own check-ins") }
        guard areTimesUntouched else { return }
        for record in records {
            if let known = account.reading.moments[record.id], known != record.occurredAt {
                misread(person, "sees a check-in at another time than that of the answer")
            }
        }
    }

    private func checkNames(of month: CalendarMonth, _ person: Int) {
        let neighbours = [month.previous, month, month.next]
        let isReadable =
            CalendarMonth(month.text) == month && month.words == "\(month.name) \(month.year)"
        if month.next.previous != month || month.previous.next != month || !isReadable
            || neighbours != neighbours.sorted()
        {
            misread(person, "turns the pages from \(month.words), and comes elsewhere")
        }
    }

    /// Checks the days against the calendar of the system and the known check-ins.
    private func check(
        _ shown: CheckInMonth, _ alerts: [AlertRecord], _ account: Truth.Account,
        _ zone: TimeZone, _ serverNow: Date, of person: Int
    ) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        func number(_ date: Date) -> Int? {
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let isInMonth = parts.year == shown.month.year && parts.month == shown.month.month
            return isInMonth ? parts.day : nil
        }
        let begin = shown.month.start(in: zone)
        let length = calendar.range(of: .day, in: .month, for: begin)?.count
        let cells: [CheckInMonth.Day] = shown.weeks.flatMap { week in week.compactMap { $0 } }
        let hasWholeWeeks = shown.weeks.allSatisfy { $0.count == 7 }
        if shown.days.map(\.number) != Array(1...(length ?? 1)) || number(begin) != 1
            || cells != shown.days || !hasWholeWeeks
        {
            return misread(person, "sees a month without its days: \(shown.month.words)")
        }
        let today = number(serverNow)
        let marked = shown.days.filter(\.isToday).map(\.number)
        let first = calendar.component(.weekday, from: begin)
        if shown.days.first?.weekday.index != (first + 5) % 7
            || marked != (today.map { [$0] } ?? [])
        {
            misread(person, "sees a wrong weekday or day in \(shown.month.words)")
        }
        guard areTimesUntouched else { return }
        let misses = alerts.filter { $0.kind == .missedCheckIn }
        let missed = Set(misses.compactMap { number($0.startTime) })
        let stillMissed = Set(misses.filter(\.isActive).compactMap { number($0.startTime) })
        var made: [Int: Set<CheckInID>] = [:]
        for (id, moment) in account.reading.moments {
            if let day = number(moment) { made[day, default: []].insert(id) }
        }
        for day in shown.days {
            let ids = made[day.number] ?? []
            if Set(day.checkIns.map(\.id)) != ids {
                misread(
                    person,
                    "sees \(day.checkIns.count) check-ins on day \(day.number), and made "
                        + "\(ids.count)")
            }
            check(day, isMissed: missed.contains(day.number), misses, today, account, person)
            if stillMissed.contains(day.number), ![.missed, .unknown].contains(day.mark) {
                misread(person, "sees the day of an open alert as \(day.mark.rawValue)")
            }
            if shown.day(day.number) != day || shown.day(nil) != nil {
                misread(person, "opens day \(day.number), and sees another")
            }
        }
    }

    /// Checks what a day says of itself.
    private func check(
        _ day: CheckInMonth.Day, isMissed: Bool, _ misses: [AlertRecord], _ today: Int?,
        _ account: Truth.Account, _ person: Int
    ) {
        let hasCheckIns = !day.checkIns.isEmpty
        let isExpected =
            switch day.mark {
            case .kept: hasCheckIns
            case .late: hasCheckIns && !misses.isEmpty
            case .missed: isMissed
            case .paused: !hasCheckIns && account.pause != nil
            case .noCheckIn: !hasCheckIns
            case .unknown: true
            case .future: !day.isToday
            }
        let mustBeKept = hasCheckIns && misses.isEmpty && day.mark != .unknown
        if !isExpected || mustBeKept && day.mark != .kept {
            misread(person, "sees day \(day.number) as \(day.mark.rawValue)")
        }
        if day.isToday, day.mark == .future || day.mark == .unknown {
            misread(person, "sees today as \(day.mark.rawValue)")
        }
        if let today, day.number > today, day.mark != .future {
            misread(person, "sees day \(day.number), which is to come, as \(day.mark.rawValue)")
        }
    }
}

extension DeviceKind {
    /// The product's name for this kind.
    fileprivate var shown: PushEndpoint.Kind {
        switch self {
        case .webhook: .webhook
        case .browser: .webPush
        case .iPhone: .apns
        case .android: .fcm
        }
    }
}
