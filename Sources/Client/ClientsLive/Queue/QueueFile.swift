import Domain
import Foundation
import GRDB

/// The queue of one user. It has a separate file, because the server can replace a damaged local
/// copy but not a damaged queue.
struct QueueFile: QueueStore {
    private static let keptAliases = 100

    private let database: DeviceFile
    private let wasDamaged: Bool

    /// Opens the file, which blocks the thread. If the file is damaged, sets it aside, and `load`
    /// reports the damage.
    /// - Parameter keepsDamage: true to throw for a damaged file, and to leave it to its account.
    init(path: String, runsOnCallersThread: Bool = false, keepsDamage: Bool = false) throws {
        func open() throws -> DeviceFile {
            DeviceFile(
                try PrivateFile.open(path, isSynchronous: true, Self.migrations),
                runsOnCallersThread)
        }
        do {
            database = try open()
            wasDamaged = false
        } catch  where !keepsDamage && PrivateFile.isDamage(error) {
            try PrivateFile.setAside(path)
            database = try open()
            wasDamaged = true
        }
    }

    func close() throws { try database.close() }

    private static func migrations(_ migrator: inout DatabaseMigrator) {
        // A migration that has shipped is never edited.
        migrator.registerMigration("1") { database in
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
        }
        migrator.registerMigration("2") { database in
            // Milliseconds. A negative value means "until the next sign-in".
            try database.execute(sql: "ALTER TABLE actions ADD COLUMN held_until INTEGER")
        }
        migrator.registerMigration("uptime") { database in
            // `uptime` is in milliseconds.
            try database.execute(
                sql: """
                    ALTER TABLE actions ADD COLUMN device_start TEXT;
                    ALTER TABLE actions ADD COLUMN uptime INTEGER;
                    """)
        }
    }

    private static let untilSignIn: Int64 = -1

    func hold(_ ids: Set<UUID>, until time: Date?) async throws {
        try await setHold(ids, to: time?.milliseconds ?? Self.untilSignIn)
    }

    func release(_ ids: Set<UUID>) async throws { try await setHold(ids, to: nil) }

    private func setHold(_ ids: Set<UUID>, to value: Int64?) async throws {
        try await database.write { database in
            for id in ids {
                try database.execute(
                    sql: "UPDATE actions SET held_until = ? WHERE id = ?", arguments: [value, id])
            }
        }
    }

    func load() async throws -> QueueContents {
        try await database.read { [wasDamaged] database in
            var contents = QueueContents(wasDamaged: wasDamaged)
            let decoder = WireJSON.decoder()
            for row in try Row.fetchAll(database, sql: "SELECT * FROM actions ORDER BY position") {
                guard let id: UUID = row["id"], let position: Int64 = row["position"],
                    let time: Int64 = row["created_at"], let text: String = row["action"],
                    let action = try? decoder.decode(QueuedAction.self, from: Data(text.utf8))
                else {
                    // This version can't read the row. The row stays in the file for another
                    // version, and the app tells the person.
                    contents.wasDamaged = true
                    continue
                }
                var entry = QueuedEntry(
                    id: id, position: position, action: action, createdAt: Date(milliseconds: time))
                if let start: String = row["device_start"], let uptime: Int64 = row["uptime"] {
                    entry.uptime = Uptime(start: start, time: .milliseconds(uptime))
                }
                if let refusal: String = row["refusal"] {
                    // The text may be from another version. An unreadable text must not block the
                    // queue.
                    let error =
                        (try? decoder.decode(UserFacingError.self, from: Data(refusal.utf8)))
                        ?? .unknown
                    contents.refused.append(RefusedEntry(entry: entry, error: error))
                } else {
                    contents.entries.append(entry)
                    if let time: Int64 = row["held_until"] {
                        contents.held[id] = .some(time < 0 ? nil : Date(milliseconds: time))
                    }
                }
            }
            for row in try Row.fetchAll(database, sql: "SELECT own, server FROM aliases") {
                if let own: UUID = row["own"], let server: UUID = row["server"] {
                    contents.aliases[own] = server
                }
            }
            return contents
        }
    }

    // If another process of this user has used the position, the entry gets the next free one.

    func append(_ entry: QueuedEntry) async throws {
        try await insert(entry, at: "MAX(?, COALESCE(MAX(position) + 1, 0))")
    }

    func prepend(_ entry: QueuedEntry) async throws {
        try await insert(entry, at: "MIN(?, COALESCE(MIN(position) - 1, 0))")
    }

    private func insert(_ entry: QueuedEntry, at position: String) async throws {
        let action = String(decoding: try WireJSON.encoder().encode(entry.action), as: UTF8.self)
        try await database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO actions (position, id, created_at, action, device_start, uptime)
                    SELECT \(position), ?, ?, ?, ?, ? FROM actions
                    """,
                arguments: [
                    entry.position, entry.id, entry.createdAt.milliseconds, action,
                    entry.uptime?.start, entry.uptime?.time.milliseconds,
                ])
        }
    }

    func remove(_ id: UUID, noting alias: Alias?) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM actions WHERE id = ?", arguments: [id])
            guard let alias else { return }
            try database.execute(
                sql: """
                    INSERT INTO aliases (position, own, server) SELECT COALESCE(MAX(position), 0) +
                        1, ?, ? FROM aliases WHERE TRUE
                    ON CONFLICT (own) DO UPDATE SET server = excluded.server
                    """,
                arguments: [alias.own, alias.server])
            try database.execute(
                sql:
                    "DELETE FROM aliases WHERE position <= (SELECT MAX(position) FROM aliases) - ?",
                arguments: [Self.keptAliases])
        }
    }

    func refuse(_ id: UUID, _ error: UserFacingError) async throws {
        let refusal = String(decoding: try WireJSON.encoder().encode(error), as: UTF8.self)
        try await database.write { database in
            try database.execute(
                sql: "UPDATE actions SET refusal = ? WHERE id = ?", arguments: [refusal, id])
        }
    }
}
