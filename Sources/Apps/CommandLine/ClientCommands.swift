import ArgumentParser
import Foundation

/// `lifesignal` as a client for terminals and scripts.
public enum ClientCommands {
    public static let group = CommandGroup(
        name: "As a client:",
        subcommands: [
            SignIn.self, Status.self, CheckIn.self, CheckInHistory.self, Alert.self, Ping.self,
            Respond.self, Contacts.self, Invite.self, Notifications.self, Endpoints.self,
            Drill.self, Profile.self, Schedule.self, Pause.self, JourneyCommand.self,
            Sources.self, Email.self, Sessions.self, Passkeys.self, SignInLock.self,
            RecoveryCodesCommand.self, Administrators.self, WatchCommand.self, SignOut.self,
            DeleteAccount.self,
        ])

    /// Commands for operators that act as a client of the server.
    public static let ofOperators: [any ParsableCommand.Type] = [CanaryCommand.self]

    /// The subcommands of `lifesignal qr` for the user's own code.
    public static let ownCode: [any ParsableCommand.Type] = [ShowQRCode.self, SaveQRCode.self]

    /// The exit codes, for the program's help.
    public static let help = ExitStatus.help

    /// The exit code for invalid arguments.
    public static let usageExitCode = ExitStatus.usage.rawValue

    /// Returns what is wrong with a length of time that has a sign, such as `-5h`; nil if there is
    /// none. The parser would find `-h` in it, and print help.
    public static func signedLength(in arguments: [String]) -> String? {
        let signed = arguments.prefix { $0 != "--" }.first { argument in
            guard argument.hasPrefix("-"), let unit = argument.last?.lowercased() else {
                return false
            }
            let digits = argument.dropFirst().dropLast()
            return !digits.isEmpty && digits.allSatisfy { ("0"..."9").contains($0) }
                && ["s", "m", "h", "d"].contains(unit)
        }
        return signed.map { "Error: \($0) has a sign. Write a length of time like 24h." }
    }

    /// Explains what is wrong with the arguments, as JSON if they contain `--json`.
    public static func explainUsage(_ message: String, arguments: [String]) {
        let failure = CommandFailure(
            .usage, "usage", title: "The command can't be understood", message, "See --help.")
        if arguments.contains("--json") {
            Output(isJSON: true).fail(failure)
        } else {
            Output.write(message + "\n", to: .standardError)
        }
    }
}
