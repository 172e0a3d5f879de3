import Domain
import Foundation

/// The queue as loaded at start.
struct QueueContents: Equatable, Sendable {
    var entries: [QueuedEntry] = []
    var aliases: [UUID: UUID] = [:]
    /// Refused entries that have not been shown yet.
    var refused: [RefusedEntry] = []
    /// Alerts that waited when the session was ended elsewhere, and until when the person is asked
    /// about them; nil until the next sign-in.
    var held: [UUID: Date?] = [:]
    /// The file was damaged and set aside: what had waited in it may be lost.
    var wasDamaged = false
}

struct RefusedEntry: Equatable, Sendable {
    var entry: QueuedEntry
    var error: UserFacingError
}

/// A store in which the queue outlives the process. When a call returns, what it did survives a
/// kill.
protocol QueueStore: Sendable {
    func load() async throws -> QueueContents
    func append(_ entry: QueuedEntry) async throws
    /// The server has said yes.
    func remove(_ id: UUID, noting alias: Alias?) async throws
    /// Nothing of these is sent before that time; nil until the next sign-in.
    func hold(_ ids: Set<UUID>, until time: Date?) async throws
    /// They are sent like everything else.
    func release(_ ids: Set<UUID>) async throws
    /// The server has said no: it is sent no more, and kept until the person has been told.
    func refuse(_ id: UUID, _ error: UserFacingError) async throws
}
