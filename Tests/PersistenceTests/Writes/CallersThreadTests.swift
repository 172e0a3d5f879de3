import Foundation
import Testing

@testable import Persistence

/// With `runsOnCallersThread`, an engine gives the same results.
@Suite struct CallersThreadTests {
    @Test func writesAndReadsRunOnCallersThread() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file(), runsOnCallersThread: true)
        _ = try await engine.write(about: .none) { transaction in
            try transaction.execute("INSERT INTO server_state (name, value) VALUES ('a', 1)", [])
        }
        await #expect(throws: DatabaseError.uniqueViolation) {
            try await engine.write(about: .none) { transaction in
                try transaction.execute("UPDATE server_state SET value = 2", [])
                try transaction.execute(
                    "INSERT INTO server_state (name, value) VALUES ('a', 3)", [])
            }
        }
        #expect(try await engine.read { try $0.count("SELECT value FROM server_state", []) } == 1)
        try engine.close()
        await #expect(throws: DatabaseError.closed) { try await engine.read { _ in } }
    }
}
