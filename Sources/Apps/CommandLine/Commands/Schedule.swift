import ArgumentParser
import Clients
import Domain
import Features
import Foundation

struct Schedule: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show and change when you have to check in.",
        subcommands: [Show.self, Times.self, Every.self, None.self], defaultSubcommand: Show.self)

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show your schedule and its next deadlines.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            guard let profile = snapshot.profile else { throw UserFacingError.unavailable }
            let words = session.words
            let pause = profile.pausedUntil(at: words.now).map { "Paused until \(words.day($0))." }
            return Report(
                lines: ScheduleText(schedule: profile.schedule, words: words).lines
                    + [pause].compactMap(\.self)
                    + ScheduleText.waiting(snapshot.connectivity.waiting, words),
                json: DoneView("schedule", ScheduleView(profile, at: words.now), isWaiting: false),
                showsCopy: true)
        }
    }

    struct Times: ScheduleCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check in by fixed times: 10:00, or 07:00@mon-fri 21:00@sat,sun.",
            discussion: """
                A check-in counts from 6 hours before its deadline, or from --opens, but never \
                before the previous deadline.
                """)

        @OptionGroup var client: ClientOptions

        @Argument(help: "The deadlines: a time every day, or a time, @ and days.")
        var times: [String]

        @Option(
            help: """
                The time zone, such as Europe/Berlin. (default: the schedule's, else this \
                device's)
                """)
        var zone: String?

        @Option(help: "How long before its deadline a check-in counts, from 30m to 24h.")
        var opens: String?

        @Flag(help: "Save without asking.")
        var yes = false

        func validate() throws {
            for text in times where WindowText.window(text) == nil {
                throw ValidationError(
                    """
                    \(Plain.line(text)) is not a time of a check-in. Write it like 10:00, \
                    07:00@mon-fri or 21:00@sat,sun.
                    """)
            }
            if let opens, IntervalText.seconds(opens) == nil {
                throw ValidationError(
                    "\(Plain.line(opens)) is not a length of time. Write it like 2h or 90m.")
            }
        }

        func change(_ settings: inout CheckInSettings, of profile: UserProfile) throws {
            let lead = opens.flatMap(IntervalText.seconds).map { $0 / 60 }
            if let lead, !CheckInWindow.leads.contains(lead) {
                throw CommandError.invalidArgument(field: "plan", RefusalWords.windowLength.detail)
            }
            let typed = CheckInTimes(
                timeZone: try zone.map(ClockZone.name(typed:)) ?? profile.zoneOfTypedTimes(),
                windows: times.compactMap { WindowText.window($0, lead: lead) })
            try typed.check()
            settings.plan = .times(typed)
        }
    }

    struct Every: ScheduleCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check in again within a length of time: 24h, 90m or 7d.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "From 1h to 7d: 8h, 16h, 24h, 48h, 90m.")
        var interval: String

        @Option(
            help: """
                Sleep hours, such as 22:00-07:00, 30 minutes to 10 hours long: a deadline inside \
                them, or soon after, moves to an hour after their end. Or off. (default: unchanged)
                """)
        var sleep: String?

        @Option(
            help: """
                The time zone of the sleep hours. (default: the schedule's, else this device's)
                """)
        var zone: String?

        @Flag(help: "Save without asking.")
        var yes = false

        func validate() throws {
            if IntervalText.seconds(interval) == nil {
                throw ValidationError(
                    "\(Plain.line(interval)) is not an interval. Write it like 24h, 90m or 7d.")
            }
            if let sleep, sleep != SleepText.off, SleepText.times(sleep) == nil {
                throw ValidationError(
                    """
                    \(Plain.line(sleep)) are not sleep hours. Write them like 22:00-07:00, or off.
                    """)
            }
            if zone != nil, sleep.flatMap(SleepText.times) == nil {
                throw ValidationError("--zone needs --sleep with times, such as 22:00-07:00.")
            }
        }

        func change(_ settings: inout CheckInSettings, of profile: UserProfile) throws {
            settings.plan = try Self.plan(replacing: settings.plan, sleep: sleep) {
                try zone.map(ClockZone.name(typed:)) ?? profile.zoneOfTypedTimes()
            }
            settings.intervalSeconds =
                IntervalText.seconds(interval) ?? settings.intervalSeconds
        }

        /// - Parameters:
        ///   - text: the sleep hours as typed, or "off"; nil keeps the present ones.
        ///   - zone: called only for typed sleep hours.
        static func plan(
            replacing present: CheckInPlan, sleep text: String?, zone: () throws -> String
        ) throws -> CheckInPlan {
            guard let text else { return CheckInPlan(intervalWith: present.sleep) }
            let sleep = try SleepText.times(text).map {
                SleepHours(from: $0.from, until: $0.until, timeZone: try zone())
            }
            try sleep?.check()
            return CheckInPlan(intervalWith: sleep)
        }
    }

    struct None: ScheduleCommand {
        static let configuration = CommandConfiguration(
            abstract: "Have no deadlines, because you only watch over others.")

        @OptionGroup var client: ClientOptions

        @Flag(help: "Save without asking.")
        var yes = false

        func change(_ settings: inout CheckInSettings, of profile: UserProfile) throws {
            settings.plan = .none
        }
    }
}

