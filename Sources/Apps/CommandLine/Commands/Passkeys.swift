import ArgumentParser
import Clients
import Domain
import Foundation

struct Passkeys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show and remove your passkeys. A browser or a phone adds them.",
        subcommands: [List.self, Remove.self], defaultSubcommand: List.self)

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show them with their last use. Needs a connection.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let passkeys = try await session.values.passkeyClient.passkeys()
            let words = session.words
            return Report(
                lines: passkeys.isEmpty
                    ? ["None. Add one in a browser, in Settings."]
                    : passkeys.map { passkey in
                        let use =
                            passkey.lastUsedAt.map { "used \(words.past($0))" } ?? "not used yet"
                        return "\(Plain.line(passkey.name)) (\(use))  \(passkey.id)"
                    },
                json: ListView(key: "passkeys", items: passkeys))
        }
    }

    struct Remove: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a passkey. It no longer signs you in. Needs a connection.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "Its id, as `lifesignal passkeys` prints it.")
        var passkey: String

        func validate() throws {
            guard PasskeyID(passkey) != nil else {
                throw ValidationError("\(Plain.line(passkey)) is not the id of a passkey.")
            }
        }

        func perform(_ session: ClientSession) async throws -> Report {
            guard let id = PasskeyID(passkey) else { throw UserFacingError.unknown }
            try await session.values.passkeyClient.remove(id)
            return Report(
                lines: ["Removed. Remove it from your device, too."],
                json: DoneView("passkey", id, isWaiting: false))
        }
    }
}
