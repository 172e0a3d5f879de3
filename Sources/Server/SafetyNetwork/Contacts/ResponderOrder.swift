import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// Sets the order of calls to the caller's responders. Responders who aren't listed come last,
    /// oldest contact first. Throws `invalidArgument` for a person who isn't the caller's responder
    /// or is listed twice.
    public func orderResponders(_ ids: [UserID], of caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            let present = try transaction.responderIDs(of: caller.userID)
            guard Set(ids).count == ids.count, Set(ids).isSubset(of: present) else {
                throw CommandError.invalidArgument(
                    field: "ids", "Give the ids of your responders, each once.")
            }
            try transaction.saveOrder(ids, of: caller.userID)
            // One event is enough for devices to reload the contacts.
            guard let first = present.first else { return }
            try transaction.append(.contactChanged(.init(contactID: first)), to: caller.userID)
        }
    }
}
