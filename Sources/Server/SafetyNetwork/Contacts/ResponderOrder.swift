import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// Sets the order in which the caller's responders are called. Those who are not named follow,
    /// the oldest contact first. Throws `invalidArgument` for somebody who is no responder of
    /// theirs, or is named twice.
    public func orderResponders(_ ids: [UserID], of caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            let present = try transaction.responderIDs(of: caller.userID)
            guard Set(ids).count == ids.count, Set(ids).isSubset(of: present) else {
                throw CommandError.invalidArgument(
                    field: "ids", "Give the ids of your responders, each once.")
            }
            try transaction.saveOrder(ids, of: caller.userID)
            // One is enough for devices to load the contacts again.
            guard let first = present.first else { return }
            try transaction.append(.contactChanged(.init(contactID: first)), to: caller.userID)
        }
    }
}
