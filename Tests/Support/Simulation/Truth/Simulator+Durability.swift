import Domain
import Foundation
import Persistence

/// Checks that answered writes exist, after each start and sometimes later.
extension Simulator {
    private struct Rows: Sendable {
        struct Schedule: Sendable {
            var interval: Int
            var last: Date?
            var plan: String?
            var first: Truth.First?
            var pausedUntil: Date?
            var deadline: Date?
        }

        var schedules: [UserID: Schedule] = [:]
        var checkIns: [UserID: Set<CheckInID>] = [:]
        var roles: [(responder: UserID, owner: UserID, request: String?)] = []
        var devices: [UserID: Set<PushEndpointID>] = [:]
        var blocks: [(blocker: UserID, blocked: UserID)] = []
        var alerts: [AlertID: (acknowledgedBy: UserID?, report: String?)] = [:]
        var journeys: [UserID: (id: JourneyID, expectedReturn: Date)] = [:]
        var sources: [UserID: Set<SourceID>] = [:]
        var people: [UserID: (number: String?, isLocked: Bool)] = [:]
        /// The people whose number changes.
        var moves: Set<UserID> = []
        var withoutReason = 0
        /// How deliveries have ended so far.
        var results = Set<String>()
        /// The channels and the waiting times of rows that wait, in milliseconds.
        var waiting: [(channel: String, time: Int64)] = []
    }

    func checkDurability() async throws {
        guard let server else { return }
        let rows = try await server.disk.read(Self.read)
        sights.formUnion(rows.results)
        for person in truth.accounts.indices { checkAccount(of: person, rows) }
        checkRelations(rows)
        checkAlerts(rows)
        if rows.withoutReason > 0 {
            note("reason", "\(rows.withoutReason) rows of the ledger are settled and don't say why")
        }
        checkWaiting(rows)
    }

    /// Checks that nothing waits longer than a limit or a retry demands: ten minutes, with a minute
    /// for the difference of the clocks. What is due is taken within two minutes, unless a device
    /// or webhook fails: its back-off on the second day is ten minutes (`EndpointRules.rest`).
    private func checkWaiting(_ rows: Rows) {
        guard isClockSound, brokenPeople.isEmpty,
            now.since(max(moments.runningSince, moments.diskFullUntil)) > .minutes(15)
        else { return }
        let carriers = [DeliveryChannel.sms, .voice, .email].map(\.rawValue)
        for row in rows.waiting {
            let longest: Int64 = carriers.contains(row.channel) ? 120_000 : 660_000
            guard row.time < -longest || row.time > 660_000 else { continue }
            note("waiting", "a row of \(row.channel) is due in \(row.time / 1_000) s")
        }
    }

    /// Returns whether the server stores the expected end of a pause. If a person ends a pause
    /// while the clock is wrong, the server corrects that time later.
    private func isPause(
        _ pause: Truth.Pause?, until end: Date?, _ account: Truth.Account
    ) -> Bool {
        guard let pause, let end, pause.isCut else { return pause?.until == end }
        return abs(end.since(pause.until).milliseconds) <= account.receiptError.milliseconds
    }

