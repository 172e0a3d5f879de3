import Domain
import Foundation
import Persistence

/// Idempotency: a request that arrives twice, or late, has no second effect.
extension SafetyNetwork {
    /// True if this edit was made before; otherwise it counts as made with this transaction. An
    /// edit without a key is always new. Throws `invalidArgument` for a key that stands for
    /// something else.
    /// - Parameter request: the edit and what it is about.
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

    /// The id the server substituted for this client-made id; nil if none.
    func earlierOutcome<Thing>(
        _ request: String, _ id: ID<Thing>, of caller: Caller, in connection: any SQLConnection
    ) throws -> ID<Thing>? {
        guard let known = try connection.requestKey(id.uuid, of: caller.userID),
            known.request == request
        else { return nil }
        return known.outcome.map { ID($0) }
    }

    /// Notes that what was asked for with this id is another thing that was there already.
    func remember<Thing>(
        _ request: String, _ id: ID<Thing>, stoodFor outcome: ID<Thing>, of caller: Caller,
        in transaction: Transaction
    ) throws {
        // An id that is the key of an edit as well was not made by chance. Nobody is refused help
        // for it.
        guard try transaction.requestKey(id.uuid, of: caller.userID) == nil else { return }
        try transaction.insert(
            RequestKeyRow(request: request, outcome: outcome.uuid), key: id.uuid, of: caller.userID)
    }

    private static let keyOfSomethingElse = CommandError.alreadyExists(
        "This key was used for something else.")
}