/// A command that changes the schedule. It first shows what the change means.
protocol ScheduleCommand: ClientCommand {
    /// True to save without a question.
    var yes: Bool { get }
    func change(_ settings: inout CheckInSettings, of profile: UserProfile) throws
}

extension ScheduleCommand {
    func perform(_ session: ClientSession) async throws -> Report {
        guard let profile = try await session.loadSnapshot().profile else {
            throw UserFacingError.unavailable
        }
        var settings = profile.settings
        try change(&settings, of: profile)
        try await preview(settings, of: profile, session.words, yes: yes)
        let submission = try await session.note(
            session.values.checkInClient.updateSettings(settings, [.plan]))
        let saved = await session.changedProfile()
        let words = session.words
        return Report(
            lines: submission.isWaiting
                ? ["Waiting to be sent: \(WaitingAction.Kind.updateSettings.words.own)."]
                : ["Your schedule is saved."]
                    + (saved.map { StatusText.checkIns($0, words) } ?? []),
            json: DoneView(
                "schedule", saved.map { ScheduleView($0, at: words.now) },
                isWaiting: submission.isWaiting),
            isWaiting: submission.isWaiting)
    }
}

extension ClientCommand {
    /// Prints the new schedule, and asks about one that needs it. Throws `CommandFailure` without a
    /// yes, and `CommandError` for an interval that is too long.
    /// - Parameter yes: true to save without a question.
    func preview(
        _ settings: CheckInSettings, of profile: UserProfile, _ words: TimeWords, yes: Bool
    ) async throws {
        // A server for demonstrations accepts shorter intervals, but none accepts longer ones.
        let limits = IntervalLimits.standard
        guard settings.intervalSeconds <= limits.seconds.upperBound else {
            throw CommandError.invalidArgument(
                field: "intervalSeconds", limits.refusal.message)
        }
        let present = profile.schedule
        var changed = present
        changed.apply(settings, at: words.now)
        if !client.json {
            let lines = ScheduleText(schedule: changed, words: words).lines
            Output.write(lines.map { $0 + "\n" }.joined())
        }
        let question = ScheduleFeature.Question(changing: present, to: settings, at: words.now)
        guard let question, !yes else { return }
        try await client.confirm(question.words, "Save it?", orElse: "Nothing was changed")
    }
}

extension UserProfile {
    /// Returns the time zone of typed times without `--zone`: the schedule's, this device's, or the
    /// one that a device last reported. Throws `CommandFailure` if none is known.
    func zoneOfTypedTimes() throws -> String {
        guard let zone = settings.plan.timeZone ?? ClockZone.ofThisDevice ?? timeZone else {
            throw CommandFailure.noTimeZone
        }
        return zone
    }
}

extension CommandFailure {
    static let noTimeZone = CommandFailure(
        .usage, "no-time-zone", title: "Your time zone is not known",
        "This device has none, and no other device of yours has reported one.",
        "Give it with --zone, such as --zone Europe/Berlin.")
}