    private func checkAccount(of person: Int, _ rows: Rows) {
        guard let account = truth.accounts[person] else { return }
        let (id, name) = (account.caller.userID, name(person))
        guard let schedule = rows.schedules[id] else {
            return note("durable", "\(name)'s account is gone")
        }
        let differences = [
            account.mayHaveCounted(from: schedule.last) ? nil : "last check-in",
            .seconds(schedule.interval) == account.interval ? nil : "interval",
            isPause(account.pause, until: schedule.pausedUntil, account) ? nil : "pause",
            (schedule.plan?.contains("windows") ?? false) == account.plan.isTimes
                && (schedule.plan == nil) == (account.plan == .interval) ? nil : "plan",
        ].compactMap(\.self)
        if !differences.isEmpty {
            let what = differences.joined(separator: ", ")
            note("durable", "\(name)'s schedule is not what was answered: \(what)")
        }
        // The server has corrected the times of check-ins that came while the clock was wrong.
        if schedule.last != account.lastCheckIn {
            truth.accounts[person]?.lastCheckIn = schedule.last
        }
        if account.pause?.isCut == true, let until = schedule.pausedUntil {
            truth.accounts[person]?.pause?.until = until
        }
        if account.isUnsure, schedule.first != account.first {
            truth.accounts[person]?.first = schedule.first
        }
        if let deadline = account.deadline, account.receiptError == .zero, isClockSound,
            schedule.deadline != deadline
        {
            note(
                "window",
                "\(name) has the deadline \(schedule.deadline.map { "\($0)" } ?? "never"), "
                    + "not \(deadline)")
        }
        let journey = account.journey.flatMap { $0.isRunning ? $0 : nil }
        if rows.journeys[id]?.id != journey?.id
            || rows.journeys[id]?.expectedReturn != journey?.expectedReturn
        {
            note("durable", "\(name)'s journey is not what was answered")
        }
        if rows.sources[id] ?? [] != Set(account.sources.map(\.id)) {
            note("durable", "\(name)'s sources are not what was answered")
        }
        let row = rows.people[id]
        if row?.number != (try? phoneNumber(of: person))?.text || row?.isLocked != account.isLocked
            || rows.moves.contains(id) != (account.move != nil)
        {
            note("durable", "\(name)'s number or lock is not what was answered")
        }
        let lost = account.checkIns.subtracting(rows.checkIns[id] ?? [])
        if !lost.isEmpty { note("durable", "\(lost.count) check-ins of \(name) are lost") }
        let devices = rows.devices[id] ?? []
        let forgotten = account.endpoints.merging(account.endings) { own, _ in own }
            .filter { !devices.contains($0.value) }
        for number in forgotten.keys {
            truth.accounts[person]?.endpoints[number] = nil
            truth.accounts[person]?.endings[number] = nil
        }
        let isSignedIn = now.since(account.refreshedAt) < .days(89)
        if forgotten.count > account.removalsTold, !account.isMuted, isSignedIn {
            note("endpoint", "\(name)'s webhook was forgotten")
        }
        truth.accounts[person]?.removalsTold -= min(account.removalsTold, forgotten.count)
    }

    /// Adopts the row of a person whose deadline depends on the times of a wrong clock.
    func adoptSchedule(of person: Int) async {
        guard let account = truth.accounts[person],
            let schedule = try? await server?.disk.read({
                try Self.readSchedules($0)[account.caller.userID]
            })
        else { return }
        truth.accounts[person]?.lastCheckIn = schedule.last
        truth.accounts[person]?.first = schedule.first
    }

    private func checkRelations(_ rows: Rows) {
        var roles: Set<Edge> = []
        var requests: [Edge: Int] = [:]
        for row in rows.roles {
            guard let responder = identities[row.responder], let owner = identities[row.owner]
            else { continue }
            let edge = Edge(responder: responder, owner: owner)
            switch row.request {
            case nil: roles.insert(edge)
            case "owner": requests[edge] = owner
            default: requests[edge] = responder
            }
        }
        let known = Set(truth.roles.keys)
        if roles != known {
            let names = roles.symmetricDifference(known).map {
                "\(name($0.responder)) for \(name($0.owner))"
            }
            note(
                "durable",
                "roles are not what was answered: \(names.sorted().joined(separator: ", "))")
        }
        if requests != truth.requests { note("durable", "requests are not what was answered") }
        let blocks = Set(
            rows.blocks.compactMap { row in
                identities[row.blocker].flatMap { blocker in
                    identities[row.blocked].map { Truth.Block(blocker: blocker, blocked: $0) }
                }
            })
        if blocks != Set(truth.blocks.keys) { note("durable", "blocks are not what was answered") }
    }

    private func checkAlerts(_ rows: Rows) {
        for alarm in truth.alarms {
            guard let row = rows.alerts[alarm.id] else {
                // An end that the observer hasn't processed isn't a loss.
                if !mayHaveEnded(alarm) {
                    note("durable", "\(name(alarm.owner))'s open alert is gone")
                }
                continue
            }
            let isKept =
                row.acknowledgedBy.flatMap { identities[$0] } == alarm.acknowledgedBy
                && row.report == alarm.report?.rawValue
            if !isKept {
                let kept = row.acknowledgedBy.flatMap { identities[$0] }.map(name)
                note(
                    "durable",
                    """
                    who is on the alert of \(name(alarm.owner)) is not what was answered: \
                    \(kept ?? "nobody"), \(row.report ?? "no report") in place of \
                    \(alarm.acknowledgedBy.map(name) ?? "nobody"), \
                    \(alarm.report?.rawValue ?? "no report")
                    """)
            }
        }
    }

