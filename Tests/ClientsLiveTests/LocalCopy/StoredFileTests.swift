import Domain
import Foundation
import GRDB
import TestApp
import Testing

@testable import ClientsLive

/// Opens files of the first versions, with the tables before any migration.
@Suite struct StoredFileTests {
    let folder: TemporaryFolder
    private var path: String { folder.url.appending(path: "stored.sqlite").path }
    private let ada: UserID = id(1)
    private let ben: UserID = id(2)

    init() throws { folder = try TemporaryFolder() }

    private func store(_ write: @escaping @Sendable (Database) throws -> Void) throws {
        try PrivateFile.open(path, isSynchronous: true) {
            $0.registerMigration("1", migrate: write)
        }.close()
    }

    @Test func firstVersionOfTheQueueIsRead() async throws {
        let ids: [CheckInID] = [id(1), id(2), id(3), id(4)]
        try store { database in
            try database.execute(
                sql: """
                    CREATE TABLE actions (
                        position INTEGER NOT NULL PRIMARY KEY,
                        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                        created_at INTEGER NOT NULL,
                        action TEXT NOT NULL,
                        refusal TEXT
                    );
                    CREATE TABLE aliases (
                        position INTEGER NOT NULL PRIMARY KEY,
                        own BLOB NOT NULL UNIQUE CHECK (length(own) = 16),
                        server BLOB NOT NULL CHECK (length(server) = 16)
                    );
                    """)
            let alert = #"{"raiseAlert":{"_0":"\#(ids[0].uuid.uuidString.lowercased())"}}"#
            for (position, refusal) in [nil, #"{"title":"No","message":"Not now"}"#].enumerated() {
                try database.execute(
                    sql: "INSERT INTO actions VALUES (?, ?, ?, ?, ?)",
                    arguments: [
                        position, ids[position].uuid, noon.milliseconds, alert, refusal,
                    ])
            }
            try database.execute(
                sql: "INSERT INTO aliases VALUES (1, ?, ?)",
                arguments: [ids[2].uuid, ids[3].uuid])
        }
        let queue = try QueueFile(path: path)
        let contents = try await queue.load()
        let entries = (0..<2).map {
            QueuedEntry(
                id: ids[$0].uuid, position: Int64($0), action: .raiseAlert(ID(ids[0].uuid)),
                createdAt: noon)
        }
        #expect(contents.entries == [entries[0]])
        #expect(contents.refused.map(\.entry) == [entries[1]])
        #expect(contents.aliases == [ids[2].uuid: ids[3].uuid])
        #expect(contents.held.isEmpty && !contents.wasDamaged)
        try await queue.hold([ids[0].uuid], until: noon)
        #expect(try await queue.load().held == [ids[0].uuid: noon])
        try queue.close()
    }

