import ComposableArchitecture
import Domain
import Foundation

extension DateGenerator {
    /// The time of a test's clock: both go on together.
    static func following(_ clock: TestClock<Duration>, from start: Date = Fixture.now)
        -> DateGenerator
    {
        DateGenerator { start.adding(clock.now.offset) }
    }
}

extension UserFacingError {
    /// A client's error for a server that cannot work now.
    static let refused = UserFacingError(CommandError.unavailable("busy"))
}

/// Counts how often a client was asked, and with what.
typealias Calls<Value> = LockIsolated<[Value]>
