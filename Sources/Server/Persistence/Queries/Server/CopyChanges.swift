import Domain
import Foundation

/// The part of a person with an account that is copied to Google.
public struct CopiedPerson: Sendable, Equatable {
    public struct Alert: Sendable, Equatable {
        public var id: AlertID
        public var startedAt: Date
        public var endedAt: Date?

        public init(id: AlertID, startedAt: Date, endedAt: Date?) {
            self.id = id
            self.startedAt = startedAt
            self.endedAt = endedAt
        }
    }

    public var id: UserID
    public var name: String
    public var phoneNumber: PhoneNumber?
    /// nil if the person leaves it out of the copy.
    public var emergencyNote: String?
    public var pictureID: PictureID?
    /// The oldest first.
    public var alerts: [Alert]

    public init(
        id: UserID, name: String, phoneNumber: PhoneNumber?, emergencyNote: String?,
        pictureID: PictureID?, alerts: [Alert]
    ) {
        self.id = id
        self.name = name
        self.phoneNumber = phoneNumber
        self.emergencyNote = emergencyNote
        self.pictureID = pictureID
        self.alerts = alerts
    }
}

/// A leased row of a person whose copy is out of date.
public struct CopyChange: Sendable, Equatable {
    /// The longest pause after failures of a copy.
    public static let longestRetryDelay: Duration = .minutes(5)

    public var user: UserID
    /// Grows with each change.
    public var number: Int64
    /// The failures since the last success that concern this person.
    public var attempts: Int
    /// Differs for each lease.
    public var lease: Int64
}

public enum CopyOutcome: Sendable, Equatable {
    case copied
    /// A failure that concerns this person. They are tried again at `until`.
    case failed(until: Date)
    /// Nothing was tried, or the failure concerns everyone.
    case untried
}

/// The people whose copy is out of date.
public struct CopyBacklog: Sendable, Equatable {
    public var people: Int
    /// The time of the oldest change that isn't copied; nil without one.
    public var oldest: Date?

    public init(people: Int = 0, oldest: Date? = nil) {
        self.people = people
        self.oldest = oldest
    }
}

/// Who is copied: everyone with an account who has finished the onboarding, which names the copy
/// and saves the name last. A former guest has a name before that.
private enum CopiedPeople {
    static let condition = "guest_since IS NULL AND name <> '' AND copy_waits = 0"
}

extension SQLConnection {
    /// Returns nil for people who aren't copied.
    public func copiedPerson(_ id: UserID) throws -> CopiedPerson? {
        let person = try first(
            """
            SELECT id, phone_number, name, emergency_note, picture_id, leaves_note_out_of_copy
            FROM users WHERE id = $1 AND \(CopiedPeople.condition)
            """, [.id(id)]
        ) { row in
            let leavesNoteOut: Bool = try row["leaves_note_out_of_copy"]
            return CopiedPerson(
                id: try row["id"], name: try row["name"],
                phoneNumber: try PhoneNumber(stored: row["phone_number"]),
                emergencyNote: try leavesNoteOut ? nil : row["emergency_note"],
                pictureID: try row["picture_id"], alerts: [])
        }
        guard var person else { return nil }
        person.alerts = try query(
            """
            SELECT id, started_at, ended_at FROM alerts WHERE user_id = $1 ORDER BY started_at, id
            """, [.id(id)]
        ) {
            CopiedPerson.Alert(
                id: try $0["id"], startedAt: try $0["started_at"], endedAt: try $0["ended_at"])
        }
        return person
    }

    /// Returns a page of everyone who is copied, in the order of their ids.
    public func copiedAccounts(after user: UserID?, limit: Int) throws -> [UserID] {
        try values(
            """
            SELECT id FROM users WHERE id > $1 AND \(CopiedPeople.condition)
            ORDER BY id LIMIT $2
            """,
            [user.map { .id($0) } ?? .blob(Data()), .int(limit)])
    }

    /// Returns which of these people are copied.
    public func copied(among people: [UserID]) throws -> Set<UserID> {
        var copied: Set<UserID> = []
        for list in people.lists(from: 1) {
            let found: [UserID] = try values(
                "SELECT id FROM users WHERE id IN (\(list.sql)) AND \(CopiedPeople.condition)",
                list.values)
            copied.formUnion(found)
        }
        return copied
    }

    public func copyBacklog() throws -> CopyBacklog {
        try first(
            "SELECT COUNT(*) AS people, MIN(changed_at) AS oldest FROM firestore_changes", []
        ) { CopyBacklog(people: try $0["people"], oldest: try $0["oldest"]) } ?? CopyBacklog()
    }

    /// Returns the number that `noteCopiesFilled` saved; nil if everyone has to be copied.
    public func filledCopies() throws -> Int64? {
        try value(
            "SELECT value FROM server_state WHERE name = $1", [.text(CopyFill.stateName)])
    }

    /// Returns true if the servers of this database keep a copy, or have begun to.
    public func keepsCopies() throws -> Bool {
        try filledCopies() != nil || copyBacklog().people > 0
    }
}

/// The first copy of everyone, when the operator turns the copy on.
enum CopyFill {
    static let stateName = "firestoreFilled"
    static let forgetting = "DELETE FROM server_state WHERE name = $1"
}

extension Transaction {
    /// Notes people whose copy is out of date, one row for each. Takes the rows in the order of the
    /// ids, so that two transactions can't deadlock.
    public func saveCopyChanges(of people: some Collection<UserID>) throws {
        for person in people.sorted() {
            try execute(
                """
                INSERT INTO firestore_changes (user_id, number, changed_at, next_try_at, attempts)
                VALUES ($1, $2, $2, $2, 0)
                ON CONFLICT (user_id) DO UPDATE SET number = firestore_changes.number + 1
                """, [.id(person), .date(now)])
        }
    }

