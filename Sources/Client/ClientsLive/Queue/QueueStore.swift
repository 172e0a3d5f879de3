import Domain
import Foundation

struct QueueContents: Equatable, Sendable {
    var entries: [QueuedEntry] = []
    var aliases: [UUID: UUID] = [:]
    var refused: [RefusedEntry] = []
    /// The alerts that were queued when another device ended the session. The value is the time
    /// until which the app asks about the alert; nil until the next sign-in.
    var held: [UUID: Date?] = [:]
    /// True if the file was damaged and set aside, so that queued actions may be lost.
    var wasDamaged = false
}

struct RefusedEntry: Equatable, Sendable {
    var entry: QueuedEntry
    var error: UserFacingError
}

/// Stores the queue on disk. Once a call has returned, its effect survives a kill.
protocol QueueStore: Sendable {
    func load() async throws -> QueueContents
    func append(_ entry: QueuedEntry) async throws
    /// Stores an entry before all others.
    func prepend(_ entry: QueuedEntry) async throws
    /// Removes an entry that was accepted or discarded, or whose refusal was shown.
    func remove(_ id: UUID, noting alias: Alias?) async throws
    /// Holds entries back until this time; nil means until the next sign-in.
    func hold(_ ids: Set<UUID>, until time: Date?) async throws
    func release(_ ids: Set<UUID>) async throws
    /// Marks an entry as refused, so that it is not sent. Keeps the entry until the person has been
    /// told.
    func refuse(_ id: UUID, _ error: UserFacingError) async throws
}
