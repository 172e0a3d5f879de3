import Domain
import Foundation
import Synchronization

/// The time that the server and all devices share.
public final class TestTime: Sendable {
    /// 1 March 2026, 12:00 UTC.
    public static let noon = Date(milliseconds: 1_772_366_400_000)
    private let moment: Mutex<Date>

    init(_ start: Date) { moment = Mutex(start) }

    public var now: Date { moment.withLock { $0 } }
    public func pass(_ duration: Duration) { moment.withLock { $0 = $0.adding(duration) } }
}
