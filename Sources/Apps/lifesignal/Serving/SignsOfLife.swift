import Domain
import Foundation
import HTTPServer
import Logging
import SafetyNetwork
import Synchronization

extension BackgroundLoop {
    /// Returns the loop that writes signs of life, the first one after the start work. The loop
    /// also logs when a clock error begins or ends.
    static func signsOfLife(
        of network: SafetyNetwork, after start: StartWork, by clock: ServerClock,
        now: @escaping @Sendable () -> Date, logger: Logger
    ) -> BackgroundLoop {
        let wasWrong = Flag()
        if !clock.isSynchronised {
            logger.notice(
                """
                the kernel does not say that this machine's clock is right; it is followed with \
                care
                """
            )
        }
        return BackgroundLoop(
            "signs of life",
            .init(longestPause: ServerLife.pauseBetweenSignsOfLife, now: now), logger: logger
        ) {
            let warning = clock.warning
            if wasWrong.set(warning != nil) {
                if let warning {
                    logger.warning("\(warning)")
                } else {
                    logger.notice("the clock is right again")
                }
            }
            try await start.finish()
            return try await network.serverLife.giveSignOfLife()
        }
    }

    fileprivate final class Flag: Sendable {
        private let value = Mutex(false)

        func set(_ new: Bool) -> Bool {
            value.withLock { value in
                defer { value = new }
                return value != new
            }
        }
    }
}
