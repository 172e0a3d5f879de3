import ArgumentParser
import Domain
import Foundation
import HTTPServer
import Logging
import WebPush

/// The options for the server's address and data. Each can be set by a flag or by an environment
/// variable; the flag wins. `ReachOptions` is not nested in this group, but is a second group of
/// the commands. A debug build checks a nested group five times as often, which would double the
/// start time.
struct ServeOptions: ParsableArguments {
    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen on; 0 takes a free one. (default: 8080)")
    var port: Int?

    @Option(
        help:
            """
            The SQLite file, created if missing; or, for several servers on one database, \
            postgres://USER@HOST/NAME. (default: ./data/lifesignal.sqlite)
            """
    )
    var database: String?

    @Option(help: "Connections to PostgreSQL for writes; half as many for reads. (default: 16)")
    var databaseConnections: Int?

    @Option(
        help:
            """
            The file with the server's secret key; created if missing. All servers of one database \
            need the same. (default: the database's path with .key, or ./data/lifesignal.key)
            """
    )
    var keyFile: String?

    @Option(
        help:
            """
            The socket for lifesignal admin on this machine; none for no socket. (default: the \
            SQLite file's path with .admin; with PostgreSQL none)
            """
    )
    var adminSocket: String?

    @Flag(help: "Continue with another key, because the database's is lost.")
    var acceptNewKey = false

    @Flag(
        help: "Create the missing database although the server has a key.")
    var beginAnew = false

    @Option(
        help:
            """
            The address at which people reach the server, for links. (default: \
            http://localhost:PORT)
            """
    )
    var publicURL: String?

    @Option(
        help:
            """
            Where push services of browsers can reach you: mailto:you@example.org or an https URL. \
            (default: the public URL)
            """
    )
    var pushContact: String?

    @Option(
        help:
            """
            What sends text messages: console (prints them here), twilio, gateway, or none. \
            (default: console)
            """
    )
    var sms: String?

    @Option(
        help:
            """
            An app for iOS that opens the links of this server: its team id and bundle id, as \
            TEAM012345.org.example.lifesignal. Repeatable; separated by commas in the environment.
            """
    )
    var iosApp: [String] = []

    @Option(
        help:
            """
            An app for Android that opens the links of this server: its package and the SHA-256 \
            of its certificate, as org.example.lifesignal=AA:BB:…. Repeatable; separated by \
            commas in the environment.
            """
    )
    var androidApp: [String] = []

    @Option(
        help:
            """
            The Google Cloud project whose Firestore gets a copy of profiles and alerts. All \
            servers of one database need the same.
            """
    )
    var firestoreProject: String?

    @Option(help: "The JSON key file of a service account that may write to that Firestore.")
    var firestoreCredentials: String?

    @Option(
        help:
            """
            The address of Firestore's REST API, for tests with a substitute. (default: \
            https://firestore.googleapis.com)
            """
    )
    var firestoreURL: String?

    @Option(help: "How many minutes an alert may wait at the SMS provider. (default: 30)")
    var smsValidityMinutes: Int?

    @Option(
        help:
            """
            A number that signs in with a fixed code and gets no SMS, as +15550100=000000. \
            Repeatable; separated by commas in the environment.
            """
    )
    var testPhone: [String] = []

    @Option(
        help:
            """
            The country of phone numbers without a country code, as DE. (default: that of the \
            person's browser)
            """
    )
    var country: String?

    @Option(
        help:
            """
            Who may open an account: open (everyone), invited, or closed (no one). (default: \
            invited; open for a database from before this option)
            """
    )
    var signUp: String?

    @Option(
        help: "How to reach you, as the sign-in page says it: a name, an address, or a number.")
    var operatorContact: String?

    @Option(
        help:
            """
            The countries whose numbers get codes before they have an account, as DE,AT; or all. \
            (default: --country, and the countries of people with an account; without it, all)
            """
    )
    var smsCountries: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical. (default: info)")
    var logLevel: String?

    @Option(help: "text or json. (default: text)")
    var logFormat: String?

    @Option(help: "Requests a minute for one user; 0 for no limit. (default: 600)")
    var requestsPerUser: Int?

    @Option(help: "Requests a minute from one address; 0 for no limit. (default: 1200)")
    var requestsPerAddress: Int?

    @Option(
        help: "Sign-in codes an hour for a number by one asker; for all, 3 times it. (default: 5)")
    var codesPerNumber: Int?

    @Option(
        help: "Sign-in codes an hour from an address or /64; a /48 has 5 times it. (default: 20)")
    var codesPerAddress: Int?

    @Option(help: "How many days an alert and its ledger are kept after its end. (default: 365)")
    var ledgerDays: Int?

    @Option(help: "Sign-in codes an hour, without test numbers; 0 for no limit. (default: 1000)")
    var codesPerHour: Int?

    @Option(
        help:
            """
            Sign-in codes an hour to numbers without an account, and 3 times as many a day; 0 for \
            no limit. (default: 100)
            """
    )
    var codesToNewNumbers: Int?

    @Option(help: "The same for the numbers of one country. (default: 50)")
    var codesToNewNumbersPerCountry: Int?