    @Test func firstVersionOfTheCopyIsRead() async throws {
        let (ada, ben) = (ada, ben)
        try store { database in
            try database.execute(sql: Self.firstTables)
            try database.execute(
                sql: "INSERT INTO owner VALUES (?, ?)", arguments: [ada.uuid, noon.milliseconds])
            try database.execute(
                sql: """
                    INSERT INTO contacts VALUES (?, 'Ben', '+15550100002', NULL, 1, 0, ?, 0, NULL,
                    NULL, NULL, NULL, NULL, NULL)
                    """,
                arguments: [ben.uuid, noon.milliseconds])
            try database.execute(
                sql: """
                    INSERT INTO contacts VALUES (?, 'Cem', '+15550100003', NULL, 0, 1, ?, 0, NULL,
                    'Insulin', NULL, ?, 3600, 'active')
                    """,
                arguments: [
                    (id(3) as UserID).uuid, noon.milliseconds - 1, noon.milliseconds,
                ])
            try database.execute(
                sql: "INSERT INTO pings VALUES (?, ?, ?, ?, 'pending', NULL)",
                arguments: [(id(5) as PingID).uuid, ben.uuid, ada.uuid, noon.milliseconds])
            try database.execute(
                sql: "INSERT INTO check_ins VALUES (?, ?, ?, ?)",
                arguments: [
                    (id(6) as CheckInID).uuid, noon.milliseconds, noon.milliseconds + 1,
                    noon.milliseconds + 2,
                ])
            try database.execute(
                sql: "INSERT INTO notifications VALUES (?, 'ping', 'Title', 'Body', ?, ?, ?, ?, ?)",
                arguments: [
                    (id(7) as NotificationID).uuid, noon.milliseconds, noon.milliseconds + 3,
                    ben.uuid, (id(4) as AlertID).uuid, (id(5) as PingID).uuid,
                ])
        }
        let copy = try LocalCopy(path: path)
        let contents = try await copy.load(of: ada)
        try copy.close()
        var expected = AccountModel()
        expected.contacts = [
            ContactData(
                id: ben, name: "Ben", phoneNumber: try PhoneNumber("+15550100002"),
                profilePictureURL: nil,
                roles: try ContactRoles(isResponder: true, isDependent: false), dateAdded: noon,
                hasPendingPing: false, pingedAt: nil, watch: nil),
            // The first version knew only intervals, and neither pauses nor journeys.
            ContactData(
                id: id(3), name: "Cem", phoneNumber: try PhoneNumber("+15550100003"),
                profilePictureURL: nil,
                roles: try ContactRoles(isResponder: false, isDependent: true),
                dateAdded: Date(milliseconds: noon.milliseconds - 1), hasPendingPing: false,
                pingedAt: nil,
                watch: .init(
                    emergencyNote: "Insulin", lastCheckInTime: nil, nextCheckInTime: noon,
                    checkInIntervalSeconds: 3600, status: .active)),
        ]
        expected.pings = [
            PingRecord(
                id: id(5), responderID: ben, dependentID: ada, createdAt: noon, state: .pending,
                settledAt: nil)
        ]
        expected.checkIns = [
            CheckInRecord(
                id: id(6), occurredAt: noon,
                receivedAt: Date(milliseconds: noon.milliseconds + 1),
                nextCheckInTime: Date(milliseconds: noon.milliseconds + 2))
        ]
        expected.notifications = [
            NotificationItem(
                id: id(7), type: .ping, title: "Title", body: "Body", createdAt: noon,
                readAt: Date(milliseconds: noon.milliseconds + 3), aboutUserID: ben,
                alertID: id(4), pingID: id(5))
        ]
        #expect(contents == CopyContents(model: expected, lastSynced: noon))
    }

    private static let firstTables = """
        CREATE TABLE owner (user_id BLOB NOT NULL CHECK (length(user_id) = 16),
            synced_at INTEGER);
        CREATE TABLE settings (key TEXT NOT NULL PRIMARY KEY,
            value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE singles (name TEXT NOT NULL PRIMARY KEY,
            json TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE alerts (id BLOB NOT NULL PRIMARY KEY, started_at INTEGER NOT NULL,
            json TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE contacts (
            id BLOB NOT NULL PRIMARY KEY, name TEXT NOT NULL,
            phone_number TEXT NOT NULL, picture_url TEXT,
            is_responder INTEGER NOT NULL, is_dependent INTEGER NOT NULL,
            date_added INTEGER NOT NULL,
            has_pending_ping INTEGER NOT NULL, pinged_at INTEGER,
            emergency_note TEXT, last_check_in_at INTEGER, next_check_in_at INTEGER,
            interval_seconds INTEGER, status TEXT
        ) WITHOUT ROWID;
        CREATE TABLE pings (
            id BLOB NOT NULL PRIMARY KEY, responder_id BLOB NOT NULL,
            dependent_id BLOB NOT NULL, created_at INTEGER NOT NULL,
            state TEXT NOT NULL, settled_at INTEGER
        ) WITHOUT ROWID;
        CREATE TABLE check_ins (
            id BLOB NOT NULL PRIMARY KEY, occurred_at INTEGER NOT NULL,
            received_at INTEGER NOT NULL, deadline_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE notifications (
            id BLOB NOT NULL PRIMARY KEY, type TEXT NOT NULL, title TEXT NOT NULL,
            body TEXT NOT NULL,
            created_at INTEGER NOT NULL, read_at INTEGER, about_user_id BLOB,
            alert_id BLOB, ping_id BLOB
        ) WITHOUT ROWID;
        """
}
