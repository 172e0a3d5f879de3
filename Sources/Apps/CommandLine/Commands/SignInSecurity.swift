import ArgumentParser
import Clients
import Domain
import Features
import Foundation

struct SignInLock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in-lock",
        abstract: "Let codes from text messages wait 7 days before they sign in.",
        subcommands: [Show.self, On.self, Off.self, Stop.self], defaultSubcommand: Show.self)

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the lock, a waiting sign-in and your codes. Needs a connection.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let security = try await session.values.signInSecurityClient.security()
            return security.report(session.words)
        }
    }

    struct On: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn the lock on, or keep it on. Needs a connection.",
            discussion: """
                Turning it off takes 7 days, or a recovery code that is 7 days old. So it asks \
                first, and a script needs --yes.
                """)

        @OptionGroup var client: ClientOptions

        @Flag(help: "Turn it on without asking first.")
        var yes = false

        func perform(_ session: ClientSession) async throws -> Report {
            let security = session.values.signInSecurityClient
            try await confirm(security)
            return try await security.lock().report(session.words)
        }

        private func confirm(_ security: SignInSecurityClient) async throws {
            guard !yes else { return }
            let now = try await security.security()
            guard !now.isLocked else { return }
            try await client.confirm(
                SignInSecurityFeature.lockWarning(recoveryCodes: now.recoveryCodes),
                SignInSecurityFeature.lockQuestion, orElse: "Nothing was changed")
        }
    }

    struct Off: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn the lock off. Needs a connection.",
            discussion: """
                Takes 7 days. With a recovery code that was made 7 days ago or earlier, the lock \
                is off at once.
                """)

        @OptionGroup var client: ClientOptions

        @Option(help: "One of your recovery codes.")
        var recoveryCode: String?

        func perform(_ session: ClientSession) async throws -> Report {
            let security = try await session.values.signInSecurityClient.unlock(recoveryCode)
            return security.report(session.words)
        }
    }

    struct Stop: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop the sign-in that waits. Needs a connection.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let security = try await session.values.signInSecurityClient.stopWait()
            return security.report(session.words)
        }
    }
}

struct RecoveryCodesCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery-codes",
        abstract: "Make ten recovery codes and print them once. Needs a connection.",
        discussion: """
            Each signs you in once with your phone number, without a text message. They replace \
            your old ones. While the sign-in lock is on, this needs one of the old ones, unless \
            they were made less than 7 days ago. Codes that were made without an old one can't \
            turn the lock off for 7 days. If an answer is lost, the next run prints the same codes.
            """)

    @OptionGroup var client: ClientOptions

    @Option(help: "One of your old recovery codes.")
    var recoveryCode: String?

    func perform(_ session: ClientSession) async throws -> Report {
        let home = session.home
        let request = try home.requestForCodes()
        let codes: [String]
        do {
            codes = try await session.values.signInSecurityClient.makeCodes(recoveryCode, request)
        } catch let error as UserFacingError where error.has(.alreadyExists) {
            // The codes of this request were used or replaced. The next run makes new ones.
            home.forget(requestForCodes: request)
            throw error
        }
        var report = Report(
            lines: ["Your recovery codes. They are not shown again:"]
                + codes.map { Plain.line($0) },
            json: ListView(key: "codes", items: codes))
        report.ifLost = "The next run prints the same codes."
        report.whenShown = { home.forget(requestForCodes: request) }
        return report
    }
}

extension SignInSecurity {
    func report(_ words: TimeWords) -> Report {
        var lines = [isLocked ? "The sign-in lock is on." : "The sign-in lock is off."]
        if let lockEndsAt {
            lines.append(
                "It ends \(words.moment(lockEndsAt)). To keep it: lifesignal sign-in-lock on")
        }
        if let wait {
            lines.append(
                "\(NotificationText.quoted(wait.deviceName) ?? "A device") has entered a code, and "
                    + "can sign in from \(words.moment(wait.endsAt)). To stop it: "
                    + "lifesignal sign-in-lock stop")
        }
        lines.append(
            recoveryCodes == 0
                ? "No recovery codes. Make some: lifesignal recovery-codes"
                : "Recovery codes left: \(recoveryCodes)")
        return Report(lines: lines, json: self)
    }
}