    @Option(help: "Check-ins an hour within 10 s of the last one; 0 for no limit. (default: 60)")
    var checkInsPerHour: Int?

    @Option(
        help:
            """
            An address that is called every minute while the server does its work: https, or http \
            within your network.
            """
    )
    var heartbeatURL: String?

    @Flag(help: "Trust X-Forwarded-For. Use it only behind your own proxy that sets it.")
    var trustProxy = false

    @Option(help: "How many of your proxies in a row add an entry to it. (default: 1)")
    var proxyHops: Int?

    @Flag(help: "Trust this machine's clock even if its kernel does not call it synchronised.")
    var trustClock = false

    @Flag(
        help: "Allow webhooks to http and private addresses. Use it only if you trust all users.")
    var allowPrivateWebhooks = false

    @Flag(help: "Accept check-in intervals and journeys of seconds: for demonstrations.")
    var demoIntervals = false

    @Flag(help: "Show every notification in this terminal: for development.")
    var showNotifications = false
}

extension ServeOptions {
    /// Validates all values. Throws `Failure`, which names the invalid option.
    func settings(
        _ reach: ReachOptions, environment: [String: String] = SettingsEnvironment.current
    ) throws -> ServeSettings {
        let unknownVariables = try SettingsEnvironment.unknown(in: environment)
        let read = SettingReader(environment: environment)
        let port = try read.integer(port, "PORT", default: 8080, in: 0...65_535)
        let location = try DatabaseLocation(option: database, environment: environment)
        let address = read.text(publicURL, "PUBLIC_URL", default: "http://localhost:\(port)")
        guard let publicURL = URL(string: address), ["http", "https"].contains(publicURL.scheme),
            publicURL.host != nil,
            publicURL.path.isEmpty || publicURL.path == "/"
        else {
            throw Failure(
                "--public-url must be like https://lifesignal.example.org, without a path.")
        }
        let contact = read.text(
            pushContact, "PUSH_CONTACT",
            default: VAPIDContact(address)?.text ?? "https://lifesignal.invalid")
        guard let pushContact = VAPIDContact(contact) else {
            throw Failure("--push-contact must be like mailto:you@example.org, or an https URL.")
        }
        guard let level = Logger.Level(rawValue: read.text(logLevel, "LOG_LEVEL", default: "info"))
        else {
            throw Failure(
                "--log-level must be trace, debug, info, notice, warning, error or critical.")
        }
        guard let format = LogFormat(rawValue: read.text(logFormat, "LOG_FORMAT", default: "text"))
        else {
            throw Failure("--log-format must be text or json.")
        }
        let phones =
            testPhone
            + (environment["LIFESIGNAL_TEST_PHONE"]?.split(separator: ",").map(String.init) ?? [])
        let canary =
            try read.optional("CANARY_PHONES")?.split(separator: ",")
            .map { try Self.canaryNumber(String($0)) } ?? []
        let country = read.text(country, "COUNTRY", default: "").uppercased()
        guard country.isEmpty || PhoneNumberCheck.knows(region: country) else {
            throw Failure("--country must be a country of two letters (ISO 3166), as DE.")
        }
        let countries = try SMSCountries(
            read.text(smsCountries, "SMS_COUNTRIES", default: ""), country: country)
        let isPublicURLGiven =
            self.publicURL != nil || environment["LIFESIGNAL_PUBLIC_URL"] != nil
        let sms = try SMSSettings(
            read.text(sms, "SMS", default: "console"),
            gatewayFile: read.text(reach.smsGatewayFile, "SMS_GATEWAY_FILE", default: ""),
            environment: environment)
        return ServeSettings(
            host: read.text(host, "HOST", default: "127.0.0.1"),
            port: port,
            database: location,
            databaseConnections: try read.integer(
                databaseConnections, "DATABASE_CONNECTIONS", default: 16, in: 1...500),
            key: try KeySource(
                path: read.text(keyFile, "KEY_FILE", default: location.standardKeyPath),
                isPathGiven: keyFile != nil, environment: environment),
            acceptsNewKey: try read.flag(acceptNewKey, "ACCEPT_NEW_KEY"),
            beginsAnew: try read.flag(beginAnew, "BEGIN_ANEW"),
            publicURL: publicURL,
            isPublicURLGiven: isPublicURLGiven,
            pushContact: pushContact,
            apps: try AppPushSettings(environment: environment),
            linkedApps: try LinkedApps(ios: iosApp, android: androidApp, read),
            firestore: try FirestoreSettings(
                project: firestoreProject, credentials: firestoreCredentials, url: firestoreURL,
                read),
            sms: sms,
            smsValidity: .minutes(
                try read.integer(
                    smsValidityMinutes, "SMS_VALIDITY_MINUTES", default: 30, in: 1...600)),
            smsAnswers: try read.flag(reach.smsAnswers, "SMS_ANSWERS")
                ? SMSAnswers(sms, environment, hasPublicURL: isPublicURLGiven) : nil,
            reach: try reach.settings(environment, hasPublicURL: isPublicURLGiven),
            testNumbers: try Dictionary(
                phones.map { try Self.testNumber($0) } + canary, uniquingKeysWith: { $1 }),
            canaryNumbers: Set(canary.map(\.0)),
            country: country.isEmpty ? nil : country,
            signUp: try Self.signUp(read.text(signUp, "SIGN_UP", default: "")),
            operatorContact: try Self.operatorContact(
                read.text(operatorContact, "OPERATOR_CONTACT", default: "")),
            smsCountries: countries,
            heartbeatURL: try read.operatorsURL(
                heartbeatURL, "HEARTBEAT_URL", mayBeInNetwork: true),
            logLevel: level,
            logFormat: format,
            requestsPerUser: try read.integer(
                requestsPerUser, "REQUESTS_PER_USER", default: 600, in: 0...10_000_000),
            requestsPerAddress: try read.integer(
                requestsPerAddress, "REQUESTS_PER_ADDRESS", default: 1_200, in: 0...10_000_000),
            codesPerNumber: try read.integer(
                codesPerNumber, "CODES_PER_NUMBER", default: SignInRules.codesPerNumber,
                in: 1...1_000_000),
            codesPerAddress: try read.integer(
                codesPerAddress, "CODES_PER_ADDRESS", default: SignInRules.codesPerAddress,
                in: 1...1_000_000),
            ledgerKept: .days(
                try read.integer(ledgerDays, "LEDGER_DAYS", default: 365, in: 1...36_500)),
            codesPerHour: try read.integer(
                codesPerHour, "CODES_PER_HOUR", default: SignInRules.codesPerHour, in: 0...1_000_000
            ),
            codesToNewNumbers: try read.integer(
                codesToNewNumbers, "CODES_TO_NEW_NUMBERS", default: SignInRules.codesToNewNumbers,
                in: 0...1_000_000),
            codesToNewNumbersPerCountry: try read.integer(
                codesToNewNumbersPerCountry, "CODES_TO_NEW_NUMBERS_PER_COUNTRY",
                default: SignInRules.codesToNewNumbersPerCountry, in: 0...1_000_000),
            checkInsPerHour: try read.integer(
                checkInsPerHour, "CHECK_INS_PER_HOUR", default: CheckInLimits.perHour,
                in: 0...1_000_000),
            proxyHops: try read.flag(trustProxy, "TRUST_PROXY")
                ? read.integer(proxyHops, "PROXY_HOPS", default: 1, in: 1...10) : 0,
            trustsClock: try read.flag(trustClock, "TRUST_CLOCK"),
            allowsPrivateWebhooks: try read.flag(allowPrivateWebhooks, "ALLOW_PRIVATE_WEBHOOKS"),
            allowsDemoIntervals: try read.flag(demoIntervals, "DEMO_INTERVALS"),
            showsNotifications: try read.flag(showNotifications, "SHOW_NOTIFICATIONS"),
            unknownVariables: unknownVariables,
            adminSocket: read.text(
                adminSocket, "ADMIN_SOCKET", default: location.standardAdminSocket ?? "none"
            ).ifNotNone
        )
    }
}

