import Foundation
import Testing

@testable import Persistence

/// Tells failures that a row causes from failures of the machine.
@Suite struct FailureOfTheMachineTests {
    private static let path = "/data"

    @Test(arguments: [
        // SQLITE_IOERR_SHMSIZE, SQLITE_FULL
        (Int32(10 | 19 << 8), DatabaseError.diskFull(path: path)),
        (13, .diskFull(path: path)),
        // SQLITE_IOERR_READ, SQLITE_NOMEM, SQLITE_BUSY
        (10 | 1 << 8, .unreachable(path: path, reason: "x (SQLite 266)")),
        (7, .unreachable(path: path, reason: "x (SQLite 7)")),
        (5, .unreachable(path: path, reason: "x (SQLite 5)")),
        (14, .cannotOpen(path: path, reason: "x")),
        // SQLITE_ERROR
        (1, .failed("x (SQLite 1)")),
    ])
    func translatesSQLiteCodes(code: Int32, error: DatabaseError) {
        errno = 0
        #expect(SQLiteFailure.translate(code, message: "x", path: Self.path) == error)
    }

    /// A failing disk, file descriptor or connection must not postpone rows.
    @Test(arguments: [
        DatabaseError.diskFull(path: path), .cannotOpen(path: path, reason: "no descriptor"),
        .unreachable(path: path, reason: "disk I/O error"), .readOnly(path: path), .conflict,
    ])
    func machineFailureEndsTransaction(error: DatabaseError) async throws {
        try await withEngine(.memory) { engine in
            await #expect(throws: error) {
                try await engine.write(about: .none) { transaction in
                    _ = try transaction.isolated { throw error }
                }
            }
        }
    }

    @Test(arguments: [
        DatabaseError.uniqueViolation, .constraintViolation("CHECK"), .unreadable("a date"),
        .failed("integer overflow"),
    ])
    func rowFailureIsReturned(error: DatabaseError) async throws {
        try await withEngine(.memory) { engine in
            let found = try await engine.write(about: .none) { transaction in
                try transaction.isolated { throw error } as? DatabaseError
            }
            #expect(found == error)
        }
    }
}
