import Domain
import Foundation
import Persistence

extension ServerClock {
    /// Follows the clock of the database, as all servers of that database do. The servers' time
    /// never jumps while they run, because each server would notice a jump at a different moment
    /// and correct rows for it. After the database's clock has jumped, for example in a failover to
    /// another machine, all servers approach it at the same rate, by 5 % of the time that passes.
    public struct Shared: Sendable {
        /// True if the servers start with the database's clock and ignore the remembered time.
        public var isTrusted: Bool

        public init(isTrusted: Bool) { self.isTrusted = isTrusted }

        /// Used instead of a machine's boot id, because the stored times are readings of the
        /// database's clock.
        static let bootID: Int64 = 0

        /// Keeps the distance to the database's clock that another server recorded seconds ago, so
        /// that all servers have the same time.
        func goOn(from memory: ClockMemory, _ state: inout State) {
            state.lastSignOfLife = min(memory.time, state.wall)
            guard !isTrusted else { return }
            let pause = Self.moment(of: state.wall) - memory.boot
            if memory.bootID == Self.bootID, pause >= .zero {
                state.time = memory.time.adding(pause)
                state.lastSignOfLife = memory.time
            } else {
                // Time never goes back.
                state.time = max(memory.time, state.wall)
            }
        }

        /// The state of the clock for the next server.
        func memory(of state: State) -> ClockMemory {
            ClockMemory(
                time: state.time, since: state.since, trust: .full,
                boot: Self.moment(of: state.wall), bootID: Self.bootID)
        }

        func warning(_ error: Duration) -> String {
            let direction = error > .zero ? "ahead of" : "behind"
            return """
                the database's clock is \(error.size.components.seconds) s \(direction) the \
                servers' time, which follows it slowly; if the database's clock is right, stop all \
                servers and start them with --trust-clock
                """
        }

        private static func moment(of wall: Date) -> Duration {
            .milliseconds(wall.milliseconds)
        }
    }
}
