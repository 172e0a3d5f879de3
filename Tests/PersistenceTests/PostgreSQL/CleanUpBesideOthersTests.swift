import Domain
import Foundation
import Testing

@testable import Persistence

@Suite(.enabled(if: PostgreSQLDatabase.isAvailable), .timeLimit(.minutes(5)))
struct CleanUpBesideOthersTests {
    @Test func concurrentlyRenewedSessionStays() async throws {
        let database = try PostgreSQLDatabase()
        let engine = try database.engine()
        try await engine.moveIn(ada)
        try await engine.write(about: .none) { transaction in
            try transaction.insertSession(
                Caller(userID: ada, sessionID: id(1)), deviceName: "Phone",
                TokenHashes(
                    access: Data([1]), refresh: Data([1]), family: nil, accessExpiresAt: noon,
                    refreshExpiresAt: noon))
        }
        let cleanUp = {
            try await engine.write(about: .none) { try $0.cleanUp(.sessions, limit: 10) }
        }
        let other = try database.connection()
        try other.execute("BEGIN", [])
        try other.execute("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [.id(ada)])
        try other.execute(
            "UPDATE sessions SET refresh_expires_at = $1", [.date(noon.adding(.days(90)))])
        #expect(try await cleanUp() == 0)
        try other.execute("COMMIT", [])
        #expect(try await cleanUp() == 0)
        #expect(try database.count("SELECT COUNT(*) FROM sessions") == 1)
        #expect(try database.count("SELECT COUNT(*) FROM token_hashes") == 1)
        try engine.close()
    }
}
