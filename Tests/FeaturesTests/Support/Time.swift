import ComposableArchitecture
import Domain
import Foundation

extension DateGenerator {
    /// Returns dates that advance with a test's clock.
    static func following(_ clock: TestClock<Duration>, from start: Date = Fixture.now)
        -> DateGenerator
    {
        DateGenerator { start.adding(clock.now.offset) }
    }
}

extension UserFacingError {
    static let refused = UserFacingError(CommandError.unavailable("busy"))
}

/// Records a client's calls with their arguments.
typealias Calls<Value> = LockIsolated<[Value]>
