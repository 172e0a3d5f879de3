import Domain
import Foundation

struct CopyContents: Equatable, Sendable {
    var model = AccountModel()
    var lastSynced: Date?
}

/// Stores the shown data on disk. The server has all of this data, too.
protocol CopyStore: Sendable {
    /// Returns the copy of this user's data. Deletes another user's copy and then returns an empty
    /// one.
    func load(of user: UserID) async throws -> CopyContents
    /// Writes the differences between `old` and `new`.
    func save(_ new: CopyContents, replacing old: CopyContents) async throws
    func setting(_ key: String) async throws -> String?
    /// nil removes the setting.
    func set(_ value: String?, _ key: String) async throws
}
