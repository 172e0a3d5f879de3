import Foundation
import Testing

@testable import Persistence

@Suite struct LockTests {
    @Test func secondServerIsRefusedWhileFirstContinues() async throws {
        let folder = try TestFolder()
        let first = try SQLiteEngine(path: folder.file())
        #expect(throws: DatabaseError.inUse(path: folder.file())) {
            try SQLiteEngine(path: folder.file())
        }
        try await first.moveIn(ada)
        #expect(try await first.rows(in: "users") == 1)
        try first.close()
    }

    @Test func closedServerReleasesLock() async throws {
        let folder = try TestFolder()
        do {
            let first = try SQLiteEngine(path: folder.file())
            try await first.moveIn(ada)
            try first.close()
        }
        let second = try SQLiteEngine(path: folder.file())
        #expect(try await second.rows(in: "users") == 1)
        try second.close()
    }

    @Test func failedOpeningReleasesLock() throws {
        let folder = try TestFolder()
        try folder.write(Data("no database".utf8))
        #expect(throws: DatabaseError.damaged(path: folder.file())) {
            try SQLiteEngine(path: folder.file())
        }
        try FileManager.default.removeItem(atPath: folder.file())
        try SQLiteEngine(path: folder.file()).close()
    }

    /// A descriptor that is closed a second time may already belong to another file.
    @Test func refusedLockClosesDescriptorOnce() throws {
        let folder = try TestFolder()
        let held = try FileLock(for: folder.file())
        errno = 0
        let refused = try? FileLock(for: folder.file())
        let failure = errno
        #expect(refused == nil)
        #expect(failure != EBADF)
        withExtendedLifetime(held) {}
    }
}
