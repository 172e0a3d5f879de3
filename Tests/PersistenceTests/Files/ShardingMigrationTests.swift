import Domain
import Foundation
import GRDB
import Testing

@testable import Persistence

/// Migrates a file from the fourth to the fifth schema, without losing anything.
@Suite struct ShardingMigrationTests {
    private func withMigrated(_ check: (SQLiteEngine) async throws -> Void) async throws {
        let folder = try TestFolder()
        try VersionFour.write(folder.file())
        let engine = try SQLiteEngine(path: folder.file())
        try await check(engine)
        try engine.close()
        withExtendedLifetime(folder) {}
    }

    private func hash(_ byte: UInt8) -> Data { Data(repeating: byte, count: 32) }
    private func key<Tag>(_ byte: UInt8) -> ID<Tag> {
        ID(UUID(uuidBytes: Data(repeating: byte, count: 16)))
    }

    @Test func fileHasRowsInEveryTable() throws {
        let folder = try TestFolder()
        try VersionFour.write(folder.file())
        let counts = try FileContents(of: folder.file()).rows
        let empty: Set = counts.filter { $0.value == 0 }.keys.reduce(into: []) { $0.insert($1) }
        #expect(empty == [])
        #expect(counts.count == 23)
    }

    @Test func fifthMigrationLosesNoRow() async throws {
        let folder = try TestFolder()
        try VersionFour.write(folder.file())
        var expected = try FileContents(of: folder.file()).rows
        try SQLiteEngine(path: folder.file()).close()
        let rows = try FileContents(of: folder.file()).rows
        for table in ["contacts", "pings"] { expected[table, default: 0] *= 2 }
        expected["schema_versions", default: 0] += Migrator.newest - 4
        let new = [
            "acquaintances": 7, "alert_ids": 1, "app_endpoints": 0, "drill_answers": 0, "drills": 0,
            "email_addresses": 0, "email_codes": 0, "invitation_messages": 0, "invitations": 0,
            "admin_acts": 0, "announcements": 0, "name_entries": 3, "number_moves": 0,
            "firestore_changes": 0, "journeys": 0, "invited_sign_ups": 0, "sign_up_tokens": 0,
            "phone_numbers": 3, "picture_ids": 3, "proofs": 0, "recovery_codes": 0,
            "passkeys": 0, "passkey_challenges": 0, "sign_in_locks": 0, "sign_in_waits": 0,
            "provider_ids": 1, "push_addresses": 0, "push_subscriptions": 0, "qr_code_ids": 3,
            "server_secrets": 0, "source_hashes": 0, "sources": 0, "spending": 0, "token_hashes": 7,
            "user_spending": 0,
        ]
        #expect(rows == expected.merging(new) { $1 })
    }

    @Test func contactsKeepBothDirections() async throws {
        try await withMigrated { engine in
            let contacts = try await engine.read { connection in
                try [ada, ben, cleo].map { try connection.contacts(of: $0) } as [[ContactRow]]
            }
            let both = Relation(
                responder: .inForce(since: Date(milliseconds: 6)),
                dependent: .inForce(since: Date(milliseconds: 5)))
            let asked = Relation(
                responder: .requested(isMine: true, at: Date(milliseconds: 8)), dependent: .absent)
            #expect(contacts[0].map(\.contact) == [ben])
            #expect(contacts[0].map(\.relation) == [both])
            #expect(contacts[1].map(\.contact) == [cleo, ada])
            #expect(contacts[1].map(\.relation) == [asked, both.mirrored])
            #expect(contacts[1].map(\.createdAt.milliseconds) == [7, 4])
            #expect(contacts[2].map(\.relation) == [asked.mirrored])
            let data = try await engine.read { try $0.contactData(of: ada) { _ in nil } }
            #expect(data.map(\.name) == ["Ben"] && data.map(\.pingedAt) == [Date(milliseconds: 10)])
        }
    }

