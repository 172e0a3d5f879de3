import Domain
import Foundation
import GRDB

struct LocalCopy: CopyStore {
    private let database: DeviceFile

    /// Opens the file, which blocks the thread. If the file is damaged, sets it aside and starts
    /// with an empty copy.
    init(path: String, runsOnCallersThread: Bool = false) throws {
        func open() throws -> DeviceFile {
            DeviceFile(
                try PrivateFile.open(path, isSynchronous: false, LocalCopySchema.migrations),
                runsOnCallersThread)
        }
        do {
            database = try open()
        } catch  where PrivateFile.isDamage(error) {
            try PrivateFile.setAside(path)
            database = try open()
        }
    }

    func close() throws { try database.close() }

    func load(of user: UserID) async throws -> CopyContents {
        try await database.write { database in
            let owner = try UUID.fetchOne(database, sql: "SELECT user_id FROM owner")
            guard owner == user.uuid else {
                try LocalCopySchema.wipe(database)
                try database.execute(
                    sql: "INSERT INTO owner (user_id) VALUES (?)", arguments: [user.uuid])
                return CopyContents()
            }
            do {
                return try read(database)
            } catch is DecodingError {
                // Another version may have written the file. Empties it, so that everything is
                // loaded from the server.
                try LocalCopySchema.wipe(database)
                try database.execute(
                    sql: "INSERT INTO owner (user_id) VALUES (?)", arguments: [user.uuid])
                return CopyContents()
            }
        }
    }

    private func read(_ database: Database) throws -> CopyContents {
        let decoder = WireJSON.tolerantDecoder()
        func value<Value: Decodable>(_ name: String, _ type: Value.Type) throws -> Value? {
            let text = try String.fetchOne(
                database, sql: "SELECT json FROM singles WHERE name = ?", arguments: [name])
            return try text.map { try decoder.decode(type, from: Data($0.utf8)) }
        }
        var contents = CopyContents()
        contents.lastSynced = try Int64.fetchOne(database, sql: "SELECT synced_at FROM owner").map {
            Date(milliseconds: $0)
        }
        contents.model.profile = try value("profile", UserProfile.self)
        contents.model.preferences = try value("preferences", NotificationPreferences.self)
        contents.model.lastJourney = try value("journey", AccountModel.KnownJourney.self)
        contents.model.alerts = try String.fetchAll(
            database, sql: "SELECT json FROM alerts ORDER BY started_at DESC"
        ).compactMap {
            try? decoder.decode(AlertRecord.self, from: Data($0.utf8))
        }
        contents.model.contacts = try Row.fetchAll(database, sql: ContactData.selection).compactMap
        { try? ContactData(copied: $0) }
        contents.model.pings = try Row.fetchAll(database, sql: PingRecord.selection).compactMap {
            try? PingRecord(copied: $0)
        }
        contents.model.checkIns = try Row.fetchAll(database, sql: CheckInRecord.selection)
            .compactMap { try? CheckInRecord(copied: $0) }
        contents.model.notifications = try Row.fetchAll(database, sql: NotificationItem.selection)
            .compactMap { try? NotificationItem(copied: $0) }
        return contents
    }

    func save(_ new: CopyContents, replacing old: CopyContents) async throws {
        try await database.write { database in
            let encoder = WireJSON.encoder()
            func json(_ value: some Encodable) throws -> String {
                String(decoding: try encoder.encode(value), as: UTF8.self)
            }
            func save<Value: Encodable & Equatable>(
                _ name: String, _ value: Value?, _ before: Value?
            ) throws {
                guard value != before else { return }
                try database.execute(sql: "DELETE FROM singles WHERE name = ?", arguments: [name])
                guard let value else { return }
                try database.execute(
                    sql: "INSERT INTO singles (name, json) VALUES (?, ?)",
                    arguments: [name, try json(value)])
            }
            try save("profile", new.model.profile, old.model.profile)
            try save("preferences", new.model.preferences, old.model.preferences)
            try save("journey", new.model.lastJourney, old.model.lastJourney)
            try Self.save(
                "alerts", Change(new: new.model.alerts, old: old.model.alerts),
                key: { UUID(uuidString: $0.id) },
                in: database
            ) { alert in
                try database.execute(
                    sql: "INSERT OR REPLACE INTO alerts (id, started_at, json) VALUES (?, ?, ?)",
                    arguments: [
                        UUID(uuidString: alert.id), alert.startTime.milliseconds, try json(alert),
                    ])
            }
            try Self.save(
                "contacts", Change(new: new.model.contacts, old: old.model.contacts),
                key: \.id.uuid, in: database
            ) { try $0.copy(to: database) }
            try Self.save(
                "pings", Change(new: new.model.pings, old: old.model.pings), key: \.id.uuid,
                in: database
            ) {
                try $0.copy(to: database)
            }
            try Self.save(
                "check_ins", Change(new: new.model.checkIns, old: old.model.checkIns),
                key: \.id.uuid, in: database
            ) { try $0.copy(to: database) }
            try Self.save(
                "notifications", Change(new: new.model.notifications, old: old.model.notifications),
                key: \.id.uuid,
                in: database
            ) { try $0.copy(to: database) }
            if new.lastSynced != old.lastSynced {
                try database.execute(
                    sql: "UPDATE owner SET synced_at = ?", arguments: [new.lastSynced?.milliseconds]
                )
            }
        }
    }

    private struct Change<Item> {
        var new: [Item]
        var old: [Item]
    }

    /// - Parameter table: a table of this file, never input from outside.
    private static func save<Item: Equatable>(
        _ table: String, _ change: Change<Item>, key: (Item) -> UUID?, in database: Database,
        _ write: (Item) throws -> Void
    ) throws {
        let (new, old) = (change.new, change.old)
        guard new != old else { return }
        func byKey(_ items: [Item]) -> [UUID: Item] {
            Dictionary(items.compactMap { item in key(item).map { ($0, item) } }) { $1 }
        }
        let (after, before) = (byKey(new), byKey(old))
        for id in before.keys where after[id] == nil {
            try database.execute(sql: "DELETE FROM \(table) WHERE id = ?", arguments: [id])
        }
        for (id, item) in after where before[id] != item { try write(item) }
    }

    func setting(_ key: String) async throws -> String? {
        try await database.read {
            try String.fetchOne(
                $0, sql: "SELECT value FROM settings WHERE key = ?", arguments: [key])
        }
    }

    func set(_ value: String?, _ key: String) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM settings WHERE key = ?", arguments: [key])
            guard let value else { return }
            try database.execute(
                sql: "INSERT INTO settings (key, value) VALUES (?, ?)", arguments: [key, value])
        }
    }
}
