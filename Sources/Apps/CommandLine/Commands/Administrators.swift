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
            var lines: [String] = []
            let profile = try await session.values.userClient.profile()
            if let maintenance = profile.maintenance {
                lines.append(
                    "\(AdministrationFeature.maintenanceTitle): \(words.moment(maintenance.from))"
                        + " – \(words.moment(maintenance.until))")
            }
            if profile.lockedAt != nil { lines.append(AdministrationFeature.locked) }
            if let move = profile.numberMove {
                lines.append(
                    "\(AdministrationFeature.moveTitle) \(move.phoneNumber), "
                        + "\(words.moment(move.takesEffectAt)). "
                        + "To keep it: lifesignal administrators keep-number")
            }
            lines += acts.isEmpty ? [AdministrationFeature.noActs] : acts.map { $0.line(words) }
            return Report(lines: lines, json: ListView(key: "acts", items: acts))
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

extension AdminAct {
    func line(_ words: TimeWords) -> String {
        "\(words.moment(time))  \(kind.words): \(Plain.line(reason)) (\(Plain.line(doneBy)))"
    }
}
