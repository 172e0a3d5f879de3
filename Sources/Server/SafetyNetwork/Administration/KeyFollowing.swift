import Cryptography
import Foundation
import Persistence
import Synchronization

/// Lets failed checks that happen together share one read of the database.
final class KeyQuestions: Sendable {
    private struct Reads {
        var begun = 0
        /// The number of the newest read that succeeded.
        var done = 0
    }

    private let turns = Turns(1)
    private let reads = Mutex(Reads())

    var waitingCount: Int { turns.waitingCount }

    /// Returns after a successful `read` that began after this call.
    func ask(_ read: () async throws -> Void) async throws {
        let before = reads.withLock { $0.begun }
        try await turns.run {
            let number = reads.withLock { reads -> Int? in
                guard reads.done <= before else { return nil }
                reads.begun += 1
                return reads.begun
            }
            guard let number else { return }
            try await read()
            reads.withLock { $0.done = number }
        }
    }
}

extension Commands {
    /// Returns what `check` finds with the server's key. Before it returns nil, it takes the key
    /// that another server has rotated to.
    func verified<Value>(_ check: () -> Value?) async throws -> Value? {
        if let value = check() { return value }
        try await askForKey()
        return check()
    }

    /// Follows the key of the database's other servers, by a read that begins now or later.
    func askForKey() async throws {
        guard database.isShared else { return }
        try await core.keyQuestions.ask {
            try await database.read { try self.followKey(in: $0) }
        }
    }

    /// Like `verified`, in a transaction.
    func isProven(
        in connection: any SQLConnection, by check: () throws -> Bool
    ) throws -> Bool {
        if try check() { return true }
        guard database.isShared else { return false }
        try followKey(in: connection)
        return try check()
    }

    /// Takes the key that another server of the database has rotated to, and forgets the keys that
    /// it has forgotten.
    func followKey(in connection: any SQLConnection) throws {
        // This server may rotate its key during the read.
        let old = key.withoutFormerKeys
        let state = try connection.serverState()
        guard hasOtherKeys(state), let known = state.keyFingerprint else {
            return key.setBehind(false)
        }
        let found = known == old.fingerprint ? old : core.environment.findKey(known)
        guard let found else {
            return key.setBehind(true, isForgotten: state.formerKeys ?? 0 == 0)
        }
        let next = found.withoutFormerKeys
        if let formerKeys = try connection.sealed(.formerKeys) { next.takeFormerKeys(formerKeys) }
        key.adopt(next, inPlaceOf: old)
    }

    /// Returns true if the servers of the database have another key, or other former keys.
    func hasOtherKeys(_ state: ServerState) -> Bool {
        guard let known = state.keyFingerprint else { return false }
        return known != key.fingerprint || state.formerKeys ?? 0 != Int64(key.formerKeys)
    }
}