    /// Leases people whose copy is due. If the server dies, another one takes them after `time`.
    /// - Parameter lease: a random number.
    public func leaseCopyChanges(
        _ lease: Int64, for time: Duration, limit: Int
    ) throws -> [CopyChange] {
        let due = try query(
            """
            SELECT user_id, number, attempts FROM firestore_changes WHERE next_try_at <= $1
            ORDER BY next_try_at LIMIT $2
            """, [.date(now), .int(limit)]
        ) {
            CopyChange(
                user: try $0["user_id"], number: try $0["number"], attempts: try $0["attempts"],
                lease: lease)
        }
        // On PostgreSQL, another server may have leased some of them meanwhile.
        return try due.sorted { $0.user < $1.user }.filter { change in
            try execute(
                """
                UPDATE firestore_changes SET lease = $1, next_try_at = $2
                WHERE user_id = $3 AND number = $4 AND next_try_at <= $5
                """,
                [
                    .integer(lease), .date(now.adding(time)), .id(change.user),
                    .integer(change.number), .date(now),
                ]) > 0
        }
    }

    /// Ends leases. A person who has changed during the copy stays, and is due at once.
    public func settleCopyChanges(_ outcomes: [(change: CopyChange, outcome: CopyOutcome)]) throws {
        for (change, outcome) in outcomes.sorted(by: { $0.change.user < $1.change.user }) {
            let key: [SQLValue] = [.id(change.user), .integer(change.lease)]
            switch outcome {
            case .copied:
                let deleted = try execute(
                    """
                    DELETE FROM firestore_changes
                    WHERE user_id = $1 AND lease = $2 AND number = $3
                    """, key + [.integer(change.number)])
                guard deleted == 0 else { continue }
                try execute(
                    """
                    UPDATE firestore_changes
                    SET lease = NULL, next_try_at = $1, changed_at = $1, attempts = 0
                    WHERE user_id = $2 AND lease = $3
                    """, [.date(now)] + key)
            case .failed(let until):
                try execute(
                    """
                    UPDATE firestore_changes
                    SET lease = NULL, next_try_at = $1, attempts = attempts + 1
                    WHERE user_id = $2 AND lease = $3
                    """, [.date(until)] + key)
            case .untried:
                try execute(
                    """
                    UPDATE firestore_changes SET lease = NULL, next_try_at = $1
                    WHERE user_id = $2 AND lease = $3
                    """, [.date(now)] + key)
            }
        }
    }

    /// Ends the leases of a server that died. Only for a database that one server uses.
    public func releaseCopyLeases() throws {
        try execute(
            """
            UPDATE firestore_changes SET lease = NULL, next_try_at = $1 WHERE lease IS NOT NULL
            """, [.date(now)])
    }

    /// Notes a page of everyone who is copied. Returns its last person; nil at the end.
    public func fillCopyChanges(after user: UserID?, limit: Int) throws -> UserID? {
        let people = try copiedAccounts(after: user, limit: limit)
        try saveCopyChanges(of: people)
        return people.count < limit ? nil : people.last
    }

    /// - Parameter project: a number for the project that has the copy.
    public func noteCopiesFilled(_ project: Int64) throws {
        try execute(
            """
            INSERT INTO server_state (name, value) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """, [.text(CopyFill.stateName), .integer(project)])
    }

    /// Makes the next server that keeps a copy copy everyone.
    public func forgetCopiesFilled() throws {
        try execute(CopyFill.forgetting, [.text(CopyFill.stateName)])
    }

    /// Says whether a person leaves the emergency note out of the copy at Google.
    public func setLeavesNoteOutOfCopy(_ leavesOut: Bool, of user: UserID) throws {
        try execute(
            "UPDATE users SET leaves_note_out_of_copy = $1 WHERE id = $2",
            [.bool(leavesOut), .id(user)])
        noteCopyChange(of: user)
    }
}

/// The database of `lifesignal firestore`. Servers may use it at the same time.
public enum CopyCommands {
    /// Throws `DatabaseError`, also for an older schema.
    public static func read<Value>(
        _ address: PostgreSQLAddress, now: @escaping @Sendable () -> Date,
        _ body: (any SQLConnection) throws -> Value
    ) throws -> Value {
        try body(connection(address, now))
    }

    /// Makes the running server, or else the next one, copy everyone. Throws `DatabaseError`.
    public static func fill(_ path: String) throws {
        try SQLiteFile.write(path) {
            _ = try $0.execute(CopyFill.forgetting, [.text(CopyFill.stateName)])
        }
    }

    public static func fill(
        _ address: PostgreSQLAddress, now: @escaping @Sendable () -> Date
    ) throws {
        let connection = try connection(address, now)
        try connection.begin(by: now)
        try connection.execute(CopyFill.forgetting, [.text(CopyFill.stateName)])
        try connection.commit()
    }

    private static func connection(
        _ address: PostgreSQLAddress, _ now: @escaping @Sendable () -> Date
    ) throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(address, limits: .init())
        connection.startReading(by: now)
        try PostgreSQLSchema.checkIsOurs(connection, address)
        let version = try Migrator.version(connection, dialect: .postgreSQL)
        guard version >= Migrator.newest else {
            throw DatabaseError.failed(
                "its schema has version \(version): lifesignal serve brings it up to date")
        }
        return connection
    }
}
