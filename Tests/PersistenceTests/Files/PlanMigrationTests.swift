import Domain
import Foundation
import GRDB
import Testing

@testable import Persistence

/// Migrates a database of version 23, which knows only intervals.
@Suite struct PlanMigrationTests {
    @Test func everybodyKeepsTheirInterval() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { database in
            let connection = SQLiteConnection(database: database, path: ":memory:", now: noon)
            try Migrator.migrate(connection, dialect: .sqlite, upTo: 23)
            try connection.execute(
                """
                INSERT INTO users (id, phone_number, name, emergency_note, muted, created_at)
                VALUES ($1, '+15550000001', '', '', '', 0)
                """, [.id(ada)])
            try connection.execute(
                """
                INSERT INTO schedules (user_id, interval_seconds, remind_two_hours,
                    remind_thirty_minutes, last_check_in_at, reminders_sent, missed_told)
                VALUES ($1, 28800, 1, 0, $2, 1, 0)
                """, [.id(ada), .date(noon)])
            try connection.execute(
                """
                INSERT INTO check_ins (user_id, id, occurred_at, received_at, deadline_at)
                VALUES ($1, $1, $2, $2, $3)
                """, [.id(ada), .date(noon), .date(noon.adding(.hours(8)))])
            try Migrator.migrate(connection, dialect: .sqlite)

            let schedule = try connection.schedule(of: ada)
            #expect(
                schedule
                    == CheckInSchedule(
                        settings: CheckInSettings(
                            intervalSeconds: 28_800, remindTwoHoursBefore: true,
                            remindThirtyMinutesBefore: false),
                        lastCheckIn: noon, remindersSent: SentReminders(.twoHours)))
            #expect(schedule?.deadline == noon.adding(.hours(8)))
            let checkIn = try #require(
                try connection.checkIns(of: ada, page: Page(limit: 10)).first)
            #expect(checkIn.nextCheckInTime == noon.adding(.hours(8)))
            #expect(checkIn.opensAt == nil && checkIn.source == nil)
            #expect(try connection.plannedSchedules(after: nil, limit: 10).isEmpty)
        }
    }
}
