import ArgumentParser
import Delivery
import Domain
import Foundation
import Settings

/// The options of e-mail, calls and gateways, and their budgets. Secrets come from the environment
/// or a file.
struct ReachOptions: ParsableArguments {
    @Option(
        help:
            """
            What sends e-mail: smtp://HOST:587, smtps://HOST:465, console (prints it here), or \
            none. (default: console)
            """
    )
    var mailServer: String?

    @Option(help: "The sender of e-mail, as \"LifeSignal <alerts@example.org>\".")
    var mailFrom: String?

    @Option(
        help: "A file of certificates (PEM) to verify the mail server, instead of the system's.")
    var mailCAFile: String?

    @Option(help: "The file that describes the gateway of --sms gateway (Docs/gateways.md).")
    var smsGatewayFile: String?

    @Flag(help: "Accept answers by SMS: 1, 2 and STOP (Docs/gateways.md).")
    var smsAnswers = false

    @Option(help: "What calls responders: twilio or none. (default: none)")
    var voice: String?

    @Option(help: "Text messages a day (UTC); 0 for no limit. (default: 0)")
    var smsBudget: Int?

    @Option(help: "Text messages a day that one user may cause. (default: a tenth of all)")
    var smsBudgetPerUser: Int?

    @Option(help: "Calls a day (UTC); 0 for no limit. (default: 0)")
    var callBudget: Int?

    @Option(help: "Calls a day that one user may cause. (default: a tenth of all)")
    var callBudgetPerUser: Int?
}

struct ReachSettings: Sendable {
    var mail: MailSettings
    var voice: VoiceSettings?
    var budgets: Budgets
}

extension ReachOptions {
    /// Throws `Failure`, which names the invalid option.
    /// - Parameter hasPublicURL: whether this server has a public URL, so that a provider can
    ///   reach it.
    func settings(
        _ environment: SettingValues, hasPublicURL: Bool
    ) throws -> ReachSettings {
        let read = SettingReader(environment: environment)
        return ReachSettings(
            mail: try MailSettings(self, read),
            voice: try voice(read, hasPublicURL: hasPublicURL),
            budgets: Budgets(
                sms: try budget("SMS_BUDGET", smsBudget, smsBudgetPerUser, read),
                voice: try budget("CALL_BUDGET", callBudget, callBudgetPerUser, read)))
    }

    private func budget(
        _ name: String, _ total: Int?, _ perUser: Int?, _ read: SettingReader
    ) throws -> Budget {
        let range = 0...10_000_000
        let total = try read.integer(total, name, default: 0, in: range)
        let standard = total > 0 ? Budget.standardPerUser(ofTotal: total) : 0
        let perUser = try read.integer(
            perUser, "\(name)_PER_USER", default: standard, in: range)
        // One user must not be able to exhaust the budget that all users share.
        guard total == 0 || total == 1 || perUser > 0 && perUser < total else {
            let option = "--" + name.lowercased().replacing("_", with: "-")
            throw Failure("\(option)-per-user must be more than 0 and less than \(option).")
        }
        return Budget(total: total > 0 ? total : nil, perUser: perUser > 0 ? perUser : nil)
    }

    private func voice(_ read: SettingReader, hasPublicURL: Bool) throws -> VoiceSettings? {
        switch read.text(voice, "VOICE", default: "none") {
        case "none": return nil
        case "twilio":
            guard hasPublicURL else {
                throw Failure(
                    "--voice twilio needs --public-url, because Twilio asks there what to say.")
            }
            return try VoiceSettings(read.environment)
        default: throw read.refusal("VOICE", "must be twilio or none")
        }
    }
}

struct VoiceSettings: Sendable {
    var account: TwilioAccount
    var caller: String

    init(_ environment: SettingValues) throws {
        account = try TwilioAccount(environment, for: "--voice twilio")
        let caller =
            environment["LIFESIGNAL_TWILIO_CALL_FROM"] ?? environment["LIFESIGNAL_TWILIO_FROM"]
        guard let number = try? PhoneNumber(caller ?? "") else {
            throw Failure(
                """
                --voice twilio needs a number that calls, in LIFESIGNAL_TWILIO_CALL_FROM or \
                LIFESIGNAL_TWILIO_FROM, as +15005550006.
                """)
        }
        self.caller = number.text
    }
}
