import ArgumentParser
import CVersion
import CommandLine
import Foundation

@main
struct LifeSignal: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lifesignal",
        abstract:
            """
            A personal safety network: people check in, and when one does not, those they chose \
            are told.
            """,
        discussion: """
            People check in at an interval they choose. When a deadline passes, the responders \
            they chose are told within a second, and told again until one of them takes it on.

            Start with `lifesignal demo` to see it work, then `lifesignal serve`. Every option of \
            serve can also be given as an environment variable (LIFESIGNAL_ and the option's name, \
            as in LIFESIGNAL_PORT) or in /etc/lifesignal/lifesignal.yaml. `lifesignal config` \
            shows what is in force.

            With a server somewhere, this is also a client: `lifesignal sign-in`, then `lifesignal \
            status`. What can't be sent is \
            kept and goes out with the next command.

            \(ClientCommands.help)
            """,
        version: versionAndBuild,
        groupedSubcommands: [
            ClientCommands.group,
            CommandGroup(
                name: "As a server:",
                subcommands: [
                    Serve.self, Config.self, Doctor.self, Backup.self, Restore.self, Migrate.self,
                    Firestore.self, Admin.self,
                ] + ClientCommands.ofOperators),
            CommandGroup(name: "Besides:", subcommands: [QR.self, Demo.self]),
        ]
    )

    /// `1 (v1-0-g0123456789ab)`: the version, the tag before the commit, the commits since, and the
    /// commit. `1` if the build was not told.
    private static var versionAndBuild: String {
        let build = String(cString: lifesignal_build())
        return build.isEmpty ? "1" : "1 (\(build))"
    }

    static func main() async {
        if let message = ClientCommands.signedLength(in: CommandLine.arguments) {
            ClientCommands.explainUsage(message, arguments: CommandLine.arguments)
            leave(ClientCommands.usageExitCode)
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            leave(0)
        } catch let code as ExitCode {
            leave(code.rawValue)
        } catch {
            let (code, message) = (exitCode(for: error), fullMessage(for: error))
            guard code != .validationFailure else {
                ClientCommands.explainUsage(message, arguments: CommandLine.arguments)
                leave(ClientCommands.usageExitCode)
            }
            let output = code.isSuccess ? FileHandle.standardOutput : .standardError
            if !message.isEmpty { try? output.write(contentsOf: Data("\(message)\n".utf8)) }
            leave(code.rawValue)
        }
    }
}

extension LifeSignal {
    /// Exits without the libraries' clean-up, because a thread that is closing connections may
    /// still use them.
    private static func leave(_ code: Int32) -> Never {
        fflush(nil)
        _exit(code)
    }
}

/// An error that the operator must fix. Printed without a stack trace.
struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}
