import Domain
import Foundation
import Testing

import class GRDB.DatabaseQueue

@testable import Persistence

/// Migrates a database of version 31, which keeps all events as JSON and check-ins by time.
@Suite struct ShortRowsMigrationTests {
    private func migrated(
        _ check: (SQLiteConnection, [UserEvent]) throws -> Void
    ) throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { database in
            let connection = SQLiteConnection(database: database, path: ":memory:", now: noon)
            try Migrator.migrate(connection, dialect: .sqlite, upTo: 31)
            try connection.execute(
                """
                INSERT INTO users (id, phone_number, name, emergency_note, muted, created_at)
                VALUES ($1, '+15550000001', '', '', '', 0)
                """, [.id(ada)])
            for number in 1...3 {
                try Transaction(connection).insert(
                    checkIn(UInt8(4 - number), at: noon.adding(.hours(number))), of: ada)
            }
            let events: [UserEvent] = [
                .checkIn(.init(userID: ben, lastCheckInTime: noon, nextCheckInTime: nil)),
                .profileChanged,
                .checkIn(
                    .init(
                        userID: ada, lastCheckInTime: noon,
                        nextCheckInTime: noon.adding(.hours(24)))),
            ]
            for (index, event) in events.enumerated() {
                try connection.execute(
                    """
                    INSERT INTO events (user_id, sequence, kind, happened_at, data)
                    VALUES ($1, $2, $3, $4, $5)
                    """,
                    [
                        .id(ada), .int(index + 7), .text(event.kind.rawValue), .date(noon),
                        .text(try event.data()),
                    ])
            }
            try Migrator.migrate(connection, dialect: .sqlite)
            try check(connection, events)
        }
    }

    @Test func keptEventsAreReadAndContinued() throws {
        try migrated { connection, old in
            let new = UserEvent.checkIn(
                .init(userID: ada, lastCheckInTime: noon, nextCheckInTime: noon.adding(.hours(1))))
            #expect(try connection.append([(ada, EncodedEvent(new))], at: noon) == [10])
            let events = try connection.events(of: ada, after: 0, limit: 10).events
            #expect(events.map(\.sequence) == [7, 8, 9, 10])
            #expect(try events.map { try UserEvent(kind: $0.kind, data: $0.data) } == old + [new])
            #expect(try events.map(\.data) == (old + [new]).map { try $0.data() })
        }
    }

    @Test func checkInsKeepTheirOrderAndIDs() throws {
        try migrated { connection, _ in
            let history = try connection.checkIns(of: ada, page: Page(limit: 10))
            #expect(history.map(\.id) == [id(1), id(2), id(3)])
            #expect(try connection.checkIn(id(2), of: ada)?.occurredAt == noon.adding(.hours(2)))
            // The same id at another time is the same check-in.
            #expect(throws: DatabaseError.uniqueViolation) {
                try Transaction(connection).insert(checkIn(2, at: noon.adding(.days(9))), of: ada)
            }
            let page = try Page(
                before: .init(time: noon.adding(.hours(2)), id: history[1].id.uuid), limit: 10)
            #expect(try connection.checkIns(of: ada, page: page).map(\.id) == [id(3)])
        }
    }

    @Test func eventsExpireAsBefore() throws {
        try migrated { connection, _ in
            try connection.pruneEvents([(ada, 9)], until: noon.aMillisecondBefore)
            #expect(try connection.eventRange(of: ada) == 7...9)
            try connection.pruneEvents([(ada, 9)], until: noon)
            #expect(try connection.eventRange(of: ada) == 9...9)
        }
    }
}
