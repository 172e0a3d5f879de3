import Domain
import Foundation
import HTTPServer
import Logging
import SafetyNetwork

extension BackgroundLoop {
    /// Returns the loop that writes signs of life, the first one after the start work. The loop
    /// also logs when a clock error, the lack of another server's channels, or the loss of a file
    /// of the database begins or ends. It wakes other loops if the clock runs unevenly, in case the
    /// system didn't tell (`ClockSetWatch`).
    static func signsOfLife(
        of network: SafetyNetwork, after start: StartWork, by clock: ServerClock,
        news: CommitNews, noticesClockSets: Bool, now: @escaping @Sendable () -> Date,
        logger: Logger
    ) -> BackgroundLoop {
        let (wasWrong, wasBehind, lackedChannels) = (Mark(), Mark(), Mark())
        let hadLoss = Mark()
        if !clock.isSynchronised {
            logger.notice(
                """
                the kernel does not say that this machine's clock is right; it is followed with \
                care
                """
            )
        }
        let leavesNotes = noticesClockSets && !network.database.isShared
        return BackgroundLoop(
            "signs of life",
            .init(
                longestPause: ServerLife.pauseBetweenSignsOfLife,
                quietPause: leavesNotes ? ServerLife.pauseBetweenNotes : nil, now: now),
            logger: logger
        ) {
            let warning = clock.warning
            if wasWrong.set(warning != nil) {
                if let warning {
                    logger.warning("\(warning)")
                } else {
                    logger.notice("the clock is right again")
                }
            }
            let health = network.database.health
            let loss = health.lostFile ?? health.lockWarning
            if hadLoss.set(loss != nil) {
                if let loss {
                    logger.error("\(loss)")
                } else {
                    logger.notice("all files of the database are in place again")
                }
            }
            _ = clock.now()
            if clock.isUneven { news.loops.wake() }
            try await start.finish()
            let isIdle = !news.hasEvents.set(false)
            do {
                let next = try await network.serverLife.giveCheapSignOfLife(isIdle: isIdle)
                let isBehind = network.keyRotation.isBehind
                if wasBehind.set(isBehind), isBehind { logger.error("\(KeySource.missingKey)") }
                let lack = network.serverLife.channelWarning
                if lackedChannels.set(lack != nil) {
                    if let lack {
                        logger.warning("\(lack)")
                    } else {
                        logger.notice("this server has all channels of the other servers again")
                    }
                }
                return next
            } catch {
                if !isIdle { news.hasEvents.set(true) }
                throw error
            }
        }
    }

    /// Returns the loop that notes that the process runs, after the start work; nil for a shared
    /// database. It uses no database, so a stalled one isn't taken for the process's sleep.
    static func wakefulness(
        of network: SafetyNetwork, after start: StartWork, now: @escaping @Sendable () -> Date,
        logger: Logger
    ) -> BackgroundLoop? {
        guard !network.database.isShared else { return nil }
        return BackgroundLoop(
            "wakefulness", .init(longestPause: ServerLife.pauseBetweenNotes, now: now),
            logger: logger,
            work: start.before(now: now) {
                network.serverLife.noteAwake()
                return nil
            })
    }
}
