import ArgumentParser
import Clients
import Domain
import Foundation

struct JourneyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journey",
        abstract: "Have your responders told if you are not back in time.",
        discussion: """
            You are reminded 15 minutes before your return and at your return. After the grace \
            your responders are told. A check-in does not end a journey, and a pause does not stop \
            it.
            """,
        subcommands: [Show.self, Start.self, Extend.self, Arrive.self],
        defaultSubcommand: Show.self)

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "Show your journey.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            guard let profile = snapshot.profile else { throw UserFacingError.unavailable }
            let words = session.words
            let waiting = snapshot.connectivity.waiting.filter {
                [.extendJourney, .endJourney].contains($0.kind)
            }
            let journey = profile.journey.map { JourneyText.lines($0, in: snapshot, words) }
            return Report(
                lines: (journey ?? [JourneyCommand.noJourney])
                    + ConnectivityText.waiting(waiting, words),
                json: JourneyCommand.json(profile, isWaiting: false), showsCopy: true)
        }
    }

    struct Start: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start a journey. Needs a connection.",
            discussion: """
                The note is for your route, your company or your car. The people who are told that \
                you are not back can read it.
                """)

        @OptionGroup var client: ClientOptions

        @Argument(help: "The journey's name, such as a place.")
        var name: String

        @Option(
            help: """
                When you are back: 18:00, +2h or "2026-11-28 18:00", 5 minutes to 7 days ahead.
                """)
        var back: String

        @Option(help: "The minutes from your return until someone is told, 0 to 60.")
        var grace = JourneyRules.standardGraceMinutes

        @Option(help: "Up to 1,000 characters.")
        var note = ""

        @Option(
            parsing: .upToNextOption,
            help: "The names of the responders who are told first. (default: all)")
        var responders: [String] = []

        @Flag(help: "Tell these responders of the journey now.")
        var tell = false

        @Option(help: "The time zone, as for `pause until`.")
        var zone: String?

        func validate() throws { try JourneyCommand.checkReturn(back) }

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            guard let profile = snapshot.profile else { throw UserFacingError.unavailable }
            let now = session.words.now
            let name = try JourneyRules.name(name)
            let typed = try JourneyCommand.moment(back, from: now, in: zone, profile, at: now)
            let draft = JourneyDraft(
                id: JourneyID(.random()), name: name, expectedReturn: typed.time,
                graceMinutes: grace, note: try JourneyRules.note(note),
                responders: try snapshot.responders(responders), tellsResponders: tell)
            try JourneyRules.check(graceMinutes: grace)
            let saved = try await session.values.journeyClient.start(draft)
            let lines = saved.journey.map {
                JourneyText.lines($0, in: snapshot, session.words, typedIn: typed.zone)
            }
            return Report(
                lines: ["Your journey has started."] + (lines ?? []),
                json: JourneyCommand.json(saved, isWaiting: false))
        }
    }

    struct Extend: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move your return, which ends the alert about the journey.",
            discussion: """
                Offline it is kept with its time, and goes out with the next command or a running \
                `lifesignal watch`. The next length of time counts from it.
                """)

        @OptionGroup var client: ClientOptions

        @Argument(help: "How much later, such as +1h, or when: 18:00. (default: +30m)")
        var back: String?

        @Option(help: "The time zone, as for `pause until`.")
        var zone: String?

        func validate() throws { if let back { try JourneyCommand.checkReturn(back) } }

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            let (profile, journey) = try snapshot.runningJourney()
            let now = session.words.now
            // A later return may be queued already.
            let present = await session.live.expectedReturn() ?? journey.expectedReturn
            let start = max(present, now)
            let typed = try back.map {
                try JourneyCommand.moment($0, from: start, in: zone, profile, at: now)
            }
            let new = typed?.time ?? JourneyRules.extended(present, pressedAt: now)
            try JourneyRules.check(expectedReturn: new, at: now)
            let isLater = back.map { JourneyCommand.isLength($0) } ?? true
            let submission = try await session.note(
                session.values.journeyClient.extend(journey.id, new, isLater))
            try JourneyCommand.checkExtended(journey.id, submission)
            let words = session.words
            let waiting = """
                Waiting to be sent: \(WaitingAction.Kind.extendJourney.words.own). Until then \
                your responders are told at \(words.moment(journey.deadline)).
                """
            let lines = submission.confirmed?.journey.map {
                JourneyText.lines($0, in: snapshot, words, typedIn: typed?.zone)
            }
            return Report(
                lines: submission.isWaiting
                    ? [waiting]
                    : [JourneyCommand.saved(submission.confirmed?.journey, after: journey)]
                        + (lines ?? []),
                json: JourneyCommand.json(
                    submission.confirmed ?? profile, isWaiting: submission.isWaiting),
                isWaiting: submission.isWaiting)
        }
    }

    struct Arrive: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say that you have arrived, which ends the journey and the alert about it.",
            discussion: """
                Offline it is kept with its time, and goes out with the next command or a running \
                `lifesignal watch`.
                """)

        @OptionGroup var client: ClientOptions
        // An arrival must not fail because of a stopped `watch`.
        var sharesHomeAfter: Duration? { HomeLock.patience }

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            let (profile, journey) = try snapshot.runningJourney()
            let submission = try await session.note(
                session.values.journeyClient.arrive(journey.id))
            let words = session.words
            let waiting = """
                Waiting to be sent: \(WaitingAction.Kind.endJourney.words.own). Until then your \
                responders are told at \(words.moment(journey.deadline)).
                """
            let told = " The people who knew of it are being told"
            let news =
                journey.alertId != nil
                ? "\(told)." : journey.tellsResponders ? "\(told), but not by SMS." : ""
            let done = "You have arrived. Your journey has ended.\(news)"
            return Report(
                lines: [submission.isWaiting ? waiting : done],
                json: JourneyCommand.json(
                    submission.confirmed ?? profile, isWaiting: submission.isWaiting),
                isWaiting: submission.isWaiting)
        }
    }

    /// Returns the words for the server's answer. The server ignores a press that is older than the
    /// present return, and a length of time that ends before it.
    static func saved(_ journey: JourneyRecord?, after before: JourneyRecord) -> String {
        journey?.expectedReturn == before.expectedReturn
            ? "Your return stays as it was." : "Your return is saved."
    }

    fileprivate static let noJourney = "You are not on a journey."

    /// Throws `CommandFailure` if the server answers without this journey: it has ended on another
    /// device.
    static func checkExtended(
        _ id: JourneyID, _ submission: Submission<UserProfile>
    ) throws(CommandFailure) {
        guard let profile = submission.confirmed, profile.journey?.id != id else { return }
        throw failure("This journey is over. Nothing was changed.")
    }

    fileprivate static func failure(_ words: String) -> CommandFailure {
        CommandFailure(
            .refused, "no-journey", title: "There is no journey", words,
            "Start one with `lifesignal journey start`.")
    }

    private static func checkReturn(_ text: String) throws {
        guard ReturnText(text) == nil else { return }
        throw ValidationError(
            """
            \(Plain.line(text)) is not a return. Write it like 18:00, +2h or "2026-11-28 18:00".
            """)
    }

    /// Returns true for "+1h", which is never an earlier return, and false for "18:00".
    private static func isLength(_ text: String) -> Bool {
        if case .after? = ReturnText(text) { true } else { false }
    }

    /// Returns the typed time, and the zone of its clock; no zone for a length of time.
    /// - Parameters:
    ///   - start: the beginning of a typed length of time.
    ///   - zone: an IANA name; nil for this device's, else the schedule's.
    private static func moment(
        _ text: String, from start: Date, in zone: String?, _ profile: UserProfile, at now: Date
    ) throws -> (time: Date, zone: String?) {
        let typed = ReturnText(text)
        // A length of time needs no zone.
        if case .after(let length) = typed { return (start.adding(length), nil) }
        guard
            let clock = ClockZone(
                try zone.map(ClockZone.name(typed:)) ?? ClockZone.ofThisDevice
                    ?? profile.zoneOfTypedTimes())
        else { throw CommandError.invalidArgument(field: "zone", RefusalWords.timeZone.detail) }
        guard let moment = typed?.moment(at: now, from: start, in: clock) else {
            throw CommandError.invalidArgument(
                field: "expectedReturn", RefusalWords.journeyReturn.detail)
        }
        return (moment, clock.name)
    }

    private static func json(
        _ profile: UserProfile, isWaiting: Bool
    ) -> DoneView<JourneyView> {
        DoneView(
            "journey", profile.journey.map { JourneyView($0, isWhole: true) }, isWaiting: isWaiting)
    }
}

extension Snapshot {
    /// Throws `CommandFailure` without a journey.
    func runningJourney() throws -> (UserProfile, JourneyRecord) {
        guard let profile else { throw UserFacingError.unavailable }
        guard let journey = profile.journey else {
            throw JourneyCommand.failure(JourneyCommand.noJourney)
        }
        return (profile, journey)
    }

    /// Returns the responders with the typed names, each once; nil without names. Throws
    /// `CommandFailure`.
    func responders(_ names: [String]) throws -> [UserID]? {
        var ids: [UserID] = []
        for name in names {
            let contact = try contact(name)
            guard contact.isResponder else {
                throw CommandFailure(
                    .refused, "no-responder", title: "This is not your responder",
                    "\(Plain.name(contact.name)) is not told when you need help.",
                    "Choose people who have accepted to be your responder.")
            }
            if !ids.contains(contact.id) { ids.append(contact.id) }
        }
        return ids.isEmpty ? nil : ids
    }
}
