import Domain
import Foundation
import Persistence

public struct ResponderOrder: Commands {
    public let core: Core
    let accountNews: AccountNews

    /// Sets the order of calls to the caller's responders. Responders who aren't listed follow,
    /// oldest contact first. Announces another order to the caller's other devices. Throws
    /// `invalidArgument` if a person is listed twice or isn't a responder.
    public func orderResponders(_ ids: [UserID], of caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            let present = try transaction.responderIDs(of: caller.userID)
            guard Set(ids).count == ids.count, Set(ids).isSubset(of: present) else {
                throw CommandError.invalidArgument(
                    field: "ids", "Give the ids of your responders, each once.")
            }
            try transaction.saveOrder(ids, of: caller.userID)
            if try transaction.responderIDs(of: caller.userID) != present {
                try accountNews.announce(.responderOrderChanged, doneBy: caller, in: transaction)
            }
            // One event makes the devices reload all contacts.
            guard let first = present.first else { return }
            try transaction.append(.contactChanged(.init(contactID: first)), to: caller.userID)
        }
    }
}
