import Domain
import Foundation
import Persistence

/// What was answered must be there: after each start, and now and then.
extension Simulator {
    private struct Rows: Sendable {
        var schedules: [UserID: (interval: Int, last: Date?)] = [:]
        var checkIns: [UserID: Set<CheckInID>] = [:]
        var responders: [[UserID]] = []
        var devices: [UserID: Set<DeviceID>] = [:]
        var withoutReason = 0
    }

    func checkDurability() async throws {
        guard let server else { return }
        let rows = try await server.disk.read(Self.read)
        for (person, account) in truth.accounts.enumerated() {
            guard let account else { continue }
            let (id, name) = (account.caller.userID, name(person))
            guard let schedule = rows.schedules[id] else {
                note("durable", "\(name)'s account is gone")
                continue
            }
            if schedule.last != account.lastCheckIn
                || .seconds(schedule.interval) != account.interval
            {
                note("durable", "\(name)'s schedule is not what was answered")
            }
            let lost = account.checkIns.subtracting(rows.checkIns[id] ?? [])
            if !lost.isEmpty { note("durable", "\(lost.count) check-ins of \(name) are lost") }
            let forgotten = Set(account.endpoints.values).subtracting(rows.devices[id] ?? [])
            if !forgotten.isEmpty { note("endpoint", "\(name)'s webhook was forgotten") }
        }
        if rows.withoutReason > 0 {
            note(
                "reason",
                "\(rows.withoutReason) rows of the ledger did not arrive and don't say why")
        }
        let found = Set(
            rows.responders.compactMap { pair in
                identities[pair[0]].flatMap { responder in
                    identities[pair[1]].map { Edge(responder: responder, owner: $0) }
                }
            })
        let known = Set(truth.roles.keys)
        if found != known {
            let names = found.symmetricDifference(known).map {
                "\(name($0.responder)) for \(name($0.owner))"
            }
            note(
                "durable",
                "roles are not what was answered: \(names.sorted().joined(separator: ", "))")
        }
    }

    @Sendable private static func read(_ connection: any SQLConnection) throws -> Rows {
        var rows = Rows()
        for (user, interval, last) in try connection.query(
            "SELECT user_id, interval_seconds, last_check_in_at FROM schedules", [],
            { ($0.id(0) as UserID, Int($0.integer(1)), $0.optionalDate(2)) })
        {
            rows.schedules[user] = (interval, last)
        }
        for (user, id) in try connection.query(
            "SELECT user_id, id FROM check_ins", [], { ($0.id(0) as UserID, $0.id(1) as CheckInID) }
        ) {
            rows.checkIns[user, default: []].insert(id)
        }
        for (user, id) in try connection.query(
            "SELECT user_id, id FROM devices", [], { ($0.id(0) as UserID, $0.id(1) as DeviceID) })
        {
            rows.devices[user, default: []].insert(id)
        }
        rows.responders = try connection.query(
            """
            SELECT low_id, high_id FROM contacts WHERE low_is_responder = 1
            UNION ALL SELECT high_id, low_id FROM contacts WHERE high_is_responder = 1
            """, []
        ) { [$0.id(0) as UserID, $0.id(1) as UserID] }
        rows.withoutReason = try connection.count(
            """
            SELECT COUNT(*) FROM deliveries
            WHERE state IN ('failed', 'givenUp') AND reason IS NULL
            """,
            [])
        return rows
    }
}