extension ServeOptions {
    private static func signUp(_ text: String) throws -> SignUpMode? {
        guard !text.isEmpty else { return nil }
        guard let mode = SignUpMode(rawValue: text) else {
            throw Failure("--sign-up must be open, invited or closed.")
        }
        return mode
    }

    private static func operatorContact(_ text: String) throws -> String? {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard text.count <= 200, !text.contains(where: \.isNewline) else {
            throw Failure("--operator-contact must have at most 200 characters on one line.")
        }
        return text.isEmpty ? nil : text
    }
}

extension String {
    /// nil if the text is "none".
    fileprivate var ifNotNone: String? { self == "none" ? nil : self }
}

/// Numbers that sign in with a code chosen by the operator.
extension ServeOptions {
    static func testNumber(_ text: String) throws -> (PhoneNumber, String) {
        let (name, number, code) = numberAndCode(text)
        guard let number, let code = try? SignInRules.code(code) else {
            throw Failure(
                """
                --test-phone must be a number and a code of 6 digits, as +15550100=000000; this \
                is not: \(name)
                """
            )
        }
        return (number, code)
    }

    static func canaryNumber(_ text: String) throws -> (PhoneNumber, String) {
        let (name, number, code) = numberAndCode(text)
        guard let number, let code = try? SignInRules.canaryCode(code) else {
            throw Failure(
                """
                LIFESIGNAL_CANARY_PHONES must have numbers with codes of 20 to 100 letters and \
                digits, as +15550190=CODE,+15550191=CODE (openssl rand -hex 16 makes a code); this \
                is not: \(name)
                """
            )
        }
        return (number, code)
    }

    private static func numberAndCode(
        _ text: String
    ) -> (name: String, number: PhoneNumber?, code: String) {
        let parts = text.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
            .map(String.init)
        let name = parts.first ?? ""
        let number = try? PhoneNumberCheck.libphonenumber(except: []).read(name)
        return (name, number, parts.count == 2 ? parts[1] : "")
    }
}
