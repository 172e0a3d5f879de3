import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

/// Nothing about a deleted user remains. The test reads the schema, so it covers future tables.
@Suite struct DeletionTests {
    @Test(.enabled(if: !TestDatabase.isPostgreSQL), arguments: Home.ofSQLite)
    func deletionLeavesNoRowOfUser(home: Home) async throws {
        try await withDatabase(home) { engine in
            try await fill(engine)
            // Ada needs a row in every table with user ids, or the test would miss a table.
            let owned = try await traces(of: ada, in: engine)
            let tables = try await engine.read {
                try $0.values(
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%user_id%'",
                    []) as [String]
            }
            #expect(Set(owned.map { String($0.prefix { $0 != "." }) }).isSuperset(of: tables))
            let bensBefore = try await rowsByTable(of: ben, in: engine)

            let row = try #require(try await engine.read { try $0.user(ada) })
            try await engine.write(about: .none) { try $0.deleteUser(row) }

            // Ben's history keeps the fact that a responder was told and acknowledged.
            #expect(
                try await traces(of: ada, in: engine) == [
                    "acquaintances.other_id", "alert_actions.responder_id",
                    "alerts.acknowledged_by", "blocks.blocked_id", "deliveries.user_id",
                    // Until the documents in Firestore are deleted.
                    "firestore_changes.user_id",
                ])
            #expect(try await mentions(of: "Ada", in: engine) == [])
            #expect(try await mentions(of: number(of: ada).text, in: engine) == [])
            // Ben's deliveries about Ada's alert are deleted with it.
            let bensAfter = try await rowsByTable(of: ben, in: engine)
            let gone = [
                "deliveries": (bensBefore["deliveries"] ?? 0) - 1, "contacts": 0, "pings": 0,
                "drill_answers": 0, "invitations": 0,
            ]
            #expect(bensAfter == bensBefore.merging(gone) { $1 })
        }
    }

    /// The codes stay for the rate limits of the network address and the server. A person can't
    /// bypass these limits by deleting the account and signing up.
    @Test func codesStillCountWithoutNumber() async throws {
        try await withDatabase { engine in
            try await fill(engine)
            let before = try await engine.rows(in: "sign_in_codes")
            let row = try #require(try await engine.read { try $0.user(ada) })
            try await engine.write(about: .none) { try $0.deleteUser(row) }
            #expect(try await engine.rows(in: "sign_in_codes") == before)
            #expect(try await engine.read { try $0.newestCode(for: try number(of: ada)) } == nil)
        }
    }

    @Test(arguments: Home.all)
    func eventsOfTheSameTransactionAreDeleted(home: Home) async throws {
        try await withDatabase(home) { engine in
            try await engine.moveIn(ada, ben)
            let row = try #require(try await engine.read { try $0.user(ada) })
            try await engine.write(about: .none) { transaction in
                for user in [ada, ben] { try transaction.append(.profileChanged, to: user) }
                try transaction.deleteUser(row)
            }
            #expect(try await engine.read { try $0.eventRange(of: ada) } == nil)
            #expect(try await engine.read { try $0.eventRange(of: ben) } == 1...1)
        }
    }

    @Test func blockRemainsWithoutName() async throws {
        try await withDatabase { engine in
            try await fill(engine)
            let row = try #require(try await engine.read { try $0.user(ada) })
            try await engine.write(about: .none) { try $0.deleteUser(row) }
            let blocks = try await engine.read {
                try $0.query("SELECT name, length(phone_hash) AS size FROM blocks", []) {
                    (try $0["name"] as String, try $0["size"] as Int)
                }
            }
            #expect(blocks.map(\.0) == ["Someone who has left"] && blocks.map(\.1) == [32])
        }
    }

    @Test func ledgerOfOthersRemainsWithoutName() async throws {
        try await withDatabase { engine in
            try await fill(engine)
            let row = try #require(try await engine.read { try $0.user(ada) })
            try await engine.write(about: .none) { try $0.deleteUser(row) }
            let alert = try #require(try await engine.read { try $0.alert(id(46), of: ben) })
            let record = try await engine.read {
                try $0.record(of: alert, for: AlertViewer(ben) { _, _ in UUID() }, withLedger: true)
            }
            #expect(record.ledger.map(\.name) == ["A former contact"])
            #expect(record.acknowledgement?.name == "A former contact")
            let due = try await engine.write(about: .none) {
                try $0.leaseDeliveries(
                    channels: Ledger.channels, lease: Ledger.lease, limit: 10)
            }
            #expect(Set(due.map(\.record.userID)) == [ben])
        }
    }

    /// Makes Ada and Ben each other's responders. Adds rows for both of them to every table.
    private func fill(_ engine: any DatabaseEngine) async throws {
        let ledger = try await Ledger(engine, users: ada, ben)
        let both = try ContactRoles(isResponder: true, isDependent: true)
        try await engine.write(about: .none) { try $0.insertContact(ben, of: ada, roles: both) }
        for (user, other, number) in [(ada, ben, 5), (ben, ada, 6)] as [(UserID, UserID, UInt8)] {
            var alert = manualAlert(number + 40, of: user)
            let helper = try #require(try await engine.recipient(other))
            let caller = Caller(userID: user, sessionID: id(number))
            let device = PushEndpoint(
                id: id(number), kind: .webhook,
                url: try #require(URL(string: "https://example.org")), createdAt: noon)
            alert.acknowledgedBy = other
            try await engine.write(about: .none) { [alert] transaction in
                try transaction.insert(alert)
                try transaction.update(alert)
                try transaction.enter(.acknowledged, by: helper, about: alert)
                try transaction.insert(checkIn(number, at: noon), of: user)
                try transaction.save(
                    Journey(
                        id: id(number), name: "Hill", note: "Alone", startedAt: noon,
                        expectedReturn: noon.adding(.hours(1)), graceMinutes: 10, responders: nil,
                        tellsResponders: false), of: user)
                try transaction.insert(ping(number, from: user, to: other))
                try transaction.save(device, of: user, session: caller.sessionID)
                try transaction.append(.profileChanged, to: user)
                try transaction.saveCopyChanges(of: [user])
                try transaction.setQRCode(id(number), of: user)
                try transaction.insertInvitedSignUp(id(number), by: user)
                try transaction.insert(
                    NumberMove(
                        phoneNumber: PhoneNumber("+493012345\(number)"), takesEffectAt: noon),
                    of: user)
                try transaction.insert(
                    AdminLogEntry(
                        act: AdminAct(
                            id: id(number), time: noon, kind: .lock, reason: "Spam",
                            doneBy: "root"),
                        person: user))
                try transaction.setSignInLock(SignInLockRow(), of: user)
                try transaction.save(
                    SignInWaitRow(
                        SignInWait(deviceName: "Phone", startedAt: noon, endsAt: noon)),
                    of: user)
                try transaction.setRecoveryCodes([Data(repeating: number, count: 32)], of: user)
                try transaction.insert(
                    PasskeyRow(
                        passkey: Passkey(id: id(number), name: "Key", createdAt: noon),
                        credentialID: Data([number]), publicKey: Data([number]), counter: 0),
                    of: user)
                try transaction.insert(
                    SourceRow(
                        source: CheckInSource(id: id(number), name: "Button", createdAt: noon),
                        hash: Data(repeating: number, count: 32)), of: user)
                try transaction.save(
                    Invitation(
                        id: id(number), name: "Mia",
                        phoneNumber: PersistenceTests.number(of: other).text,
                        state: .accepted, createdAt: noon, contactID: other), of: user)
                try transaction.setPicture(
                    ProfilePicture(id: id(number), contentType: "image/png", bytes: Data([1])),
                    of: user)
                try transaction.insertSession(
                    caller, deviceName: "Phone of \(user)",
                    TokenHashes(
                        access: Data([number]), refresh: Data([number, 1]), family: nil,
                        accessExpiresAt: noon, refreshExpiresAt: noon))
                _ = try transaction.save(
                    browser(number + 80, hash: number), of: caller)
                _ = try transaction.save(app(number + 90, token: number + 40), of: caller)
                try transaction.bindWebSession(
                    caller, secretHash: Data(repeating: number, count: 32))
                try transaction.rememberUsedRefreshToken(Data([number, 1]), of: caller)
                try transaction.setNewEmailAddress(
                    EmailAddress("\(number)@example.org"), code: alert.id.uuid, of: user)
                let budget = Budget(total: 9, perUser: 9)
                _ = try transaction.spend(
                    .alertBegin, on: .sms, by: user, Budgets(sms: budget, voice: budget))
                let code = CodeRow(id: alert.id.uuid, hash: Data(), expiresAt: noon, triesLeft: 5)
                try transaction.insertCode(
                    code, phoneNumber: try PersistenceTests.number(of: user), addressHash: Data())
                try transaction.insert(notification(number + 10, .ping, about: other), of: user)
                try transaction.insert(
                    RequestKeyRow(request: "updateProfile"), key: alert.id.uuid, of: user)
                try transaction.remember(
                    device: Data(repeating: 0, count: 32), of: user, limit: 20)
                try transaction.insert(
                    DrillRecord(id: DrillID(alert.id.uuid), startedAt: noon), of: user,
                    named: user == ada ? "Ada" : "Ben",
                    [NewDrillAnswer(person: other, name: helper.displayName, notification: nil)],
                    nextDue: noon)
                try transaction.execute(
                    "INSERT INTO proofs (user_id, channel, proven_at) VALUES ($1, 'sms', 0)",
                    [.id(user)])
                try transaction.execute(
                    """
                    INSERT INTO blocks (blocker_id, blocked_id, phone_hash, name, created_at)
                    VALUES ($1, $2, \(TestDatabase.zeroes(32)), $3, 0)
                    """,
                    [.id(user), .id(other), .text(helper.displayName)])
            }
            try await ledger.enter(number, to: other, alert: alert)
            try await ledger.enter(number + 20, .ping, to: user)
            let report = ProviderReport(state: .accepted, providerID: "SM-\(number)")
            guard user == ada else { continue }
            _ = try await engine.write(about: .none) {
                try $0.reportDelivery(id(number + 20), of: user, attempt: nil, report)
            }
        }
    }

    /// Returns the columns that contain this user's id, as `table.column`.
    private func traces(of user: UserID, in engine: any DatabaseEngine) async throws -> Set<String>
    {
        try await places(in: engine) { connection, table, column in
            try connection.count("SELECT COUNT(*) FROM \(table) WHERE \(column) = $1", [.id(user)])
                > 0
        }
    }

    private func rowsByTable(of user: UserID, in engine: any DatabaseEngine) async throws
        -> [String: Int]
    {
        try await engine.read { connection in
            let tables: [String] = try connection.values(
                """
                SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%user_id BYTEA%'
                """, [])
            let counts = try tables.map {
                try (
                    $0,
                    connection.count("SELECT COUNT(*) FROM \($0) WHERE user_id = $1", [.id(user)])
                )
            }
            return Dictionary(uniqueKeysWithValues: counts)
        }
    }

    private func mentions(of text: String, in engine: any DatabaseEngine) async throws -> Set<
        String
    > {
        try await places(in: engine) { connection, table, column in
            try connection.count(
                "SELECT COUNT(*) FROM \(table) WHERE CAST(\(column) AS TEXT) LIKE '%' || $1 || '%'",
                [.text(text)]) > 0
        }
    }

    private func places(
        in engine: any DatabaseEngine,
        where holds:
            @escaping @Sendable (any SQLConnection, _ table: String, _ column: String) throws ->
            Bool
    ) async throws -> Set<String> {
        try await engine.read { connection in
            let columns = try connection.query(
                """
                SELECT m.name AS "table", c.name AS "column"
                FROM sqlite_master m, pragma_table_info(m.name) c
                WHERE m.type = 'table'
                """,
                []
            ) { (try $0["table"] as String, try $0["column"] as String) }
            return Set(
                try columns.filter { try holds(connection, $0.0, $0.1) }.map { "\($0.0).\($0.1)" })
        }
    }
}
