import ArgumentParser
import Clients
import Domain
import Foundation

struct Pause: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have no deadlines for some time, and show or end that.",
        discussion: """
            No one is told that you have not checked in. Your responders are told of the pause, \
            of a new end, and of the end. Alerts and pings still work. Beginning a pause is a \
            check-in.
            """,
        subcommands: [Show.self, Until.self, For.self, End.self], defaultSubcommand: Show.self)

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "Show whether you pause.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            guard let profile = snapshot.profile else { throw UserFacingError.unavailable }
            let words = session.words
            let until = profile.pausedUntil(at: words.now)
            let waiting = snapshot.connectivity.waiting.filter {
                [.pause, .endPause].contains($0.kind)
            }
            return Report(
                lines: [until.map { "Paused until \(words.day($0))." } ?? Pause.noPause]
                    + ConnectivityText.waiting(waiting, words),
                json: DoneView(
                    "profile", ProfileView(profile, at: words.now), isWaiting: false),
                showsCopy: true)
        }
    }

    struct Until: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pause until a local date and time, at most 30 days ahead.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "Such as \"2026-11-28 08:00\".")
        var end: String

        @Option(
            help: """
                The time zone, such as Europe/Berlin. (default: this device's, else the schedule's)
                """)
        var zone: String?

        func validate() throws {
            guard LocalTimeText.normalized(end) == nil else { return }
            throw ValidationError(
                """
                \(Plain.line(end)) is not a date and a time. Write it like "2026-11-28 08:00".
                """)
        }

        func perform(_ session: ClientSession) async throws -> Report {
            guard let profile = try await session.known().profile else {
                throw UserFacingError.unavailable
            }
            let name =
                try zone.map(ClockZone.name(typed:)) ?? ClockZone.ofThisDevice
                ?? profile.zoneOfTypedTimes()
            guard let clock = ClockZone(name) else {
                throw CommandError.invalidArgument(field: "zone", RefusalWords.timeZone.detail)
            }
            let typed = LocalTimeText.normalized(end)
            guard let moment = typed.flatMap({ clock.moment(ofLocalText: $0) }) else {
                throw CommandError.invalidArgument(field: "until", RefusalWords.pauseEnd.detail)
            }
            return try await Pause.begin(until: moment, in: name, session)
        }
    }

    struct For: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pause for a length of time, at most 30 days: 12h, 3d.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "Such as 12h or 3d.")
        var length: String

        func validate() throws {
            guard IntervalText.seconds(length) == nil else { return }
            throw ValidationError(
                "\(Plain.line(length)) is not a length of time. Write it like 12h or 3d.")
        }

        func perform(_ session: ClientSession) async throws -> Report {
            let seconds = IntervalText.seconds(length) ?? 0
            return try await Pause.begin(
                until: session.words.now.adding(.seconds(seconds)), in: nil, session)
        }
    }

    struct End: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "End your pause. Your deadlines go on.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let profile = try await session.loadSnapshot().profile
            let isPaused = profile?.pausedUntil(at: session.words.now) != nil
            let isWaiting = await session.isWaiting(.pause)
            guard isPaused || isWaiting else {
                throw CommandFailure(
                    .refused, "no-pause", title: "There is no pause", Pause.noPause)
            }
            let submission = try await session.note(session.values.checkInClient.endPause())
            return await Pause.report(
                "Your pause has ended.", .endPause, isWaiting: submission.isWaiting, session)
        }
    }

    private static let noPause = "Your check-ins are not paused."

    /// - Parameter zone: an IANA name, for the answer; nil for this device's.
    private static func begin(
        until end: Date, in zone: String?, _ session: ClientSession
    ) async throws -> Report {
        let words = session.words
        try CheckInPause.check(until: end, at: words.now)
        let submission = try await session.note(session.values.checkInClient.pause(end))
        return await report(
            "Your check-ins are paused until \(words.day(end, in: zone)).", .pause,
            isWaiting: submission.isWaiting, session)
    }

    private static func report(
        _ done: String, _ kind: WaitingAction.Kind, isWaiting: Bool, _ session: ClientSession
    ) async -> Report {
        let profile = await session.changedProfile()
        let words = session.words
        let meanwhile = kind == .pause ? "your deadline stays" : "the pause goes on"
        return Report(
            lines: isWaiting
                ? ["Waiting to be sent: \(kind.words.own). Until then \(meanwhile)."]
                : ["\(done) Your responders are told."]
                    + (profile.map { [StatusText.checkIn($0, words)] } ?? []),
            json: DoneView(
                "profile", profile.map { ProfileView($0, at: words.now) }, isWaiting: isWaiting),
            isWaiting: isWaiting)
    }
}