    @Test func pingsKeepBothSides() async throws {
        try await withMigrated { engine in
            let page = try Page(limit: 200)
            let (adas, bens) = try await engine.read {
                (try $0.pings(of: ada, page: page), try $0.pings(of: ben, page: page))
            }
            #expect(adas.map(\.state) == [.expired, .answered, .pending])
            #expect(bens.map(\.state) == [.answered, .pending])
            let pending = try #require(
                try await engine.read { try $0.pendingPing(from: ada, to: ben) })
            #expect(try await engine.read { try $0.expiredPings(at: noon, limit: 9) } == [pending])
            _ = try await engine.write(about: .none) { try $0.settle(pending, as: .answered) }
            let settled = try await engine.read {
                [try $0.ping(pending.id, from: ada), try $0.ping(pending.id, to: ben)]
            }
            #expect(settled.map { $0?.settledAt } == [noon, noon])
        }
    }

    @Test func sessionTokensStillWork() async throws {
        try await withMigrated { engine in
            let adas = Caller(userID: ada, sessionID: key(7))
            let bens = Caller(userID: ben, sessionID: key(7))
            let (new, old, used) = try await engine.read { connection in
                (
                    [
                        try connection.session(accessHash: hash(11)),
                        try connection.session(refreshHash: hash(12)),
                        try connection.session(familyHash: hash(13)),
                        try connection.session(previousRefreshHash: hash(14)),
                        try connection.session(webSecretHash: hash(31)),
                    ], try connection.session(accessHash: hash(21)),
                    try connection.sessionOfUsedRefreshToken(hash(23))
                )
            }
            #expect(new.map { $0?.caller } == Array(repeating: adas, count: 5))
            #expect(old?.caller == bens && used == bens)
            // The hash of one kind of token must not match another kind.
            #expect(try await engine.read { try $0.session(accessHash: hash(12)) } == nil)

            for caller in [adas, bens] {
                #expect(try await engine.write(about: .none) { try $0.deleteSession(caller) })
            }
            for table in ["sessions", "token_hashes", "used_refresh_tokens", "web_sessions"] {
                #expect(try await engine.rows(in: table) == 0, "\(table)")
            }
        }
    }

    @Test func valuesFindTheirOwners() async throws {
        try await withMigrated { engine in
            let number = try PhoneNumber("+15550100002")
            let (user, code, picture, alert, isKnown) = try await engine.read { connection in
                (
                    try connection.user(phoneNumber: number)?.id,
                    try connection.owner(ofCode: QRCodeID(ben.uuid)),
                    try connection.picture(PictureID(ben.uuid), for: ada)?.bytes,
                    try connection.alert(key(4), visibleTo: ben)?.userID,
                    try connection.isKnown(device: hash(1), to: number)
                )
            }
            #expect(user == ben && code == ben && alert == ada && isKnown)
            #expect(picture == Data([1, 2]))
            let report = ProviderReport(state: .seen, providerID: "SM-1")
            #expect(try await engine.write(about: .none) { try $0.reportDelivery(report) })
            let row = try #require(try await engine.read { try $0.alert(key(4), of: ada) })
            #expect(try await engine.read { try $0.notifiedUsers(of: row) } == [ben])
        }
    }

    @Test func foreignKeysHoldAfterwards() async throws {
        try await withMigrated { engine in
            #expect(
                try await engine.write(about: .none) { try $0.count("PRAGMA foreign_keys", []) }
                    == 1)
            let user = try #require(try await engine.read { try $0.user(ada) })
            try await engine.write(about: .none) { try $0.deleteUser(user) }
            #expect(try await engine.rows(in: "check_ins") == 2)
            #expect(try await engine.rows(in: "contacts") == 2)
            #expect(try await engine.rows(in: "pings") == 0)
        }
    }

    private func migrate(
        _ path: String, crashingAt step: Int, _ action: @escaping () throws -> Void
    ) throws {
        let pool = try DatabasePool(path: path)
        defer { try? pool.close() }
        try pool.writeWithoutTransaction { database throws in
            // A small cache, so that pages are written to the files before the commit.
            try database.execute(sql: "PRAGMA cache_size = 4")
            let connection = SQLiteConnection(database: database, path: path, now: noon)
            let crash = Crash(connection, at: step, action)
            defer {
                let setting: Int? = try? connection.value("PRAGMA foreign_keys", [])
                #expect(setting == 1)
                #expect(crash.hasHappened)
            }
            try Migrator.migrate(crash, dialect: .sqlite)
        }
    }

    /// Copies the files as a crash at this statement leaves them.
    @Test(arguments: [1, 2, 5, 20, 40, 60])
    func crashLeavesOldVersion(step: Int) async throws {
        let folder = try TestFolder()
        let copy = folder.file("crashed.db")
        try VersionFour.write(folder.file())
        let before = try FileContents(of: folder.file())
        try migrate(folder.file(), crashingAt: step) {
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: folder.file() + suffix, toPath: copy + suffix)
            }
        }
        #expect(try FileContents(of: copy) == before)
        let engine = try SQLiteEngine(path: copy)
        #expect(try await engine.read { try $0.contacts(of: ben) }.count == 2)
        try engine.close()
    }

    @Test(arguments: [3, 30, 50])
    func failureLeavesOldVersion(step: Int) throws {
        let folder = try TestFolder()
        try VersionFour.write(folder.file())
        let before = try FileContents(of: folder.file())
        #expect(throws: Persistence.DatabaseError.failed("rehearsed")) {
            try migrate(folder.file(), crashingAt: step) {
                throw Persistence.DatabaseError.failed("rehearsed")
            }
        }
        #expect(try FileContents(of: folder.file()) == before)
    }
}

extension UUID {
    fileprivate init(uuidBytes: Data) {
        self = uuidBytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
