import ArgumentParser
import Clients
import Domain
import Features
import Foundation

struct Administrators: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what the people who run the server did with your account.",
        subcommands: [List.self, KeepNumber.self], defaultSubcommand: List.self)

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show their acts with their reasons. Needs a connection.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let acts = try await session.values.administrationClient.acts()
            let words = session.words
            let profile = try await session.values.userClient.profile()
            let lines =
                acts.isEmpty ? [AdministrationFeature.noActs] : acts.map { $0.line(words) }
            return Report(
                lines: AccountNotices(profile).lines(words) + lines,
                json: AdministratorsView(
                    acts: acts, lockedAt: profile.lockedAt, numberMove: profile.numberMove,
                    maintenance: profile.maintenance))
        }
    }

    struct KeepNumber: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop a change of your phone number that waits. Needs a connection.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let profile = try await session.values.administrationClient.stopNumberMove()
            return Report(
                lines: ["Stopped. Your number stays \(profile.phoneNumber)."],
                json: DoneView("phoneNumber", profile.phoneNumber, isWaiting: false))
        }
    }
}

private struct AdministratorsView: Encodable, Sendable {
    var acts: [AdminAct]
    var lockedAt: Date?
    var numberMove: NumberMove?
    var maintenance: Maintenance?
}

extension AccountNotices {
    func lines(_ words: TimeWords) -> [String] {
        var lines: [String] = []
        // The copy of the profile may be older than the end.
        if let maintenance, maintenance.until > words.now {
            lines.append(
                "\(AdministrationFeature.maintenanceTitle): \(words.moment(maintenance.from))"
                    + " – \(words.moment(maintenance.until))")
        }
        if isLocked { lines.append(AdministrationFeature.locked) }
        if let move {
            lines.append(
                "\(AdministrationFeature.moveTitle) \(move.phoneNumber), "
                    + "\(words.moment(move.takesEffectAt)). "
                    + "To keep it: lifesignal administrators keep-number")
        }
        return lines
    }
}

extension AdminAct {
    func line(_ words: TimeWords) -> String {
        "\(words.moment(time))  \(kind.words): \(Plain.line(reason)) (\(Plain.line(doneBy)))"
    }
}
