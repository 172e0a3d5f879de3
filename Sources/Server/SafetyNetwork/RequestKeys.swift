import Domain
import Foundation
import Persistence

/// Idempotency keys: a repeated request has no second effect.
extension Commands {
    /// Returns true if this edit was made before. Otherwise stores its key in this transaction. An
    /// edit without a key is always new. Throws `alreadyExists` for the key of another edit.
    /// - Parameter request: the edit and what it changes.
    func isRepeat(
        _ request: String, _ key: UUID?, of caller: Caller,
        in transaction: Transaction
    ) throws -> Bool {
        guard let key else { return false }
        guard let known = try transaction.requestKey(key, of: caller.userID) else {
            try transaction.insert(RequestKeyRow(request: request), key: key, of: caller.userID)
            return false
        }
        guard known.request == request else { throw Self.keyOfSomethingElse }
        return true
    }

    /// Returns the id that the server used instead of this client-made id; nil if there was none.
    func earlierOutcome<Thing>(
        _ request: String, _ id: ID<Thing>, of caller: Caller, in connection: any SQLConnection
    ) throws -> ID<Thing>? {
        guard let known = try connection.requestKey(id.uuid, of: caller.userID),
            known.request == request
        else { return nil }
        return known.outcome.map { ID($0) }
    }

    /// Records that the server answered this id with another item.
    func remember<Thing>(
        _ request: String, _ id: ID<Thing>, stoodFor outcome: ID<Thing>, of caller: Caller,
        in transaction: Transaction
    ) throws {
        // If the id is already the key of an edit, the client didn't choose it at random. An error
        // could keep a person from getting help, so the request goes through without a record.
        guard try transaction.requestKey(id.uuid, of: caller.userID) == nil else { return }
        try transaction.insert(
            RequestKeyRow(request: request, outcome: outcome.uuid), key: id.uuid, of: caller.userID)
    }

    static var keyOfSomethingElse: CommandError {
        .alreadyExists("This key was used for something else.")
    }
}
