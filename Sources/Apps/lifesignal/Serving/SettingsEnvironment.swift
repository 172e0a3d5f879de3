import Foundation
import Settings

/// The settings of environment and settings file.
enum SettingsEnvironment {
    /// Read if it exists and no other file is named.
    static let standardFile = "/etc/lifesignal/lifesignal.yaml"

    /// Reads everything that `serve` reads. Throws `SettingError`, also for unknown names.
    /// - Parameter config: the value of `--config`.
    static func all(config: String?) throws -> SettingValues {
        let environment = ProcessInfo.processInfo.environment
        try catalogue.checkNames(in: environment)
        return try SettingValues(
            environment: environment, file: try file(config, environment), catalogue: catalogue)
    }

    /// Reads the settings that say where the data is. A backup ignores mistakes in the others.
    static func data(config: String? = nil) throws -> SettingValues {
        let environment = ProcessInfo.processInfo.environment
        return try SettingValues(
            environment: environment, file: try file(config, environment, isStrict: false),
            catalogue: catalogue, secrets: [])
    }

    /// Returns values without a file, for a server of this process's own.
    static func fixed(_ variables: [String: String]) throws -> SettingValues {
        try SettingValues(environment: variables, catalogue: catalogue)
    }

    private static func file(
        _ config: String?, _ environment: [String: String], isStrict: Bool = true
    ) throws -> SettingsFile? {
        let named = [config, environment[catalogue.variable(of: "config")]].compactMap(\.self)
            .first { !$0.allSatisfy(\.isWhitespace) }
        // A server that may not enter the file's folder must not run on defaults.
        guard named != nil || !SecretFile.isMissing(standardFile) else { return nil }
        return try SettingsFile(
            path: named ?? standardFile, catalogue: catalogue, isStrict: isStrict)
    }

    static let catalogue = SettingCatalogue(
        prefix: "LIFESIGNAL_",
        settingsWithOptions + settingsWithoutOptions + clientSettings + toolVariables)

    /// The variables of the server, for the help.
    static var help: String {
        func variables(_ settings: [Setting]) -> String {
            settings.map { catalogue.variable(of: $0.name) }.joined(separator: ", ")
        }
        return """
            Settings come from options, else from environment variables, else from the settings \
            file. Each of these variables stands for the option of its name: \
            \(variables(settingsWithOptions)).

            These have no option: \(variables(settingsWithoutOptions)). A secret can also be in a \
            file that a variable with _FILE after the name gives, as LIFESIGNAL_MAIL_PASSWORD_FILE.
            """
    }

    /// The settings that SIGHUP changes, for the help.
    static var reread: String {
        settingsWithOptions.filter(\.isReread).map(\.name).joined(separator: ", ")
    }

    /// The settings that `ServeOptions` and `ReachOptions` declare. A new option needs its line
    /// here, its property there, and its row in Docs/configuration.md; tests compare the three.
    private static let settingsWithOptions: [Setting] = [
        "accept-new-key",
        "admin-socket",
        Setting("allow-networks", isList: true),
        "allow-private-webhooks",
        Setting("android-app", isList: true),
        "begin-anew",
        "call-budget",
        "call-budget-per-user",
        "check-ins-per-hour",
        "codes-per-address",
        "codes-per-hour",
        "codes-per-number",
        "codes-to-new-numbers",
        "codes-to-new-numbers-per-country",
        "country",
        "database",
        "database-connections",
        "demo-intervals",
        "firestore-credentials",
        "firestore-project",
        "firestore-url",
        // Its path is often a password.
        Setting("heartbeat-url", isSecret: true),
        "host",
        "internal-port",
        Setting("ios-app", isList: true),
        "key-file",
        "ledger-days",
        "listen",
        "log-addresses",
        "log-format",
        Setting("log-level", isReread: true),
        "mail-ca-file",
        "mail-from",
        "mail-server",
        "operator-contact",
        Setting("other-urls", isList: true),
        // It may contain a password.
        Setting("outbound-proxy", isSecret: true),
        "port",
        Setting("proxy-header", isReread: true),
        Setting("proxy-hops", isReread: true),
        "public-url",
        "push-contact",
        Setting("requests-per-address", isReread: true),
        Setting("requests-per-user", isReread: true),
        "show-notifications",
        Setting("sign-up", isReread: true),
        "sms",
        "sms-answers",
        "sms-budget",
        "sms-budget-per-user",
        Setting("sms-countries", isList: true, isReread: true),
        "sms-gateway-file",
        "sms-validity-minutes",
        Setting("test-phone", isList: true, isSecret: true),
        "tls-certificate",
        "tls-key",
        "traces-percent",
        "traces-url",
        "trust-clock",
        "trust-proxy",
        Setting("trusted-proxies", isList: true, isReread: true),
        "voice",
    ]

    /// Mostly secrets and what belongs to them: every user of the machine can read a command line.
    private static let settingsWithoutOptions: [Setting] = [
        "apns-base-url",
        "apns-ca-file",
        "apns-critical",
        "apns-key-file",
        "apns-key-id",
        "apns-team-id",
        "apns-topic",
        Setting("canary-phones", isList: true, isSecret: true),
        "fcm-base-url",
        "fcm-ca-file",
        "fcm-credentials-file",
        Setting("key", isSecret: true),
        Setting("mail-password", isSecret: true),
        "mail-user",
        Setting("sms-answers-secret", isSecret: true),
        Setting("sms-from", isSecret: true),
        Setting("sms-gateway-secret", isSecret: true),
        "twilio-account-sid",
        Setting("twilio-auth-token", isSecret: true),
        "twilio-base-url",
        "twilio-call-from",
        "twilio-from",
    ]

    private static let clientSettings: [Setting] = ["canary-webhook", "config", "home", "server"]
        .map { Setting($0, of: .client) }

    /// Variables of the build, of tests and of benchmarks.
    private static let toolVariables: [Setting] = [
        "bad-pictures", "bad-requests", "build", "crowd-seconds", "crowd-seed", "devices-run",
        "examples", "failovers", "fault-seconds", "fault-seed", "firestore-kills", "kills",
        "known-ids", "macros", "mutant", "program", "seed", "server-kills", "test-database",
        "test-silence", "village", "zone-cases",
    ].map { Setting($0, of: .tool) }
}
