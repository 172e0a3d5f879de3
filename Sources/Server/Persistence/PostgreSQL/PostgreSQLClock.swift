import Domain
import Foundation
import Synchronization

/// The clock of the database, counted on by this machine's own between two looks at it.
///
/// Each look has a request and an answer, and the database's time was read in between. A look that
/// took long therefore says little, and changes nothing as long as the present reading is possible.
/// Source of the method: Cristian, "Probabilistic clock synchronization" (1989).
public final class PostgreSQLClock: Sendable {
    private struct State {
        /// The database's time minus this machine's monotonic clock.
        var offset: Duration?
        var lookedAt: Duration = .zero
    }

    /// The clock counts as checked for this long after a look at the database.
    private static let checkedFor: Duration = .seconds(10)

    private let monotonic: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter monotonic: this machine's clock that is never set.
    public init(monotonic: @escaping @Sendable () -> Duration) { self.monotonic = monotonic }

    /// The database's time; that of the last look when there was none since. 1970 before the first.
    public func now() -> Date {
        let offset = state.withLock { $0.offset }
        return Date(timeIntervalSince1970: 0).adding((offset ?? .zero) + monotonic())
    }

    /// True if the database was asked within the last 10 seconds.
    public var isChecked: Bool {
        let lookedAt = state.withLock { $0.offset == nil ? nil : $0.lookedAt }
        return lookedAt.map { monotonic() - $0 <= Self.checkedFor } ?? false
    }

    /// Asks the database once, so that `now` is its time. Throws `DatabaseError`.
    public func start(_ address: PostgreSQLAddress) throws(DatabaseError) {
        do {
            try look(at: try PostgreSQLConnection(address, limits: .init()))
        } catch {
            throw error as? DatabaseError ?? .failed("\(error)")
        }
    }

    func look(at connection: PostgreSQLConnection) throws {
        let asked = monotonic()
        let microseconds = try connection.count(
            "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint AS now", [])
        note(.microseconds(microseconds), askedAt: asked, answeredAt: monotonic())
    }

    /// - Parameter time: of the database, since 1970.
    func note(_ time: Duration, askedAt asked: Duration, answeredAt answered: Duration) {
        state.withLock { state in
            state.lookedAt = answered
            let (least, most) = (time - answered, time - asked)
            if let offset = state.offset {
                state.offset = min(max(offset, least), most)
            } else {
                state.offset = least + (most - least) / 2
            }
        }
    }
}
