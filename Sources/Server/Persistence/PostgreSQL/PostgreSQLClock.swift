import Domain
import Foundation
import Synchronization

/// The database's clock, extrapolated by this machine's monotonic clock between two readings.
///
/// The database reads its clock at some moment between a request and its response. So a reading
/// gives a lower and an upper bound for the time. The clock moves only if it is outside these
/// bounds. Source: Cristian, "Probabilistic clock synchronization" (1989).
public final class PostgreSQLClock: Sendable {
    private struct State {
        /// The database's time minus this machine's monotonic clock.
        var offset: Duration?
        var lookedAt: Duration = .zero
    }

    /// How long a reading counts as recent.
    private static let checkedFor: Duration = .seconds(10)

    private let monotonic: @Sendable () -> Duration
    private let state = Mutex(State())

    public init(monotonic: @escaping @Sendable () -> Duration) { self.monotonic = monotonic }

    /// Returns the database's time, extrapolated from the last reading. Counts from 1970 before the
    /// first reading.
    public func now() -> Date {
        let offset = state.withLock { $0.offset }
        return Date(timeIntervalSince1970: 0).adding((offset ?? .zero) + monotonic())
    }

    /// True if the last reading is at most 10 seconds old.
    public var isChecked: Bool {
        let lookedAt = state.withLock { $0.offset == nil ? nil : $0.lookedAt }
        return lookedAt.map { monotonic() - $0 <= Self.checkedFor } ?? false
    }

    /// Takes the first reading. Throws `DatabaseError`.
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

    /// - Parameter time: the database's time since 1970.
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
