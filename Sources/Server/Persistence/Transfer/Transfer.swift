import Foundation

/// Copies a whole SQLite database to PostgreSQL, and then compares both. A transfer that was killed
/// resumes after its last committed row.
///
/// The file stays locked, so no server can write to it. Servers reject the target until the
/// transfer is finished.
public struct Transfer {
    public struct Progress: Sendable, Equatable {
        public enum Phase: Sendable, Equatable { case checking, copying, comparing }

        public var phase: Phase
        /// The current table; empty during the check of the file.
        public var table = ""
        /// The number of processed rows in all tables.
        public var rows = 0
        public var total = 0
    }

    /// A table that is identical on both sides.
    public struct Table: Sendable, Equatable {
        public var name: String
        public var rows: Int
        public var checksum: UInt64
    }

    public struct Summary: Sendable, Equatable {
        public var tables: [Table]
        /// The names of tables that differ, because something wrote to the target. The target then
        /// stays marked as unfinished.
        public var different: [String] = []
        /// True if an earlier transfer had already finished. Then nothing was written.
        public var wasFinished = false
    }

    private let source: SQLiteEngine
    private let target: TransferTarget
    private let tables: [TransferTable]
    private let counts: [String: Int]
    private let report: (Progress) -> Void

    /// Checks both sides, copies and compares. Throws `DatabaseError` if the file is damaged or
    /// open in a server, or if the target can't be used.
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
            // Detects a server that has the file open, before minutes are spent on checks.
            try FileLock(for: path).release()
            _ = try SQLiteFile.verifyThoroughly(path)
            let source = try SQLiteEngine(path: path, now: { Date() })
            defer { try? source.close() }
            return try Transfer(source, target, report).run()
        } catch {
            throw SQLiteFailure.translate(error, path: path)
        }
    }

    /// Throws `DatabaseError` if a transfer is unfinished. A server calls this after writing its
    /// first rows. A transfer that began before saw an empty database.
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
            // An earlier run that was killed after its last commit has copied everything.
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

    /// Returns a fingerprint of the source. The start of a server changes it, so that a partial
    /// transfer isn't resumed with newer data.
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
