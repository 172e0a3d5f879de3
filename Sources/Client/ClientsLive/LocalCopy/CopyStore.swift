import Domain
import Foundation

/// The contents of a device's local copy.
struct CopyContents: Equatable, Sendable {
    var model = AccountModel()
    /// When the copy was last in sync with the server.
    var lastSynced: Date?
}

/// Stores the shown data so that it outlives the process. All of it can be loaded again from the
/// server.
protocol CopyStore: Sendable {
    /// Returns the copy of this user's data. If the stored copy is another user's, deletes it and
    /// returns an empty one.
    func load(of user: UserID) async throws -> CopyContents
    /// Writes what has changed from `old` to `new`.
    func save(_ new: CopyContents, replacing old: CopyContents) async throws
    func setting(_ key: String) async throws -> String?
    /// Stores a setting; nil removes it.
    func set(_ value: String?, _ key: String) async throws
}
