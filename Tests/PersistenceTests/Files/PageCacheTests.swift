import CSQLite
import Foundation
import GRDB
import Testing

/// SQLite uses a page cache of ours (`PageCache.c`).
@Suite struct PageCacheTests {
    @Test func pageCacheKnowsItsHighestPage() {
        #expect(csqlite_knows_highest_page() == 1)
    }

    /// Splits move pages, and the file grows, shrinks and is rolled back.
    @Test(arguments: ["NONE", "FULL", "INCREMENTAL"])
    func changingSizesLoseNoPage(vacuum: String) throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    PRAGMA page_size = 512;
                    PRAGMA auto_vacuum = \(vacuum);
                    CREATE TABLE words (word BLOB NOT NULL PRIMARY KEY, text TEXT) WITHOUT ROWID
                    """)
            var known = 0
            for round in 1...20 {
                try database.execute(sql: "BEGIN")
                for _ in 0..<200 {
                    try database.execute(
                        sql: "INSERT INTO words VALUES (randomblob(16), hex(randomblob(60)))")
                }
                if round.isMultiple(of: 4) {
                    try database.execute(sql: "ROLLBACK")
                } else {
                    try database.execute(sql: "COMMIT")
                    known += 200
                }
                if round.isMultiple(of: 5) {
                    try database.execute(sql: "DELETE FROM words WHERE word > x'40'")
                    try database.execute(sql: "PRAGMA incremental_vacuum")
                    try database.execute(sql: "VACUUM")
                    known = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM words") ?? -1
                }
                #expect(
                    try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM words") == known)
                #expect(try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok")
            }
        }
    }
}
