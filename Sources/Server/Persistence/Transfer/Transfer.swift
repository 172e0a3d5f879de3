import Foundation

/// Moves a whole SQLite database to PostgreSQL: copies every table in the order of its key, then
/// compares both sides. A transfer that was killed goes on after the last row it has committed.
///
/// The file stays locked, so no server writes to it meanwhile, and it is only read, apart from
/// bringing its schema up to date. Servers refuse the target until the transfer is finished.
public struct Transfer {
    public struct Progress: Sendable, Equatable {
        public enum Phase: Sendable, Equatable { case checking, copying, comparing }

        public var phase: Phase
        /// Empty while the file is checked.
        public var table = ""
        /// The rows of all tables.
        public var rows = 0
        public var total = 0
    }

    /// A table that both sides have alike.
    public struct Table: Sendable, Equatable {
        public var name: String
        public var rows: Int
        public var checksum: UInt64
    }

    public struct Summary: Sendable, Equatable {
        /// Tables that are alike on both sides.
        public var tables: [Table]
        /// Names of the others, because somebody wrote to the target. It stays unfinished.
        public var different: [String] = []
        /// An earlier transfer had finished already; nothing was written.
        public var wasFinished = false
    }

    private let source: SQLiteEngine
    private let target: TransferTarget
    private let tables: [TransferTable]
    private let counts: [String: Int]
    private let report: (Progress) -> Void

    /// Checks both sides, copies and compares. Throws `DatabaseError` for a file that a server has
    /// open or that is damaged, and for a target that holds other data, belongs to another program
    /// or is of a newer version.
    /// - Parameter report: called before the first row and after each batch.
    public static func run(
        from path: String, to address: PostgreSQLAddress,
        report: @escaping (Progress) -> Void = { _ in }
    ) throws(DatabaseError) -> Summary {
        do {
            guard FileManager.default.fileExists(atPath: path) else {
                throw DatabaseError.cannotOpen(path: path, reason: "there is no such file")
            }
            let target = try TransferTarget(address)
            report(Progress(phase: .checking))
            // A server that has the file is found before minutes of checking.
            try FileLock(for: path).release()
            _ = try SQLiteFile.verifyThoroughly(path)
            let source = try SQLiteEngine(path: path, now: { Date() })
            defer { try? source.close() }
            return try Transfer(source, target, report).run()
        } catch {
            throw SQLiteFailure.translate(error, path: path)
        }
    }

    /// Called when a server has written its first rows, before it serves anybody: a transfer that
    /// began while it started has taken the database for an empty one. Throws `DatabaseError`.
    public static func checkNoneIsUnfinished(
        at address: PostgreSQLAddress
    ) throws(DatabaseError) {
        do {
            let connection = try PostgreSQLConnection(address, limits: .init())
            connection.startReading(by: { Date() })
            try PostgreSQLSchema.checkIsOurs(connection, address)
        } catch {
            throw error as? DatabaseError ?? .failed("\(error)")
        }
    }

    private init(
        _ source: SQLiteEngine, _ target: TransferTarget, _ report: @escaping (Progress) -> Void
    ) throws {
        self.source = source
        self.target = target
        self.report = report
        (tables, counts) = try source.reading { connection in
            let tables = try TransferTable.all(in: connection)
            let counts = try tables.map { ($0.name, try connection.count($0.count, [])) }
            return (tables, Dictionary(uniqueKeysWithValues: counts))
        }
    }

    private func run() throws -> Summary {
        switch try target.begin(source: try fingerprint()) {
        case .ready: break
        case .holdsData:
            // A transfer that was killed after its last commit may be run again.
            guard try target.hasRows(counts, of: tables) else { throw target.holdsData }
            var summary = try compare()
            guard summary.different.isEmpty else { throw target.holdsData }
            summary.wasFinished = true
            return summary
        }
        try copy()
        let summary = try compare()
        if summary.different.isEmpty { try target.finish(tables) }
        return summary
    }

    /// Differs between two databases, and changes when a server starts on one: then a half-done
    /// transfer can't go on.
    private func fingerprint() throws -> Int64 {
        var digest = TransferDigest()
        for table in tables {
            digest.add([.text(table.name), .int(counts[table.name] ?? 0)])
        }
        for table in tables where table.name == "server_state" {
            try source.pages(of: table) { for row in $0 { digest.add(row) } }
        }
        return Int64(bitPattern: digest.hash)
    }

    // MARK: Copying

    private func copy() throws {
        var progress = Progress(phase: .copying, total: counts.values.reduce(0, +))
        for table in tables {
            progress.table = table.name
            progress.rows += try target.rows(of: table)
            report(progress)
            let last = try target.lastKey(of: table)
            try source.pages(of: table, after: last) { rows in
                try target.insert(rows, into: table)
                progress.rows += rows.count
                report(progress)
            }
        }
    }

    // MARK: Comparing

    private func compare() throws -> Summary {
        var progress = Progress(phase: .comparing, total: 2 * counts.values.reduce(0, +))
        var summary = Summary(tables: [])
        for table in tables {
            progress.table = table.name
            report(progress)
            let digest: (any TransferSide) throws -> TransferDigest = { side in
                var digest = TransferDigest()
                try side.pages(of: table) { rows in
                    for row in rows { digest.add(row) }
                    progress.rows += rows.count
                    report(progress)
                }
                return digest
            }
            let (ours, theirs) = (try digest(source), try digest(target))
            if ours == theirs {
                summary.tables.append(
                    Table(name: table.name, rows: ours.rows, checksum: ours.hash))
            } else {
                summary.different.append(table.name)
            }
        }
        return summary
    }
}
