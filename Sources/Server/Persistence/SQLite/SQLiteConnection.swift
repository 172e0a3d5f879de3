import Foundation
import GRDB
import GRDBSQLite

/// Runs statements on one SQLite connection. GRDB caches the prepared statements. Binding and
/// stepping call SQLite directly for speed: a check-in runs a dozen statements.
struct SQLiteConnection: SQLConnection {
    let database: GRDB.Database
    let path: String
    let now: Date
    var refusals: RefusedStatements?
    /// True to reject statements that write.
    var isReadOnly = false

    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        _ = try query(sql, values) { _ in }
        return Int(sqlite3_changes(database.sqliteConnection))
    }

    func query<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value)
        throws -> [Value]
    {
        let prepared: GRDB.Statement
        do {
            prepared = try database.cachedStatement(sql: sql)
        } catch let error as GRDB.DatabaseError {
            let failure = SQLiteFailure.translate(
                error.extendedResultCode.rawValue, message: error.message ?? "", path: path)
            refusals?.note(failure, of: sql)
            throw failure
        }
        let statement = prepared.sqliteStatement
        if isReadOnly, !prepared.isReadonly, sqlite3_stmt_isexplain(statement) == 0 {
            throw SQLiteFailure.translate(
                SQLITE_READONLY, message: "a read must not write", path: path)
        }
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        assert(
            parametersAreInOrder(of: statement, count: values.count),
            "parameters out of order: \(sql)")
        for (index, value) in values.enumerated() {
            try check(bind(value, at: Int32(index + 1), of: statement))
        }
        var row: SQLRow?
        var results: [Value] = []
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE {
                if let refusals, !refusals.isEmpty { refusals.end(of: sql) }
                return results
            }
            // GRDB interrupts the statements of a cancelled task.
            if code == SQLITE_INTERRUPT { throw CancellationError() }
            guard code == SQLITE_ROW else {
                let failure = failure()
                refusals?.note(failure, of: sql)
                throw failure
            }
            let current = row ?? SQLRow(SQLiteRow(of: prepared))
            row = current
            results.append(try read(current))
        }
    }

    private func bind(_ value: SQLValue, at index: Int32, of statement: OpaquePointer) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        case .text(let text):
            text.utf8.withContiguousStorageIfAvailable { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    sqlite3_bind_text(
                        statement, index, bytes.baseAddress ?? EmptyValue.pointer,
                        Int32(bytes.count),
                        Self.transient)
                }
            } ?? sqlite3_bind_text(statement, index, text, -1, Self.transient)
        case .blob(let data):
            data.withUnsafeBytes { bytes in
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(
                        statement, index, bytes.baseAddress, Int32(bytes.count), Self.transient)
            }
        case .uuid(let uuid):
            withUnsafeBytes(of: uuid.uuid) { bytes in
                sqlite3_bind_blob(statement, index, bytes.baseAddress, 16, Self.transient)
            }
        case .list: SQLITE_MISMATCH
        }
    }

    /// Returns true if SQLite's parameter numbers match their names. SQLite numbers `$2` by its
    /// first appearance, PostgreSQL by its name.
    private func parametersAreInOrder(of statement: OpaquePointer, count: Int) -> Bool {
        Int(sqlite3_bind_parameter_count(statement)) == count
            && (0..<count).allSatisfy { index in
                sqlite3_bind_parameter_name(statement, Int32(index + 1)).map { String(cString: $0) }
                    == "$\(index + 1)"
            }
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw failure() }
    }

    private func failure() -> DatabaseError {
        let connection = database.sqliteConnection
        return SQLiteFailure.translate(
            sqlite3_extended_errcode(connection),
            message: String(cString: sqlite3_errmsg(connection)), path: path
        )
    }

    /// Makes SQLite copy the bytes before the call returns.
    private static var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}

enum SQLiteFailure {
    static func translate(_ code: Int32, message: String, path: String) -> DatabaseError {
        // SQLITE_CONSTRAINT_UNIQUE and …_PRIMARYKEY are macros that Swift can't import.
        if code == SQLITE_CONSTRAINT | 8 << 8 || code == SQLITE_CONSTRAINT | 6 << 8 {
            return .uniqueViolation
        }
        switch code & 0xFF {
        case SQLITE_CONSTRAINT: return .constraintViolation(message)
        case SQLITE_FULL: return .diskFull(path: path)
        case SQLITE_READONLY: return .readOnly(path: path)
        case SQLITE_NOTADB, SQLITE_CORRUPT: return .damaged(path: path)
        case SQLITE_CANTOPEN: return .cannotOpen(path: path, reason: message)
        // SQLITE_IOERR_SHMSIZE: the log's index could not be created.
        case SQLITE_IOERR
        where code == SQLITE_IOERR | 19 << 8 || [ENOSPC, EFBIG, EDQUOT].contains(errno):
            return .diskFull(path: path)
        // Exhausted memory or file descriptors, a lock, or a failing disk. The row is not the
        // cause.
        case SQLITE_IOERR, SQLITE_NOMEM, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL,
            SQLITE_INTERRUPT:
            return .unreachable(path: path, reason: "\(message) (SQLite \(code))")
        default: return .failed("\(message) (SQLite \(code))")
        }
    }

    static func translate(_ error: any Error, path: String) -> DatabaseError {
        switch error {
        case let error as DatabaseError: error
        case let error as GRDB.DatabaseError:
            translate(error.extendedResultCode.rawValue, message: error.message ?? "", path: path)
        default: .failed("\(error)")
        }
    }
}