    private static func readSchedules(
        _ connection: any SQLConnection
    ) throws -> [UserID: Rows.Schedule] {
        var schedules: [UserID: Rows.Schedule] = [:]
        _ = try connection.query(
            """
            SELECT user_id, interval_seconds, last_check_in_at, plan, start_from,
                start_deadline_at, paused_until,
                COALESCE(own_deadline_at, last_check_in_at + interval_seconds * 1000) AS deadline
            FROM schedules
            """, []
        ) { row in
            let (from, deadline): (Date?, Date?) = (
                try row["start_from"], try row["start_deadline_at"]
            )
            let first = from.flatMap { from in
                deadline.map { Truth.First(from: from, deadline: $0) }
            }
            schedules[try row["user_id"]] = Rows.Schedule(
                interval: try row["interval_seconds"], last: try row["last_check_in_at"],
                plan: try row["plan"], first: first, pausedUntil: try row["paused_until"],
                deadline: try row["deadline"])
        }
        return schedules
    }

    @Sendable private static func read(_ connection: any SQLConnection) throws -> Rows {
        var rows = Rows()
        rows.schedules = try readSchedules(connection)
        _ = try connection.query("SELECT user_id, id FROM check_ins", []) { row in
            rows.checkIns[try row["user_id"], default: []].insert(try row["id"])
        }
        let endpoints = """
            SELECT user_id, id FROM devices UNION ALL SELECT user_id, id FROM push_subscriptions
            UNION ALL SELECT user_id, id FROM app_endpoints
            """
        _ = try connection.query(endpoints, []) { row in
            rows.devices[try row["user_id"], default: []].insert(try row["id"])
        }
        rows.roles = try connection.query(
            """
            SELECT user_id AS one, contact_id AS other, dependent_request AS request FROM contacts
            WHERE dependent_in_force = 1 OR dependent_request IS NOT NULL
            """, []
        ) { (try $0["one"], try $0["other"], try $0["request"]) }
        rows.blocks = try connection.query("SELECT blocker_id, blocked_id FROM blocks", []) {
            (try $0["blocker_id"], try $0["blocked_id"])
        }
        _ = try connection.query(
            "SELECT id, acknowledged_by, report FROM alerts WHERE ended_at IS NULL", []
        ) { row in
            rows.alerts[try row["id"]] = (try row["acknowledged_by"], try row["report"])
        }
        _ = try connection.query(
            "SELECT user_id, id, expected_return_at FROM journeys WHERE ended_at IS NULL", []
        ) { row in
            rows.journeys[try row["user_id"]] = (try row["id"], try row["expected_return_at"])
        }
        _ = try connection.query("SELECT user_id, id FROM sources", []) { row in
            rows.sources[try row["user_id"], default: []].insert(try row["id"])
        }
        _ = try connection.query("SELECT id, phone_number, locked_at FROM users", []) { row in
            let lockedAt: Date? = try row["locked_at"]
            rows.people[try row["id"]] = (try row["phone_number"], lockedAt != nil)
        }
        rows.moves = Set(
            try connection.query("SELECT user_id FROM number_moves", []) {
                try $0["user_id"] as UserID
            })
        rows.withoutReason = try connection.count(
            """
            SELECT COUNT(*) FROM deliveries
            WHERE state IN ('failed', 'givenUp', 'superseded') AND reason IS NULL
            """,
            [])
        rows.results = Set(
            try connection.query(
                """
                SELECT DISTINCT channel, COALESCE(reason, state) AS result FROM deliveries
                WHERE next_try_at IS NULL
                """,
                []
            ) { Sights.result(try $0["channel"], try $0["result"]) })
        let now = connection.now
        rows.waiting = try connection.query(
            "SELECT channel, next_try_at FROM deliveries WHERE next_try_at IS NOT NULL", []
        ) { (try $0["channel"], (try $0["next_try_at"] as Date).since(now).milliseconds) }
        return rows
    }
}
