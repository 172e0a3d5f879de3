import Domain
import Foundation

/// The contents of a device's local copy.
struct CopyContents: Equatable, Sendable {
    var model = AccountModel()
    /// The time when it was in step with the server.
    var lastSynced: Date?
}

/// A store in which what is shown outlives the process. All of it can be loaded anew.
protocol CopyStore: Sendable {
    /// Empty for another user than the one whose copy it is: theirs is gone then.
    func load(of user: UserID) async throws -> CopyContents
    /// Writes what differs.
    func save(_ new: CopyContents, replacing old: CopyContents) async throws
    func setting(_ key: String) async throws -> String?
    /// nil removes it.
    func set(_ value: String?, _ key: String) async throws
}
