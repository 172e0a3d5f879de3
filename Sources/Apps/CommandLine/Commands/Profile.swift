import ArgumentParser
import Clients
import Domain
import Features
import Foundation

struct Profile: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show and change your name, emergency note, check-in interval and reminders.",
        subcommands: [Show.self, Edit.self], defaultSubcommand: Show.self)

    static func lines(_ profile: UserProfile, _ words: TimeWords) -> [String] {
        let note = Plain.text(profile.emergencyNote)
        let settings = profile.settings
        return [
            "Name: \(Plain.name(profile.name))",
            "Phone number: \(profile.phoneNumber.text)",
            "Emergency note: \(note.isEmpty ? "none" : note)",
            "Check-ins: \(settings.planWords); reminders: \(ScheduleText.reminders(settings))",
        ] + StatusText.checkIns(profile, words) + copyLines(profile)
    }

    /// Returns what the server copies to Google; no lines without a copy.
    static func copyLines(_ profile: UserProfile) -> [String] {
        guard profile.copiesToGoogle == true else { return [] }
        let answer = profile.leavesNoteOutOfCopy == true ? "yes" : "no"
        return [
            "\(CopyWords.title): \(CopyWords.explanation)",
            "\(CopyWords.leaveNoteOut): \(answer)",
        ]
    }

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "Show your profile.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            guard let profile = try await session.loadSnapshot().profile else {
                throw UserFacingError.unavailable
            }
            let words = session.words
            return Report(
                lines: Profile.lines(profile, words),
                json: DoneView(
                    "profile", ProfileView(profile, at: words.now, isWhole: true),
                    isWaiting: false),
                showsCopy: true)
        }
    }

    struct Edit: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change your profile. Options that you leave out change nothing.")

        @OptionGroup var client: ClientOptions

        @Option(help: "1 to 100 characters.")
        var name: String?

        @Option(help: "What a responder should know in an emergency; up to 4,000 characters.")
        var note: String?

        @Option(help: "How often you check in, from 1h to 7d: 8h, 16h, 24h, 48h, 90m.")
        var interval: String?

        @Flag(inversion: .prefixedNo, help: "Be reminded two hours before the deadline.")
        var twoHours: Bool?

        @Flag(inversion: .prefixedNo, help: "Be reminded thirty minutes before the deadline.")
        var thirtyMinutes: Bool?

        @Flag(
            inversion: .prefixedNo,
            help: "Have your emergency note in the server's copy with Google, if it keeps one.")
        var noteInCopy: Bool?

        @Flag(help: "Save the interval without asking.")
        var yes = false

        private var changesProfile: Bool { name != nil || note != nil }
        /// The parts of the settings that options name.
        private var parts: Set<CheckInSettings.Part> {
            var parts: Set<CheckInSettings.Part> = []
            if interval != nil { parts.insert(.plan) }
            if twoHours != nil { parts.insert(.twoHours) }
            if thirtyMinutes != nil { parts.insert(.thirtyMinutes) }
            return parts
        }

        func validate() throws {
            guard changesProfile || !parts.isEmpty || noteInCopy != nil else {
                throw ValidationError("Give at least one thing to change.")
            }
            if let interval, IntervalText.seconds(interval) == nil {
                throw ValidationError(
                    "\(Plain.line(interval)) is not an interval. Write it like 24h, 90m or 7d.")
            }
        }

        func perform(_ session: ClientSession) async throws -> Report {
            let trimmed = try name.map { text throws(CommandError) in try ProfileRules.name(text) }
            let checked = try note.map { text throws(CommandError) in
                try ProfileRules.emergencyNote(text)
            }
            let settings = try await changedSettings(session)
            var isWaiting = false
            // Before a new note, which the copy would otherwise have for a moment.
            if let noteInCopy {
                isWaiting = try await choose(noteInCopy: noteInCopy, session)
            }
            if changesProfile {
                let submission = try await session.note(
                    session.values.userClient.updateProfile(trimmed, checked))
                isWaiting = submission.isWaiting || isWaiting
            }
            if let settings {
                let submission = try await session.note(
                    session.values.checkInClient.updateSettings(settings, parts))
                isWaiting = submission.isWaiting || isWaiting
            }
            return Self.report(
                await session.changedProfile(), isWaiting: isWaiting, session.words)
        }

        /// - Parameter profile: nil if it is unknown.
        static func report(
            _ profile: UserProfile?, isWaiting: Bool, _ words: TimeWords
        ) -> Report {
            let head =
                isWaiting
                ? ["Waiting to be sent: the change of your profile."]
                : profile == nil ? ["Saved."] : []
            return Report(
                lines: head + (profile.map { Profile.lines($0, words) } ?? []),
                json: DoneView(
                    "profile", profile.map { ProfileView($0, at: words.now, isWhole: true) },
                    isWaiting: isWaiting), isWaiting: isWaiting)
        }

        /// Returns the new settings; nil if no option changes them. Asks about an interval that
        /// needs it. Throws `CommandFailure` without a yes.
        private func changedSettings(_ session: ClientSession) async throws -> CheckInSettings? {
            guard !parts.isEmpty else { return nil }
            // Another device may have changed the schedule, which the preview compares with.
            guard let profile = try await session.loadSnapshot().profile else {
                throw UserFacingError.unavailable
            }
            var settings = profile.settings
            settings.remindTwoHoursBefore = twoHours ?? settings.remindTwoHoursBefore
            settings.remindThirtyMinutesBefore =
                thirtyMinutes ?? settings.remindThirtyMinutesBefore
            if let seconds = interval.flatMap(IntervalText.seconds) {
                settings.plan = CheckInPlan(intervalWith: settings.plan.sleep)
                settings.intervalSeconds = seconds
                try await preview(settings, of: profile, session.words, yes: yes)
            }
            return settings
        }

        /// Returns true if the choice is queued. Throws if the server keeps no copy.
        private func choose(noteInCopy: Bool, _ session: ClientSession) async throws -> Bool {
            guard let profile = try await session.loadSnapshot().profile else {
                throw UserFacingError.unavailable
            }
            guard profile.copiesToGoogle == true else {
                throw UserFacingError(
                    CommandError.invalidArgument(
                        field: "noteInCopy", "This server keeps no copy with Google."))
            }
            return try await session.note(
                session.values.userClient.setLeavesNoteOutOfCopy(!noteInCopy)
            ).isWaiting
        }
    }
}
