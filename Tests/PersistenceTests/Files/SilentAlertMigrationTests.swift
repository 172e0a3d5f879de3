import Domain
import Foundation
import GRDB
import Testing

@testable import Persistence

/// Migrates a database of version 3 that has open alerts without further repeats.
@Suite struct SilentAlertMigrationTests {
    private func migrated(_ rows: [(user: UInt8, startedAt: Date, endedAt: Date?)]) throws
        -> [(user: UInt8, due: Date?, withoutSMS: Bool, state: String?)]
    {
        let queue = try DatabaseQueue()
        return try queue.writeWithoutTransaction { database in
            let connection = SQLiteConnection(database: database, path: ":memory:", now: noon)
            try Migrator.migrate(connection, dialect: .sqlite, upTo: 3)
            for row in rows {
                let id = Data(repeating: row.user, count: 16)
                try connection.execute(
                    """
                    INSERT INTO users (id, phone_number, name, emergency_note, muted, created_at)
                    VALUES ($1, $2, '', '', '', 0)
                    """, [.blob(id), .text("+1555000000\(row.user)")])
                try connection.execute(
                    """
                    INSERT INTO alerts (user_id, id, kind, started_at, told_late, told, ended_at)
                    VALUES ($1, $2, 'manual', $3, 0, 28, $4)
                    """, [.blob(id), .blob(id), .date(row.startedAt), .date(row.endedAt)])
                try connection.execute(
                    """
                    INSERT INTO acknowledgements (user_id, alert_id, happened_at, responder_id,
                        name)
                    VALUES ($1, $2, 7, $3, 'Ben')
                    """, [.blob(id), .blob(id), .blob(id)])
            }
            try Migrator.migrate(connection, dialect: .sqlite)
            return try connection.query(
                """
                SELECT a.user_id, a.next_due_at, a.without_sms, h.kind FROM alerts a
                JOIN alert_actions h ON h.user_id = a.user_id AND h.alert_id = a.id
                ORDER BY a.user_id
                """, []
            ) {
                (
                    user: (try $0["user_id"] as Data).first ?? 0, due: try $0["next_due_at"],
                    withoutSMS: try $0["without_sms"], state: try $0["kind"]
                )
            }
        }
    }

    @Test func silentAlertsAreSpreadOverADay() throws {
        let rows = try migrated((1...4).map { ($0, noon.adding(.hours(-30)), nil) })
        #expect(
            rows.map(\.due)
                == [0, 6, 12, 18].map { noon.adding(.hours($0)) })
        #expect(rows.allSatisfy { !$0.withoutSMS })
    }

    @Test func alertsOlderThanAWeekRepeatWithoutSMS() throws {
        let week = noon.adding(.days(-7))
        let rows = try migrated([(1, week, nil), (2, week.adding(.milliseconds(1)), nil)])
        #expect(rows.map(\.withoutSMS) == [true, false])
    }

    @Test func endedAlertsStayEndedAndKeepTheirHistory() throws {
        let rows = try migrated([(1, noon.adding(.days(-2)), noon)])
        #expect(rows.map(\.due) == [nil])
        #expect(rows.map(\.state) == ["acknowledged"])
    }
}
