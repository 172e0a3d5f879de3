import Domain
import Foundation
import Persistence

extension ServerClock {
    /// The clock of the database, which all servers follow. Their time never jumps while they run:
    /// no server may correct rows by a step that the others notice at another moment. So a step, as
    /// after a failover to a machine with another clock, is followed by 5 % of the time that
    /// passes, and by all of them alike.
    public struct Shared: Sendable {
        /// The servers begin with the database's clock as it is, whatever they remember.
        public var isTrusted: Bool

        public init(isTrusted: Bool) { self.isTrusted = isTrusted }

        /// Takes the place of the id of a machine's boot: the moments beside it are the database's.
        static let bootID: Int64 = 0

        /// The distance to the database's clock stays the one that another server has noted within
        /// the last seconds, so that all have the same time.
        func goOn(from memory: ClockMemory, _ state: inout State) {
            state.lastSignOfLife = min(memory.time, state.wall)
            guard !isTrusted else { return }
            let pause = Self.moment(of: state.wall) - memory.boot
            if memory.bootID == Self.bootID, pause >= .zero {
                state.time = memory.time.adding(pause)
                state.lastSignOfLife = memory.time
            } else {
                // Time has not gone back.
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
