import ArgumentParser
import Clients
import Domain
import Features
import Foundation

struct CheckInHistory: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show your check-ins as a month, day by day.")

    @OptionGroup var client: ClientOptions

    @Option(help: "The month, such as 2026-11. (default: this month)")
    var month: String?

    @Option(help: "Also list the check-ins of this day of the month.")
    var day: Int?

    func validate() throws {
        if let month, CalendarMonth(month) == nil {
            throw ValidationError("--month is a year and a month, such as 2026-11.")
        }
        if let day, !(1...31).contains(day) { throw ValidationError("--day is 1 to 31.") }
    }

    func perform(_ session: ClientSession) async throws -> Report {
        let snapshot = try await session.loadSnapshot()
        guard let profile = snapshot.profile else { throw UserFacingError.unavailable }
        let now = session.words.now
        let zone = CheckInMonth.zone(of: profile.settings, device: TimeZone.current.identifier)
        let chosen =
            month.flatMap { CalendarMonth($0) } ?? CalendarMonth(containing: now, in: zone)
        let known = try await load(since: chosen.start(in: zone), of: profile.id, session)
        let calendar = CheckInMonth(
            chosen, checkIns: known.checkIns, alerts: known.alerts, pause: profile.pause,
            knownSince: known.since(in: zone),
            knownUntil: session.isOnline == false ? snapshot.connectivity.lastSynced : nil,
            in: zone, at: now)
        try Self.check(day, in: calendar)
        return Report(
            lines: MonthText(calendar: calendar, zone: zone, now: now).lines(day: day),
            json: MonthView(calendar, in: zone), showsCopy: true)
    }

    /// Throws `CommandFailure` for a day that the month lacks.
    static func check(_ day: Int?, in calendar: CheckInMonth) throws {
        guard let day, calendar.day(day) == nil else { return }
        throw CommandFailure(
            .usage, "usage", title: "There is no such day",
            "\(calendar.month.words) has \(calendar.days.count) days.")
    }

    private func load(
        since start: Date, of user: UserID, _ session: ClientSession
    ) async throws -> CheckInMonthFeature.Known {
        let (checkIns, alerts) = (session.values.checkInClient, session.values.alertClient)
        var known = CheckInMonthFeature.Known()
        while !known.reaches(start) {
            known = try await known.extended(
                to: start, of: user, checkIns: { try await checkIns.history($0) },
                alerts: { try await alerts.history($0) })
        }
        return known
    }
}

struct MonthView: Encodable, Sendable {
    struct Day: Encodable, Sendable {
        /// Such as "2026-11-05".
        var date: String
        var state: CheckInMonth.Mark
        var checkIns: [CheckInRecord]
    }

    var month: String
    /// The zone of the days' dates.
    var timeZone: String
    var days: [Day]

    init(_ calendar: CheckInMonth, in zone: TimeZone) {
        month = calendar.month.text
        timeZone = zone.identifier
        days = calendar.days.map { day in
            let number = day.number < 10 ? "0\(day.number)" : "\(day.number)"
            return Day(
                date: "\(calendar.month.text)-\(number)", state: day.mark, checkIns: day.checkIns)
        }
    }
}
