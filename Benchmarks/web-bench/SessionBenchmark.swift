import API
import ClientsLive
import Domain
import Foundation
import TestApp

/// Two thousand sessions are awake in one process, and one alert reaches all of them. Then all of
/// them go to sleep.
enum SessionBenchmark {
    static func run(_ table: inout Table) async throws {
        let measurements = try await WebTestApp.run(measure)
        let count = measurements.count
        let contacts = "\(Crowd.callers) contacts and \(Crowd.checkIns) check-ins"
        table.add(
            "memory of a session awake, with its page's stream; \(contacts) (\(count))",
            measurements.awake.text, goal: "≤ 250 KB",
            isReached: measurements.awake.resident <= 250)
        // Only allocated memory counts here. The allocator's reserve belongs to the process and
        // doesn't grow with the number of sessions.
        table.add(
            "memory of a session asleep, allocated (\(count))", measurements.asleep.allocatedText,
            goal: "≤ 5 KB", isReached: measurements.asleep.allocated <= 5)
        table.add("more of it after each has been awake once more", measurements.more.allocatedText)
        table.add(
            """
            one alert → the pages of \(Crowd.responders) responders in \(Crowd.browsers) browsers \
            each (\(measurements.times.count))
            """,
            """
            p50 \(measurements.times.percentile(0.5).inMilliseconds), p99 \
            \(measurements.times.percentile(0.99).inMilliseconds)
            """,
            goal: "p99 ≤ 500 ms",
            isReached: measurements.times.percentile(0.99) <= .milliseconds(500))
        table.add(
            "the same, in time of a core for each page",
            String(format: "%.2f ms", measurements.work / .milliseconds(1)), goal: "≤ 0.7 ms",
            isReached: measurements.work <= .microseconds(700))
    }

    private struct Measurements: Sendable {
        var count: Int
        var awake, asleep, more: Memory.Share
        var times: [Duration]
        /// The processor time per page, from an alert until all effects of the alert are done.
        var work: Duration
    }

    @Sendable private static func measure(_ web: WebTestApp) async throws -> Measurements {
        let crowd = try await Crowd.settle(web.app)
        // Opens some pages before the measurement. The first pages allocate memory that belongs to
        // the process, not to their sessions.
        try await Pages.open(Array(crowd.cookies.prefix(100)), port: web.port).close()
        try await web.sleepAll()
        let before = Memory.trimmed()
        let pages = try await Pages.open(crowd.cookies, port: web.port)
        try await pages.drain()
        let awake = Memory.trimmed().each(of: crowd.cookies.count, since: before)
        let (times, work) = try await alerts(of: crowd, pages)
        pages.close()
        try await web.sleepAll()
        let after = Memory.trimmed()
        try await Pages.open(crowd.cookies, port: web.port).close()
        try await web.sleepAll()
        let more = Memory.trimmed().each(of: crowd.cookies.count, since: after)
        let asleep = after.each(of: crowd.cookies.count, since: before)
        return Measurements(
            count: crowd.cookies.count, awake: awake, asleep: asleep, more: more, times: times,
            work: work)
    }

    private static func alerts(of crowd: Crowd, _ pages: Pages) async throws -> (
        times: [Duration], work: Duration
    ) {
        var (times, work) = ([Duration](), Duration.zero)
        for caller in Array(repeatElement(crowd.callers, count: Crowd.rounds)).joined() {
            let (alert, before) = (UUID(), workOfThisProcess())
            times += try await pages.times(of: "\(caller.name) has raised an alert") {
                try await caller.connection.call(Routes.raiseAlert, id: alert)
            }
            try await pages.drain()
            work += workOfThisProcess() - before
            _ = try await caller.connection.call(Routes.endAlert, id: alert)
            try await pages.drain()
        }
        return (times, work / times.count)
    }
}
