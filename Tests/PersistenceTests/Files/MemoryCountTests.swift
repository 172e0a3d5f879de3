import GRDBSQLite
import Testing

@testable import Persistence

@Suite struct MemoryCountTests {
    @Test func threadsDoNotContendForMemoryStatistics() throws {
        let engine = try SQLiteEngine()
        #expect(sqlite3_memory_used() == 0, "SQLite counts")
        try engine.close()
    }
}
